// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.woven.StringValuePatch;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** The classes under test are really the woven ones, and the other side is really stock. */
class WovenClassesTest {

    @Test
    void classPathGivesOurClassesAndTheOtherLoaderGivesStocks() {
        WovenRecord.jars().forEach(WovenClassesTest::assertIsOurs);
    }

    private static void assertIsOurs(String name, String jar) {
        Class<?> ours = Sides.patchedType(name);
        Class<?> stocks = Sides.stockType(name);
        assertThat(ours).isNotSameAs(stocks);
        assertThat(isWoven(ours)).as(name).isTrue();
        assertThat(isWoven(stocks)).as(name).isFalse();
        assertThat(location(ours)).contains("woven");
        assertThat(location(stocks)).matches(".*/" + jar + "(_[\\d.]+)?-\\d[^/]*");
    }

    @Test
    void theSwitchIsOnUnlessThisRunSwitchesItOff() {
        boolean off = "off".equals(System.getProperty(BoostMode.PROPERTY));
        assertThat(BoostMode.ENABLED).isEqualTo(!off);
    }

    @Test
    void theBodyThatRunsIsTheOneOfTheMode() throws IOException {
        String ours = StringWriter.class.getName() + ".write";
        String stocks = "org.apache.flink.types.StringValue.writeString$flinkBoostStock";
        assertThat(callersOfFailingWrite(Sides.patched()))
                .contains(BoostMode.ENABLED ? ours : stocks)
                .doesNotContain(BoostMode.ENABLED ? stocks : ours);
        assertThat(callersOfFailingWrite(Sides.stock()))
                .contains("org.apache.flink.types.StringValue.writeString")
                .doesNotContain(ours, stocks);
    }

    /** In front of the array every write fails; the trace shows through whom it went. */
    private static List<String> callersOfFailingWrite(Codec codec) throws IOException {
        codec.open(Output.SERIALIZER, 32);
        codec.moveOutputTo(-1);
        try {
            codec.writeString("flink");
        } catch (ArrayIndexOutOfBoundsException e) {
            return Arrays.stream(e.getStackTrace())
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                    .collect(Collectors.toList());
        }
        throw new AssertionError("writing in front of the array must fail");
    }

    /** Stock's loop asks a foreign output per byte; our path never sees one, so count on ours. */
    @Test
    void ourBodyRunsOnOurViewAndStocksOnForeignOnes() throws IOException {
        CountingCharSequence text = new CountingCharSequence("flink");
        StringValue.writeString(text, newDataOutput());
        assertThat(text.calls()).as("a CharSequence goes to stock's body").isEqualTo(5);
        assertThat(StringValuePatch.writeString("flink", newDataOutput())).isTrue();
        assertThat(StringValuePatch.writeString(text, newDataOutput())).isFalse();
        assertThat(
                        StringValuePatch.writeString(
                                "flink",
                                new java.io.DataOutputStream(new java.io.ByteArrayOutputStream())))
                .isFalse();
    }

    @Test
    void accessIsAsThisRunExpects() {
        String expected = System.getProperty("expected.access");
        assertThat(expected).isIn("opened", "not-opened");
        assertThat(StringAccess.OPENED).isEqualTo(expected.equals("opened"));
        assertThat(StringAccess.describe())
                .startsWith(
                        expected.equals("opened")
                                ? "string access opened (self-test passed"
                                : "string access plain (");
    }

    private static java.io.DataOutput newDataOutput() {
        return new DataOutputSerializer(32);
    }

    private static boolean isWoven(Class<?> type) {
        boolean fronted =
                Arrays.stream(type.getDeclaredMethods())
                        .anyMatch(method -> method.getName().endsWith("$flinkBoostStock"));
        boolean opened =
                Arrays.stream(type.getInterfaces())
                        .anyMatch(one -> one.getName().startsWith("org.apache.flink.boost."));
        return fronted || opened;
    }

    private static String location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().toString();
    }

    private static final class CountingCharSequence implements CharSequence {

        private final String text;
        private int calls;

        private CountingCharSequence(String text) {
            this.text = text;
        }

        int calls() {
            return calls;
        }

        @Override
        public char charAt(int index) {
            calls++;
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.strings.TransferViews.Target;
import org.apache.flink.boost.woven.StringValuePatch;
import org.junit.jupiter.api.Test;

/** Copying between the views of flink-core, the JDK's and users'. */
class StringCopyTest extends StringCopyContract {

    @Override
    protected List<Source> sources() {
        return TransferViews.sources();
    }

    @Override
    protected List<Source> plainSources() {
        return TransferViews.plainSources();
    }

    @Override
    protected List<Target> targets() {
        return TransferViews.targets();
    }

    @Override
    protected List<Target> plainTargets() {
        return TransferViews.plainTargets();
    }

    /** Handing everything to stock would pass the contract. */
    @Test
    void wellFormedValuesAreNotHandedOver() throws IOException {
        String[] texts = {"", "a", "flink", "x".repeat(64), "x".repeat(5000), "\u6f22".repeat(90)};
        for (String text : texts) {
            byte[] bytes = Wire.encoded(text);
            for (Source source : sources()) {
                for (Target target : targets()) {
                    DataInput in = source.open(FlinkClasses.PATCHED, bytes, 0, bytes.length).view();
                    DataOutput out = target.open(FlinkClasses.PATCHED, 1).view();
                    // Stock's body is as good for a few bytes into a view that is not ours.
                    boolean shortIntoForeign =
                            source == TransferViews.ARRAY
                                    && target != TransferViews.SERIALIZER
                                    && bytes.length < 8;
                    assertThat(StringValuePatch.copyString(in, out)).isEqualTo(!shortIntoForeign);
                }
            }
        }
    }

    /** A view that treats single bytes in its own way sees single bytes, as in stock. */
    @Test
    void bytesGoSinglyThroughViewsThatCareForThem() throws IOException {
        SplittableRandom random = new SplittableRandom(65);
        for (int i = 0; i < 500; i++) {
            String text = Texts.any(random);
            for (Source source : sources()) {
                assertSameAsStock(source, TransferViews.tamperingTarget(), text);
            }
            for (Target target : targets()) {
                assertSameAsStock(TransferViews.tamperingSource(), target, text);
            }
        }
    }

    /** From an array into itself, where a byte-by-byte copy repeats what it has just written. */
    @Test
    void copiesInsideOneArrayAsStock() throws IOException {
        byte[][] results = new byte[2][];
        for (int side = 0; side < 2; side++) {
            FlinkClasses flink = side == 0 ? FlinkClasses.PATCHED : FlinkClasses.STOCK;
            DataOutput out = flink.newOutput(64);
            flink.writeString("twelve chars", out);
            byte[] array = (byte[]) FlinkClasses.field(out, "buffer");
            flink.invoke(out, "setPosition", 4);
            flink.copyString(flink.newInput(array, 0, 13), out);
            results[side] = array.clone();
        }
        assertThat(results[0]).isEqualTo(results[1]);
    }

    /** Where {@code setPositionUnsafe} leaves an output, which looks at nothing. */
    @Test
    void failsAsStockInFrontOfTheOutput() throws IOException {
        for (String text : new String[] {"", "a", "flink", "x".repeat(100)}) {
            byte[] bytes = Wire.encoded(text);
            List<String> ends = new ArrayList<>();
            for (FlinkClasses flink :
                    new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
                DataInput in = flink.newInput(bytes, 0, bytes.length);
                DataOutput out = flink.newOutput(200);
                FlinkClasses.setField(out, "position", -1);
                Throwable end = catchThrowable(() -> flink.copyString(in, out));
                assertThat(end).isInstanceOf(IndexOutOfBoundsException.class);
                ends.add(
                        end.getClass()
                                + " input at "
                                + FlinkClasses.field(in, "position")
                                + ", output at "
                                + FlinkClasses.field(out, "position"));
            }
            assertThat(ends.get(0)).isEqualTo(ends.get(1));
        }
    }

    @Test
    void failsAsStockWithoutViews() throws IOException {
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataInput in = flink.newInput(Wire.encoded("flink"), 0, 6);
            assertThatThrownBy(() -> flink.copyString(in, null))
                    .isInstanceOf(NullPointerException.class);
            assertThat(FlinkClasses.field(in, "position")).isEqualTo(1);
            assertThatThrownBy(() -> flink.copyString(null, flink.newOutput(8)))
                    .isInstanceOf(NullPointerException.class);
            flink.invoke(in, "releaseArrays");
            assertThatThrownBy(() -> flink.copyString(in, flink.newOutput(8)))
                    .isInstanceOf(NullPointerException.class);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The JDK's check for ASCII: one that is missing or wrong costs that one accelerator alone. */
class StringAccessTest {

    @Test
    void theJdksOwnCheckIsTakenWhereItCanBeSeen() throws NoSuchFieldException {
        boolean opened = String.class.getDeclaredField("value").trySetAccessible();
        assertThat(StringAccess.asciiCheckOf("java.lang.StringCoding") != null).isEqualTo(opened);
    }

    @Test
    void aJdkWithoutItIsNotTaken() {
        assertThat(StringAccess.asciiCheckOf("java.lang.NoSuchCoding")).isNull();
        assertThat(StringAccess.asciiCheckOf(StringAccessTest.class.getName())).isNull();
    }

    @Test
    void oneThatAnswersWrongIsNotTaken() {
        assertThat(StringAccess.asciiCheckOf(Right.class.getName())).isNotNull();
        assertThat(StringAccess.asciiCheckOf(Never.class.getName())).isNull();
        assertThat(StringAccess.asciiCheckOf(Always.class.getName())).isNull();
        assertThat(StringAccess.asciiCheckOf(NotTheLast.class.getName())).isNull();
    }

    /** In every mode, with the JDK's check or without. */
    @Test
    void aByteAboveAsciiIsSeenAtEveryPlace() {
        for (int length = 0; length < 100; length++) {
            byte[] bytes = new byte[length + 2];
            bytes[0] = -1;
            bytes[length + 1] = -1;
            assertThat(StringAccess.isAscii(bytes, 1, length)).isTrue();
            for (int place = 1; place <= length; place++) {
                bytes[place] = -128;
                assertThat(StringAccess.isAscii(bytes, 1, length)).isFalse();
                bytes[place] = 127;
            }
        }
    }

    @Test
    void theLogSaysWhenTheCheckIsMissing() {
        boolean withoutIt = "words".equals(System.getProperty("flink.boost.access"));
        assertThat(StringAccess.describe().contains("without the JDK's check for ASCII"))
                .isEqualTo(StringAccess.OPENED && withoutIt);
    }

    static final class Right {
        static boolean hasNegatives(byte[] bytes, int from, int length) {
            for (int i = from; i < from + length; i++) {
                if (bytes[i] < 0) {
                    return true;
                }
            }
            return false;
        }
    }

    static final class Never {
        static boolean hasNegatives(byte[] bytes, int from, int length) {
            return false;
        }
    }

    static final class Always {
        static boolean hasNegatives(byte[] bytes, int from, int length) {
            return true;
        }
    }

    static final class NotTheLast {
        static boolean hasNegatives(byte[] bytes, int from, int length) {
            return Right.hasNegatives(bytes, from, Math.max(length - 1, 0));
        }
    }
}

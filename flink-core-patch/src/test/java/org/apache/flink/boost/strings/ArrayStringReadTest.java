// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.EOFException;
import java.io.ObjectStreamClass;
import org.apache.flink.boost.guard.BoostMode;
import org.junit.jupiter.api.Test;

/** Reading from a {@code DataInputDeserializer}. */
class ArrayStringReadTest extends StringReadContract {

    private static final String VIEW = "org.apache.flink.core.memory.DataInputDeserializer";

    @Override
    protected DataInput open(FlinkClasses flink, byte[] bytes, int start, int end) {
        return flink.newInput(bytes, start, end - start);
    }

    @Override
    protected int position(DataInput in) {
        return (int) FlinkClasses.field(in, "position");
    }

    @Override
    protected Outcome endOfInput(byte[] bytes, int end) {
        return new Outcome(null, EOFException.class.getName(), end);
    }

    @Test
    void failsAsStockWhenArraysAreReleased() throws Exception {
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataInput in = flink.newInput(Wire.encoded("gone"), 0, 5);
            flink.invoke(in, "releaseArrays");
            assertThatThrownBy(() -> flink.readString(in)).isInstanceOf(NullPointerException.class);
        }
    }

    /** Stock dies of memory on a length of 2^31 - 2; the one difference that is allowed. */
    @Test
    void allocatesNothingForALengthThatIsALie() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Wire.varint(out, Integer.MAX_VALUE, 1);
        out.write('a');
        byte[] bytes = out.toByteArray();
        DataInput in = FlinkClasses.PATCHED.newInput(bytes, 0, bytes.length);
        if (BoostMode.ENABLED) {
            assertThatThrownBy(() -> FlinkClasses.PATCHED.readString(in))
                    .isInstanceOf(EOFException.class);
            assertThat(position(in)).isEqualTo(bytes.length);
        } else {
            assertThatThrownBy(() -> FlinkClasses.PATCHED.readString(in))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }

    @Test
    void keepsTheSerialVersion() {
        assertThat(serialVersion(FlinkClasses.PATCHED))
                .isEqualTo(serialVersion(FlinkClasses.STOCK));
    }

    private static long serialVersion(FlinkClasses flink) {
        return ObjectStreamClass.lookup(flink.type(VIEW)).getSerialVersionUID();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.flink.boost.codec.LongText;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.UserInput;
import org.apache.flink.boost.sidebyside.MalformedValues;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.boost.woven.StringValuePatch;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;

/** Reading from views whose memory is not ours to see. */
class StreamStringReadTest {

    private final Codec patched = Sides.patched();
    private final Codec stock = Sides.stock();

    /** Its {@code readFully} does not tell how far it came when it fails. */
    @Test
    void stocksBodyReadsFromNothingButADataInput() throws IOException {
        for (String text : new String[] {"", "flink", "\u0416".repeat(3000)}) {
            byte[] bytes = Wire.encoded(text);
            DataInput in = new PlainInput(bytes, 0, bytes.length);
            assertThat(StringValuePatch.readString(in)).isSameAs(HandOver.TO_STOCK);
            assertThat(StringValue.readString(in)).isEqualTo(text);
        }
    }

    /** A view that treats single bytes in its own way sees single bytes, as in stock. */
    @Test
    void bytesAreReadSinglyFromViewsThatCareForThem() throws IOException {
        SplittableRandom random = new SplittableRandom(71);
        for (int i = 0; i < 1000; i++) {
            byte[] bytes = Wire.encoded(CodeUnits.ASCII.text(random, 2 + i % 90));
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            for (Codec codec : new Codec[] {patched, stock}) {
                codec.open(UserInput.DECIPHERING, longer, 0, longer.length);
            }
            assertThat(patched.readString()).isEqualTo(stock.readString());
        }
    }

    /** Stock allocates what the field says; ours as much as there are bytes, and a step more. */
    @Test
    void allocatesInStepWithTheBytesThatCome() {
        if (!BoostMode.ENABLED) {
            return;
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        for (int present : new int[] {0, 100, 3000, 70_000, 500_000}) {
            byte[] bytes = MalformedValues.lie(Integer.MAX_VALUE, present);
            long most = 0;
            for (int round = 0; round < 3; round++) {
                DataInput in = stream(bytes);
                long before = threads.getThreadAllocatedBytes(self);
                assertThatThrownBy(() -> StringValuePatch.readString(in))
                        .isInstanceOf(EOFException.class);
                most = threads.getThreadAllocatedBytes(self) - before;
            }
            // The exception of the view and of the assertion are in it, too.
            long step = StringAccess.OPENED ? 1 << 17 : LongText.AT_ONCE;
            long allowed = 60_000 + (present == 0 ? 0 : 3L * present + step);
            assertThat(most).as("with %d bytes", present).isLessThan(allowed);
        }
    }

    /** A view that reads another string while we wait for its bytes. */
    @Test
    void viewsMayReadStringsThemselves() throws IOException {
        if (!BoostMode.ENABLED) {
            // Stock's newer lines mix the two strings up in their one array per thread.
            return;
        }
        byte[] inner = Wire.encoded("inner \u0416".repeat(50));
        for (String text : new String[] {"flink", "x".repeat(500), "\u6f22 \u00e9".repeat(900)}) {
            byte[] bytes = Wire.encoded(text);
            InputStream nested =
                    new InputStream() {
                        private int position;

                        @Override
                        public int read() throws IOException {
                            readInner();
                            return position == bytes.length ? -1 : bytes[position++] & 0xFF;
                        }

                        @Override
                        public int read(byte[] target, int offset, int length) throws IOException {
                            int first = read();
                            if (first < 0) {
                                return -1;
                            }
                            int size = Math.min(length - 1, bytes.length - position);
                            target[offset] = (byte) first;
                            System.arraycopy(bytes, position, target, offset + 1, size);
                            position += size;
                            readInner();
                            return size + 1;
                        }

                        private void readInner() throws IOException {
                            assertThat(StringValue.readString(stream(inner)))
                                    .isEqualTo("inner \u0416".repeat(50));
                        }
                    };
            assertThat(StringValue.readString(new DataInputStream(nested))).isEqualTo(text);
        }
    }

    private static DataInput stream(byte[] bytes) {
        return new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes));
    }
}

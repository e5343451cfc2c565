// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.fuzz;

import java.util.Arrays;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Operation;
import org.apache.flink.boost.sidebyside.Outcome;
import org.apache.flink.boost.sidebyside.Sides;

/**
 * Arbitrary bytes through every operation on every view of patched and stock: both must end in the
 * same way. {@code make fuzz} hands it to Jazzer, which looks for bytes that reach new branches; a
 * finding belongs into the seeds of {@link StringCodecFuzzTest}.
 *
 * <p>The first byte chooses where the value lies in its memory, the rest is the value.
 */
public final class StringCodecFuzz {

    /** Claims above it cost stock more memory than the fuzzer has; a table covers them. */
    public static final int MOST_CHARACTERS = 1 << 20;

    private static final Input[] INPUTS = Input.values();
    private static final Operation[] OPERATIONS = Operation.values();

    private static final Codec PATCHED = Sides.patched();
    private static final Codec STOCK = Sides.stock();

    private StringCodecFuzz() {}

    /** Called by Jazzer, which takes an exception for a finding. */
    public static void fuzzerTestOneInput(byte[] data) {
        compare(PATCHED, STOCK, data);
    }

    /**
     * Compares all operations on all views.
     *
     * @throws AssertionError at the first one that ends differently
     */
    static void compare(Codec patched, Codec stock, byte[] data) {
        if (data.length == 0 || claims(data, 1) > MOST_CHARACTERS) {
            return;
        }
        int start = data[0] & 7;
        int slack = data[0] >> 3 & 7;
        // Zeros behind the value end a length field that is cut off.
        byte[] bytes = new byte[start + data.length - 1 + slack];
        Arrays.fill(bytes, 0, start, (byte) 0x81);
        System.arraycopy(data, 1, bytes, start, data.length - 1);
        int end = bytes.length - slack;
        Output output = (data[0] & 0x40) == 0 ? Output.SERIALIZER : Output.STREAM;
        for (Input view : INPUTS) {
            for (Operation operation : OPERATIONS) {
                Outcome ours = outcome(patched, view, output, operation, bytes, start, end);
                Outcome stocks = outcome(stock, view, output, operation, bytes, start, end);
                if (!ours.equals(stocks)) {
                    throw new AssertionError(
                            operation + " from " + view + ": " + ours + "; stock " + stocks);
                }
            }
        }
    }

    private static Outcome outcome(
            Codec codec,
            Input view,
            Output output,
            Operation operation,
            byte[] bytes,
            int start,
            int end) {
        codec.open(view, bytes, start, end);
        codec.open(output, 4);
        return Outcome.of(codec, operation);
    }

    /** How many characters the length field at {@code from} makes stock allocate. */
    public static long claims(byte[] data, int from) {
        int value = 0;
        int shift = 0;
        for (int i = from; i < data.length; i++) {
            value |= (data[i] & 0x7F) << shift;
            shift += 7;
            if (data[i] >= 0) {
                break;
            }
        }
        // Of a negative one only those that become a huge positive one by counting down matter.
        return value == Integer.MIN_VALUE ? Long.MAX_VALUE : value;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** Writes text to the end of an array that is large for the heap, and says how that ended. */
public final class GrowthProbe {

    private GrowthProbe() {}

    /** Arguments: {@code stock} or {@code patched}, capacity, bytes left in the array. */
    public static void main(String[] arguments) throws IOException {
        FlinkClasses flink =
                arguments[0].equals("stock") ? FlinkClasses.STOCK : FlinkClasses.PATCHED;
        int capacity = Integer.parseInt(arguments[1]);
        int left = Integer.parseInt(arguments[2]);
        for (String text : new String[] {"flink", "caf\u00e9s", "\u6f22\u5b57\u6f22"}) {
            for (Way way : Way.values()) {
                DataOutput out = flink.newOutput(capacity);
                FlinkClasses.setField(out, "position", capacity - left);
                String end = "fits";
                try {
                    way.put(flink, text, out);
                } catch (IOException | RuntimeException | OutOfMemoryError e) {
                    end = e + " caused by " + e.getCause();
                }
                System.out.println("= " + way + " " + text.length() + " " + end + state(out));
            }
        }
    }

    private enum Way {
        STRING {
            @Override
            void put(FlinkClasses flink, String text, DataOutput out) throws IOException {
                flink.writeString(text, out);
            }
        },
        COPY {
            @Override
            void put(FlinkClasses flink, String text, DataOutput out) throws IOException {
                byte[] bytes = Wire.encoded(text);
                flink.copyString(flink.newInput(bytes, 0, bytes.length), out);
            }
        };

        abstract void put(FlinkClasses flink, String text, DataOutput out) throws IOException;
    }

    private static String state(DataOutput out) {
        byte[] array = (byte[]) FlinkClasses.field(out, "buffer");
        int position = (int) FlinkClasses.field(out, "position");
        byte[] end = Arrays.copyOfRange(array, position - 4, position);
        return " length " + array.length + " position " + position + " after " + Wire.hex(end);
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.sidebyside.Sides;

/** Writes text to the end of an array that is large for the heap, and says how that ended. */
public final class GrowthProbe {

    private GrowthProbe() {}

    /** Arguments: {@code stock} or {@code patched}, capacity, bytes left in the array. */
    public static void main(String[] arguments) throws IOException {
        boolean ofStock = arguments[0].equals("stock");
        int capacity = Integer.parseInt(arguments[1]);
        int left = Integer.parseInt(arguments[2]);
        for (String text : new String[] {"flink", "caf\u00e9s", "\u6f22\u5b57\u6f22"}) {
            for (Way way : Way.values()) {
                // A new one each time: the old one keeps its array.
                Codec codec = ofStock ? Sides.stock() : Sides.patched();
                codec.open(Output.SERIALIZER, capacity);
                codec.moveOutputTo(capacity - left);
                String end = "fits";
                try {
                    way.put(codec, text);
                } catch (IOException | RuntimeException | OutOfMemoryError e) {
                    end = e + " caused by " + e.getCause();
                }
                System.out.println("= " + way + " " + text.length() + " " + end + state(codec));
            }
        }
    }

    private enum Way {
        STRING {
            @Override
            void put(Codec codec, String text) throws IOException {
                codec.writeString(text);
            }
        },
        COPY {
            @Override
            void put(Codec codec, String text) throws IOException {
                byte[] bytes = Wire.encoded(text);
                codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
                codec.copyString();
            }
        };

        abstract void put(Codec codec, String text) throws IOException;
    }

    private static String state(Codec codec) {
        byte[] array = codec.written();
        int position = codec.writtenLength();
        byte[] end = Arrays.copyOfRange(array, position - 4, position);
        return " length " + array.length + " position " + position + " after " + Wire.hex(end);
    }
}

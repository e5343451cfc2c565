// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.string;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.flinkboost.weaver.patch.HandOver;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/**
 * The static string methods of {@code StringValue}: length field of code units + 1, 0 for null.
 *
 * <p>Views are told apart by exact class. An {@code instanceof} of our interfaces would go through
 * the secondary supertype cache, which threads that ask for different interfaces of one class take
 * from each other (JDK-8180450); after an exact comparison the compiler needs no check at all.
 */
@Patches("org.apache.flink.types.StringValue")
public final class StringValuePatch {

    /** Returned from {@link #readString} where stock is to read. */
    @HandOver public static final String STOCK = StringReader.STOCK;

    /** The view of a record in one network buffer; null when flink-runtime is not there. */
    static final Class<?> SEGMENT_VIEW = segmentView();

    private StringValuePatch() {}

    /** Writes a string; hands over what is not a {@code String}. */
    @Replaces
    public static boolean writeString(CharSequence cs, DataOutput out) throws IOException {
        if (!(cs instanceof String) || out == null) {
            return false;
        }
        return out.getClass() == DataOutputSerializer.class
                ? StringWriter.write((String) cs, (ArrayOutput) out)
                : StreamStringWriter.write((String) cs, out);
    }

    /** Reads a string. */
    @Replaces
    public static String readString(DataInput in) throws IOException {
        if (in == null) {
            return STOCK;
        }
        Class<?> view = in.getClass();
        if (view == SEGMENT_VIEW) {
            return StringReader.read((SegmentInput) in);
        }
        if (view == DataInputDeserializer.class) {
            return StringReader.read((ArrayInput) in);
        }
        return StreamStringReader.read(in);
    }

    /** Copies an encoded string as it is. */
    @Replaces
    public static boolean copyString(DataInput in, DataOutput out) throws IOException {
        return StringCopier.copy(in, out, 1);
    }

    private static Class<?> segmentView() {
        String[] names = {
            "org.apache.flink.runtime.io.network.api.serialization.NonSpanningWrapper",
            "org.apache.flink.runtime.io.network.api.serialization"
                    + ".SpillingAdaptiveSpanningRecordDeserializer$NonSpanningWrapper"
        };
        for (String name : names) {
            try {
                Class<?> view = Class.forName(name, false, StringValuePatch.class.getClassLoader());
                if (SegmentInput.class.isAssignableFrom(view)) {
                    return view;
                }
            } catch (ClassNotFoundException e) {
                // The other line's name, or flink-core without flink-runtime.
            }
        }
        return null;
    }
}

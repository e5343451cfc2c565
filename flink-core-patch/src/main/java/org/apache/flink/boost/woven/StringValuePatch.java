// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.boost.strings.StreamStringReader;
import org.apache.flink.boost.strings.StreamStringWriter;
import org.apache.flink.boost.strings.StringCopier;
import org.apache.flink.boost.strings.StringReader;
import org.apache.flink.boost.strings.StringWriter;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/** The static string methods of {@code StringValue}: length field of code units + 1, 0 for null. */
@Patches("org.apache.flink.types.StringValue")
public final class StringValuePatch {

    private StringValuePatch() {}

    /** Writes a string; hands over what is not a {@code String}. */
    @Replaces
    public static boolean writeString(CharSequence cs, DataOutput out) throws IOException {
        if (!(cs instanceof String) || out == null) {
            return false;
        }
        return out.getClass() == OwnViews.ARRAY_OUTPUT
                ? StringWriter.write((String) cs, (DataOutputSerializerMemory) out)
                : StreamStringWriter.write((String) cs, out);
    }

    /** Reads a string. */
    @Replaces
    public static Object readString(DataInput in) throws IOException {
        if (in == null) {
            return HandOver.TO_STOCK;
        }
        Class<?> view = in.getClass();
        String text;
        if (view == OwnViews.SEGMENT_INPUT) {
            text = StringReader.read((SegmentInput) in);
        } else if (view == OwnViews.ARRAY_INPUT) {
            text = StringReader.read((DataInputDeserializerMemory) in);
        } else {
            text = StreamStringReader.read(in);
        }
        // Not by a method: what these readers bring takes all that the JIT inlines.
        return text == StringReader.STOCK ? HandOver.TO_STOCK : text;
    }

    /** Copies an encoded string as it is. */
    @Replaces
    public static boolean copyString(DataInput in, DataOutput out) throws IOException {
        return StringCopier.copy(in, out);
    }
}

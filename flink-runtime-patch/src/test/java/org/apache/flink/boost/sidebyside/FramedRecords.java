// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.boost.strings.Wire;

/** Records for writers, and the bytes that they have to become: each behind its length. */
final class FramedRecords {

    private FramedRecords() {}

    /** Any bytes, the same ones for the same size. */
    static byte[] content(int size) {
        byte[] content = new byte[size];
        new SplittableRandom(size).nextBytes(content);
        return content;
    }

    /** The record of strings that {@link RecordReader} reads. */
    static byte[] encoded(List<String> texts) throws IOException {
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(record);
        out.writeInt(texts.size());
        for (String text : texts) {
            out.write(Wire.encoded(text));
        }
        return record.toByteArray();
    }

    /** Appends a record behind its length of four bytes. */
    static void frame(ByteArrayOutputStream bytes, byte[] record) throws IOException {
        new DataOutputStream(bytes).writeInt(record.length);
        bytes.write(record);
    }

    /** Stock's way from buffers to records. */
    static RecordReader stockReader() {
        try {
            return (RecordReader) Sides.ofStock(FlinkRecordReader.class).newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }
}

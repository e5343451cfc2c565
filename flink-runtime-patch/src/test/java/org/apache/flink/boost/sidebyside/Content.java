// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.flink.core.io.IOReadableWritable;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/** A record that writes itself; nobody reads it back into an object. Calls Flink: one per side. */
final class Content implements IOReadableWritable {

    private final Style style;
    private final byte[] bytes;
    private final boolean failing;

    /** A record; a failing one throws when it has written all its bytes. */
    Content(Style style, byte[] bytes, boolean failing) {
        this.style = style;
        this.bytes = bytes;
        this.failing = failing;
    }

    @Override
    public void write(DataOutputView out) throws IOException {
        writeBytes(out);
        if (failing) {
            throw new IOException("broken record");
        }
    }

    private void writeBytes(DataOutputView out) throws IOException {
        int at = 0;
        if (style == Style.ARRAY) {
            out.write(bytes);
            return;
        }
        if (style == Style.STRINGS) {
            for (; at < bytes.length; at += 100) {
                int size = Math.min(100, bytes.length - at);
                String text = new String(bytes, at, size, StandardCharsets.ISO_8859_1);
                StringValue.writeString(text, out);
            }
            return;
        }
        if (style == Style.LONGS) {
            for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
                out.writeLong(ByteBuffer.wrap(bytes).getLong(at));
            }
        }
        for (; at < bytes.length; at++) {
            out.writeByte(bytes[at]);
        }
    }

    @Override
    public void read(DataInputView in) {
        throw new UnsupportedOperationException();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.Wire;

/** Flink's string methods on a stream of the test's own, and how they ended. */
final class StreamUse {

    private static final String MEMORY = "org.apache.flink.core.memory.";

    private StreamUse() {}

    /** What puts a text into a stream, through {@code DataOutputViewStreamWrapper}. */
    enum Writer {
        WRITE_STRING {
            @Override
            void put(FlinkClasses flink, String text, Object out) throws IOException {
                flink.writeString(text, (DataOutput) out);
            }
        },
        COPY_STRING {
            @Override
            void put(FlinkClasses flink, String text, Object out) throws IOException {
                byte[] bytes = Wire.encoded(text);
                flink.copyString(flink.newInput(bytes, 0, bytes.length), (DataOutput) out);
            }
        },
        COPY_STRING_OF_STREAM {
            @Override
            void put(FlinkClasses flink, String text, Object out) throws IOException {
                byte[] bytes = Wire.encoded(text);
                ByteSource source = new ByteSource(Integer.MAX_VALUE);
                source.open(bytes, 0, bytes.length);
                flink.copyString((DataInput) input(flink, source), (DataOutput) out);
            }
        };

        abstract void put(FlinkClasses flink, String text, Object out) throws IOException;

        /** The bytes that it puts there. */
        byte[] encoded(String text) {
            return Wire.encoded(text);
        }

        /** What it throws, or null. */
        Throwable failure(FlinkClasses flink, String text, OutputStream stream) {
            try {
                put(flink, text, flink.create(MEMORY + "DataOutputViewStreamWrapper", stream));
                return null;
            } catch (IOException | RuntimeException e) {
                return e;
            }
        }
    }

    /** What takes a text from a stream, through {@code DataInputViewStreamWrapper}. */
    enum Reader {
        READ_STRING {
            @Override
            Object take(FlinkClasses flink, Object in) throws IOException {
                return flink.readString((DataInput) in);
            }
        },
        COPY_STRING {
            @Override
            Object take(FlinkClasses flink, Object in) throws IOException {
                DataOutput out = flink.newOutput(8);
                flink.copyString((DataInput) in, out);
                return Wire.hex((byte[]) flink.invoke(out, "getCopyOfBuffer"));
            }
        };

        abstract Object take(FlinkClasses flink, Object in) throws IOException;

        /** The bytes that it takes. */
        byte[] encoded(String text) {
            return Wire.encoded(text);
        }

        /** What it gives, as text, or what it throws. */
        Object outcome(FlinkClasses flink, InputStream stream) {
            try {
                return Objects.toString(take(flink, input(flink, stream)));
            } catch (IOException | RuntimeException e) {
                return e;
            }
        }
    }

    /** A {@code DataInputViewStreamWrapper} of one side. */
    static Object input(FlinkClasses flink, InputStream stream) {
        return flink.create(MEMORY + "DataInputViewStreamWrapper", stream);
    }
}

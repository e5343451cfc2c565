// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.Output;
import org.apache.flink.boost.strings.Wire;

/** Flink's string methods on a stream of the test's own, and how they ended. */
final class StreamUse {

    private StreamUse() {}

    /** What puts a text into a stream, through {@code DataOutputViewStreamWrapper}. */
    enum Writer {
        WRITE_STRING {
            @Override
            void put(Codec codec, String text) throws IOException {
                codec.writeString(text);
            }
        },
        COPY_STRING {
            @Override
            void put(Codec codec, String text) throws IOException {
                byte[] bytes = Wire.encoded(text);
                codec.open(Input.DESERIALIZER, bytes, 0, bytes.length);
                codec.copyString();
            }
        },
        COPY_STRING_OF_STREAM {
            @Override
            void put(Codec codec, String text) throws IOException {
                byte[] bytes = Wire.encoded(text);
                codec.open(Input.STREAM, bytes, 0, bytes.length);
                codec.copyString();
            }
        };

        abstract void put(Codec codec, String text) throws IOException;

        /** The bytes that it puts there. */
        byte[] encoded(String text) {
            return Wire.encoded(text);
        }

        /** What it throws, or null. */
        Throwable failure(Codec codec, String text, OutputStream stream) {
            codec.openStream(stream);
            try {
                put(codec, text);
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
            Object take(Codec codec) throws IOException {
                return codec.readString();
            }
        },
        COPY_STRING {
            @Override
            Object take(Codec codec) throws IOException {
                codec.open(Output.SERIALIZER, 8);
                codec.copyString();
                return Wire.hex(Arrays.copyOf(codec.written(), codec.writtenLength()));
            }
        };

        abstract Object take(Codec codec) throws IOException;

        /** The bytes that it takes. */
        byte[] encoded(String text) {
            return Wire.encoded(text);
        }

        /** What it gives, as text, or what it throws. */
        Object outcome(Codec codec, InputStream stream) {
            codec.openStream(stream);
            try {
                return Objects.toString(take(codec));
            } catch (IOException | RuntimeException e) {
                return e;
            }
        }
    }
}

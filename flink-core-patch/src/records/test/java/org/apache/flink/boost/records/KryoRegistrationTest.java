// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.InputChunked;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.io.OutputChunked;
import com.esotericsoftware.kryo.serializers.CompatibleFieldSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import com.esotericsoftware.kryo.serializers.TaggedFieldSerializer;
import com.esotericsoftware.kryo.serializers.TaggedFieldSerializer.Tag;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Kryo's serializers as jobs register them, and such as put streams around the input. */
class KryoRegistrationTest {

    /** What is written; public, because Kryo 2 may make it from another class loader. */
    public static final class Content implements Serializable {
        private static final long serialVersionUID = 1L;

        @Tag(1)
        int number;

        @Tag(2)
        String text;

        @Tag(3)
        Object any;

        @Tag(4)
        byte[] bytes;
    }

    /** A serializer of a user's. */
    public abstract static class OwnSerializer extends InputSerializer<Content>
            implements Serializable {

        private static final long serialVersionUID = 1L;

        abstract void put(Kryo kryo, Output output, Content content) throws IOException;

        abstract void take(Kryo kryo, Input input, Content content)
                throws IOException, ClassNotFoundException;

        @Override
        public final void write(Kryo kryo, Output output, Content content) {
            try {
                put(kryo, output, content);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        final Content read(Kryo kryo, Input input) {
            Content content = new Content();
            kryo.reference(content);
            try {
                take(kryo, input, content);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
            return content;
        }
    }

    /** A length and bytes, as for Protobuf and Thrift. */
    public static final class BytesSerializer extends OwnSerializer {

        private static final long serialVersionUID = 1L;

        @Override
        void put(Kryo kryo, Output output, Content content) {
            output.writeInt(content.bytes.length, true);
            output.writeBytes(content.bytes);
            output.writeString(content.text);
        }

        @Override
        void take(Kryo kryo, Input input, Content content) {
            content.bytes = new byte[input.readInt(true)];
            input.readBytes(content.bytes);
            content.text = input.readString();
        }
    }

    /** By Kryo again, in the middle. */
    public static final class NestingSerializer extends OwnSerializer {

        private static final long serialVersionUID = 1L;

        @Override
        void put(Kryo kryo, Output output, Content content) {
            output.writeInt(content.number);
            kryo.writeClassAndObject(output, content.any);
            kryo.writeObjectOrNull(output, content.text, String.class);
            output.writeVarLong(content.number, false);
        }

        @Override
        void take(Kryo kryo, Input input, Content content) {
            content.number = input.readInt();
            content.any = kryo.readClassAndObject(input);
            content.text = kryo.readObjectOrNull(input, String.class);
            content.number += (int) input.readVarLong(false);
        }
    }

    /** By streams of Java's. */
    public static final class StreamSerializer extends OwnSerializer {

        private static final long serialVersionUID = 1L;

        @Override
        void put(Kryo kryo, Output output, Content content) throws IOException {
            output.writeInt(content.number);
            DataOutputStream data = new DataOutputStream(output);
            data.writeUTF(content.text);
            data.writeInt(content.number);
            ObjectOutputStream objects = new ObjectOutputStream(output);
            objects.writeObject(content.bytes);
            objects.flush();
            output.writeInt(content.number);
        }

        @Override
        void take(Kryo kryo, Input input, Content content)
                throws IOException, ClassNotFoundException {
            content.number = input.readInt();
            DataInputStream data = new DataInputStream(input);
            content.text = data.readUTF();
            content.number += data.readInt();
            content.bytes = (byte[]) new ObjectInputStream(input).readObject();
            content.number += input.readInt();
        }
    }

    /** By chunks, and by an input around the input. */
    public static final class ChunkSerializer extends OwnSerializer {

        private static final long serialVersionUID = 1L;

        @Override
        void put(Kryo kryo, Output output, Content content) {
            OutputChunked chunks = new OutputChunked(output, 50);
            chunks.writeString(content.text);
            chunks.writeInt(content.number);
            chunks.writeInt(1);
            KryoVersion.end(chunks);
            output.writeLong(content.number);
            output.writeByte(0);
        }

        @Override
        void take(Kryo kryo, Input input, Content content) {
            InputChunked chunks = new InputChunked(input, 50);
            content.text = chunks.readString();
            content.number = chunks.readInts(2)[0];
            KryoVersion.next(chunks);
            content.number += (int) new Input(input, 8).readLong();
            content.number += input.readByte();
        }
    }

    private static Content content(Random random) {
        Content content = new Content();
        content.number = random.nextInt();
        content.text = random.nextBoolean() ? "ab\u20ac" : "x".repeat(random.nextInt(500));
        content.any = random.nextBoolean() ? new Content() : random.nextLong();
        content.bytes = new byte[random.nextInt(400)];
        random.nextBytes(content.bytes);
        return content;
    }

    static Stream<Class<?>> serializers() {
        Class<?>[] ofAll = {
            BytesSerializer.class,
            NestingSerializer.class,
            StreamSerializer.class,
            ChunkSerializer.class,
            CompatibleFieldSerializer.class,
            TaggedFieldSerializer.class,
            JavaSerializer.class,
            org.apache.flink.api.java.typeutils.runtime.kryo.JavaSerializer.class
        };
        return Stream.concat(Stream.of(ofAll), Stream.of(KryoVersion.SERIALIZERS));
    }

    @ParameterizedTest
    @MethodSource("serializers")
    @SuppressWarnings("unchecked")
    void aRegisteredSerializerReadsAsByStock(Class<?> serializer) throws Exception {
        Class<? extends Serializer<?>> type = (Class<? extends Serializer<?>>) serializer;
        assertRead(config -> config.registerTypeWithKryoSerializer(Content.class, type));
        assertRead(config -> config.addDefaultKryoSerializer(Content.class, type));
        Object instance =
                OwnSerializer.class.isAssignableFrom(type)
                        ? type.getConstructor().newInstance()
                        : new BytesSerializer();
        assertRead(config -> config.addDefaultKryoSerializer(Content.class, own(instance)));
        assertRead(config -> config.registerTypeWithKryoSerializer(Content.class, own(instance)));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Serializer<?> & Serializable> T own(Object serializer) {
        return (T) serializer;
    }

    private static void assertRead(Consumer<SerializerConfigImpl> registration) throws IOException {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.registerKryoType(int[].class);
        registration.accept(config);
        KryoPair pair = new KryoPair(Content.class, config);
        KryoPair writer = new KryoPair(Content.class, config);
        Random random = new Random();
        DataOutputSerializer out = new DataOutputSerializer(64);
        for (int i = 0; i < 30; i++) {
            writer.stock.serialize(content(random), out);
        }
        byte[] bytes = out.getCopyOfBuffer();
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        for (int i = 0; i < 30; i++) {
            String expected = text(writer, pair.stock::deserialize, stock);
            assertThat(expected).startsWith("[");
            assertThat(text(writer, pair.ours::deserialize, ours)).isEqualTo(expected);
            assertThat(ours.available()).isEqualTo(stock.available());
        }
        assertThat(ours.available()).isZero();
    }

    private static String text(
            KryoPair writer, KryoPair.Reading reading, DataInputDeserializer in) {
        return Outcome.of(() -> Arrays.toString(writer.bytes(reading.read(in))));
    }
}

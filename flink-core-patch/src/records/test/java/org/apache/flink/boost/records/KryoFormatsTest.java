// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.ListValue;
import com.google.protobuf.StructProto;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.twitter.chill.protobuf.ProtobufSerializer;
import com.twitter.chill.thrift.TBaseSerializer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages of Thrift and Protobuf, which Kryo moves by the serializers that Flink's pages name. */
class KryoFormatsTest {

    private static final int MESSAGES = 40;

    /** Messages of one class, and how Flink is told of it. */
    private enum Format {
        THRIFT(KryoThriftStruct.class) {
            @Override
            void register(SerializerConfigImpl config) {
                config.registerTypeWithKryoSerializer(type, TBaseSerializer.class);
            }

            @Override
            Object message(Random random) {
                return new KryoThriftStruct(
                        random.nextInt(4) == 0 ? null : random.nextLong(),
                        random.nextInt(4) == 0 ? null : text(random));
            }
        },
        PROTOBUF(Any.class) {
            @Override
            void register(SerializerConfigImpl config) {
                config.addDefaultKryoSerializer(
                        com.google.protobuf.Message.class, ProtobufSerializer.class);
            }

            @Override
            Object message(Random random) {
                Timestamp time = Timestamp.newBuilder().setSeconds(random.nextInt()).build();
                return Any.newBuilder()
                        .setTypeUrl(text(random))
                        .setValue(time.toByteString())
                        .build();
            }
        },
        NESTED_PROTOBUF(FileDescriptorProto.class) {
            @Override
            void register(SerializerConfigImpl config) {
                config.registerTypeWithKryoSerializer(type, ProtobufSerializer.class);
            }

            @Override
            Object message(Random random) {
                return StructProto.getDescriptor().toProto().toBuilder()
                        .setName(text(random))
                        .build();
            }
        },
        PROTOBUF_OF_KRYO(Object[].class) {
            @Override
            void register(SerializerConfigImpl config) {
                config.registerTypeWithKryoSerializer(ListValue.class, ProtobufSerializer.class);
            }

            @Override
            Object message(Random random) {
                Value value = Value.newBuilder().setStringValue(text(random)).build();
                ListValue list = ListValue.newBuilder().addValues(value).addValues(value).build();
                return new Object[] {random.nextLong(), list, null, list};
            }
        };

        final Class<?> type;

        Format(Class<?> type) {
            this.type = type;
        }

        abstract void register(SerializerConfigImpl config);

        abstract Object message(Random random);

        private static String text(Random random) {
            return "\u00e9t\u20ac".repeat(random.nextInt(5) == 0 ? 300 : random.nextInt(9));
        }

        KryoPair pair() {
            SerializerConfigImpl config = new SerializerConfigImpl();
            register(config);
            return new KryoPair(type, config);
        }
    }

    static Stream<Format> formats() {
        return Stream.of(Format.values());
    }

    private static List<Object> messages(Format format) {
        Random random = new Random();
        return Stream.generate(() -> format.message(random))
                .limit(MESSAGES)
                .collect(Collectors.toList());
    }

    private static byte[] row(TypeSerializer<Object> serializer, List<Object> messages)
            throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(1);
        for (Object each : messages) {
            serializer.serialize(each, out);
        }
        return out.getCopyOfBuffer();
    }

    /** Equal bytes are equal graphs: an object that is there twice is written as a reference. */
    private static String read(
            Format format, KryoPair.Reading reading, DataInputView in, Object message) {
        return Outcome.of(
                () -> {
                    Object read = reading.read(in);
                    boolean equal = Arrays.deepEquals(of(read), of(message));
                    return equal + Arrays.toString(format.pair().bytes(read));
                });
    }

    private static Object[] of(Object message) {
        return new Object[] {message};
    }

    private static void assertRead(
            Format format, KryoPair pair, DataInputView ours, DataInputView stock, Object message) {
        String expected = read(format, pair.stock::deserialize, stock, message);
        assertThat(expected).startsWith("true[");
        assertThat(read(format, pair.ours::deserialize, ours, message)).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void messagesInARowAreMovedAsByStock(Format format) throws Exception {
        KryoPair pair = format.pair();
        List<Object> messages = messages(format);
        byte[] bytes = row(pair.stock, messages);
        assertThat(row(pair.ours, messages)).isEqualTo(bytes);
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        for (Object each : messages) {
            assertRead(format, pair, ours, stock, each);
            assertThat(ours.available()).isEqualTo(stock.available());
            assertThat(format.pair().bytes(pair.ours.copy(each)))
                    .isEqualTo(format.pair().bytes(pair.stock.copy(each)));
        }
        assertThat(ours.available()).isZero();
        assertThat(pair.insides().boostInput() instanceof LookAheadInput)
                .isEqualTo(Families.RECORDS);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void messagesOfTheNetworkAreReadAsByStock(Format format) throws Exception {
        KryoPair pair = format.pair();
        List<Object> messages = messages(format);
        byte[] bytes = row(pair.stock, messages);
        MemorySegment segment = MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length);
        segment.put(0, bytes);
        DataInputView ours = RecordPatchesTest.networkView(segment, 0, bytes.length);
        DataInputView stock = RecordPatchesTest.networkView(segment, 0, bytes.length);
        for (Object each : messages) {
            assertRead(format, pair, ours, stock, each);
            assertThat(((SegmentInput) ours).boostPosition())
                    .isEqualTo(((SegmentInput) stock).boostPosition());
        }
    }

    /** Cut off at any byte, and with any byte another one. */
    @ParameterizedTest
    @MethodSource("formats")
    void damagedMessagesEndAsByStock(Format format) throws Exception {
        Object message = format.message(new Random(5));
        byte[] bytes = format.pair().bytes(message);
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertEnd(format, Arrays.copyOf(bytes, i), message);
            assertEnd(format, changed, message);
        }
    }

    private static void assertEnd(Format format, byte[] bytes, Object message) {
        KryoPair pair = format.pair();
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        String expected = read(format, pair.stock::deserialize, stock, message);
        assertThat(read(format, pair.ours::deserialize, ours, message)).isEqualTo(expected);
        assertThat(ours.available()).isEqualTo(stock.available());
    }
}

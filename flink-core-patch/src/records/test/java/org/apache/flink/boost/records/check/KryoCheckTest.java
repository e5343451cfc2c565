// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.strings.ForkedJvm;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.junit.jupiter.api.Test;

/** What Kryo reads for a check is not read by the input that is to be checked. */
class KryoCheckTest {

    @Test
    void stocksRunsReadByStocksInput() throws Exception {
        // Kryo 2 looks into the JDK's lists.
        List<String> options =
                List.of(
                        "-Dflink.boost.records=check",
                        "--add-opens=java.base/java.util=ALL-UNNAMED");
        ForkedJvm.Result checked = ForkedJvm.run(options, KryoCheckProbe.class);
        assertThat(checked.answers())
                .as(checked.output)
                .containsExactly(
                        "[one, null, three] by LookAheadInput",
                        "[one, null, three] by NoFetchingInput",
                        "[one, null, three] by LookAheadInput",
                        "[one, null, three] by NoFetchingInput",
                        "left 0");
    }

    private static final String[] RECORD = {"one", null, "three"};

    /** What an input reads that mixes up texts. */
    private static class Spoiled extends RecordAccess {

        private final TypeSerializer<Object> serializer;

        Spoiled(TypeSerializer<Object> serializer) {
            this.serializer = serializer;
        }

        @Override
        public Object copy(Object from) {
            return TO_STOCK;
        }

        @Override
        public boolean serialize(Object value, DataOutputView out) {
            return false;
        }

        @Override
        public Object deserialize(DataInputView in) throws IOException {
            String[] read = (String[]) serializer.deserialize(in);
            read[0] = "other";
            return read;
        }
    }

    @Test
    void whatIsReadOtherwiseIsToldAndReadByStock() throws IOException {
        TypeSerializer<Object> serializer = serializer();
        CheckedSerializer.Log log = new CheckedSerializer.Log();
        RecordAccess checked =
                new CheckedAccess(
                        new Spoiled(serializer),
                        serializer,
                        RecordLayout.ofKryo(String[].class),
                        log.classes);
        byte[] bytes = CheckedSerializer.bytes(serializer, RECORD);
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        assertThat(checked.deserialize(in)).isEqualTo(RECORD);
        assertThat(in.available()).isZero();
        assertThat(log.lines)
                .singleElement()
                .asString()
                .startsWith("error")
                .contains("read [Ljava.lang.String; (Kryo) as Flink does");
        assertThat(log.classes.getDiffering()).isOne();
    }

    @Test
    void whatIsReadAsByStockIsCounted() throws IOException {
        TypeSerializer<Object> serializer = serializer();
        CheckedSerializer.Log log = new CheckedSerializer.Log();
        Spoiled right =
                new Spoiled(serializer) {
                    @Override
                    public Object deserialize(DataInputView in) throws IOException {
                        return serializer.deserialize(in);
                    }
                };
        RecordAccess checked =
                new CheckedAccess(
                        right, serializer, RecordLayout.ofKryo(String[].class), log.classes);
        byte[] bytes = CheckedSerializer.bytes(serializer, RECORD);
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        assertThat(checked.deserialize(in)).isEqualTo(RECORD);
        assertThat(in.available()).isZero();
        assertThat(log.classes.getChecked())
                .containsExactly("checked 1 records of [Ljava.lang.String; (Kryo): equal");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static TypeSerializer<Object> serializer() {
        return new KryoSerializer(String[].class, new SerializerConfigImpl());
    }
}

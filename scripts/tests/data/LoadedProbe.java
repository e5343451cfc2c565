// SPDX-License-Identifier: Apache-2.0

import java.security.CodeSource;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;

/**
 * Does what it is told, as a program that loads Flink's jars itself: {@code records} writes, reads
 * and copies one, before anything else of Flink is used; {@code start} asks for file systems, as each of Flink's own processes does first, {@code strings} writes and reads one, {@code
 * input} only makes a view, and {@code all} loads each class that is named behind it.
 */
final class LoadedProbe {

    /** A POJO. */
    public static class Part {
        public int number = 7;
        public String name = "größer 漢";

        @Override
        public String toString() {
            return name + number;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> words = Arrays.asList(arguments);
        try {
            if (words.contains("records")) {
                source(PojoSerializer.class);
                TypeSerializer<Part> serializer =
                        TypeInformation.of(Part.class).createSerializer(new SerializerConfigImpl());
                DataOutputSerializer out = new DataOutputSerializer(64);
                serializer.serialize(new Part(), out);
                byte[] bytes = out.getCopyOfBuffer();
                Part read = serializer.deserialize(new DataInputDeserializer(bytes));
                System.out.println("bytes=" + Arrays.toString(bytes));
                System.out.println("copy=" + serializer.copy(read));
            }
            if (words.contains("start")) {
                FileSystem.initialize(new Configuration(), null);
            }
            if (words.contains("strings")) {
                DataOutputSerializer out = new DataOutputSerializer(64);
                StringValue.writeString("größer 漢", out);
                byte[] bytes = out.getCopyOfBuffer();
                String text = StringValue.readString(new DataInputDeserializer(bytes));
                System.out.println("read=" + text.equals("größer 漢"));
                source(StringValue.class);
                source(DataOutputSerializer.class);
            }
            if (words.contains("input")) {
                source(new DataInputDeserializer(new byte[1]).getClass());
            }
            for (String name : words.subList(words.indexOf("all") + 1, words.size())) {
                if (words.contains("all")) {
                    source(Class.forName(name));
                }
            }
        } catch (Error e) {
            System.out.println("error=" + e);
        }
    }

    private static void source(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        System.out.println(type.getSimpleName() + "=" + source.getLocation().getPath());
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.woven.HandOver;
import org.apache.flink.boost.woven.StringValuePatch;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of Flink's views comes from a jar in front of ours, as shading leaves it behind in
 * connectors: our methods leave it to stock's. (Flink's own processes refuse such a class path;
 * other programs run with our code switched off.)
 */
class PartlyShadowedTest {

    private static final String OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer";
    private static final String INPUT = "org.apache.flink.core.memory.DataInputDeserializer";
    private static final String TEXT = "long enough for a chunk: \u00e9\u6f22";

    @TempDir private Path front;

    @Test
    void leavesAnOutputThatIsNotPatchedToStock() throws Exception {
        try (URLClassLoader loader = shadowing(OUTPUT)) {
            Class<?> patch = loader.loadClass(StringValuePatch.class.getName());
            Method write = patch.getMethod("writeString", CharSequence.class, DataOutput.class);
            Object shadowed = loader.loadClass(OUTPUT).getConstructor(int.class).newInstance(64);

            assertThat(write.invoke(null, TEXT, shadowed)).isEqualTo(false);
            // The others are not affected, and with our class in front nothing is left to stock.
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            assertThat(write.invoke(null, TEXT, new DataOutputStream(bytes))).isEqualTo(true);
            assertThat(bytes.toByteArray()).isEqualTo(Wire.encoded(TEXT));
            assertThat(StringValuePatch.writeString(TEXT, new DataOutputSerializer(64))).isTrue();
        }
    }

    @Test
    void leavesAnInputThatIsNotPatchedToStock() throws Exception {
        byte[] value = Wire.encoded(TEXT);
        try (URLClassLoader loader = shadowing(INPUT)) {
            Class<?> patch = loader.loadClass(StringValuePatch.class.getName());
            Method read = patch.getMethod("readString", DataInput.class);
            Object shadowed =
                    loader.loadClass(INPUT).getConstructor(byte[].class).newInstance(value);

            Class<?> handOver = loader.loadClass(HandOver.class.getName());
            Object toStock = handOver.getField("TO_STOCK").get(null);
            assertThat(read.invoke(null, shadowed)).isSameAs(toStock);
            DataInputStream stream = new DataInputStream(new java.io.ByteArrayInputStream(value));
            assertThat(read.invoke(null, stream)).isEqualTo(TEXT);
        }
    }

    @Test
    void flinkWritesAndReadsOnItsWay() throws Exception {
        for (String shadowed : new String[] {OUTPUT, INPUT}) {
            try (URLClassLoader loader = shadowing(shadowed)) {
                Class<?> value = loader.loadClass("org.apache.flink.types.StringValue");
                DataOutput out =
                        (DataOutput)
                                loader.loadClass(OUTPUT).getConstructor(int.class).newInstance(64);
                value.getMethod("writeString", CharSequence.class, DataOutput.class)
                        .invoke(null, TEXT, out);
                byte[] bytes = (byte[]) out.getClass().getMethod("getCopyOfBuffer").invoke(out);
                assertThat(bytes).isEqualTo(Wire.encoded(TEXT));
                Object in = loader.loadClass(INPUT).getConstructor(byte[].class).newInstance(bytes);
                assertThat(value.getMethod("readString", DataInput.class).invoke(null, in))
                        .isEqualTo(TEXT);
            }
        }
    }

    /** The class path of this test behind a folder with stock's class. */
    private URLClassLoader shadowing(String className) throws IOException {
        String file = className.replace('.', '/') + ".class";
        Path target = front.resolve(className).resolve(file);
        if (!Files.exists(target)) {
            Files.createDirectories(target.getParent());
            try (InputStream stock =
                    Sides.stockType(className).getClassLoader().getResourceAsStream(file)) {
                Files.copy(stock, target);
            }
        }
        List<URL> urls = new ArrayList<>();
        urls.add(front.resolve(className).toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(new File(entry).toURI().toURL());
        }
        return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }
}

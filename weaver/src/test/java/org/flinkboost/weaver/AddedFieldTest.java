// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.flinkboost.weaver.Invocation.call;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields that a patch gives to its target. */
class AddedFieldTest {

    private static final String GAUGE =
            """
            package acme;

            public class Gauge implements java.io.Serializable, Cloneable {
                private static final long serialVersionUID = 42L;
                private int level = 3;

                public static void note(int n) {}

                public Object copy() throws CloneNotSupportedException {
                    return clone();
                }
            }
            """;

    private static final String BOTH =
            "@Adds(\"cache\") Object boostCache(); @Adds(\"cache\") void boostCache(Object cache);";

    @TempDir Path folder;
    private Acme acme;

    @BeforeEach
    void product() throws IOException {
        acme = new Acme(folder, 8).stock(GAUGE);
    }

    private static Object gauge(ClassLoader loader) throws Exception {
        return loader.loadClass("acme.Gauge").getConstructor().newInstance();
    }

    private static byte[] written(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes, ClassLoader loader) throws Exception {
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes)) {
                    @Override
                    protected Class<?> resolveClass(ObjectStreamClass type)
                            throws ClassNotFoundException {
                        return Class.forName(type.getName(), false, loader);
                    }
                }) {
            return in.readObject();
        }
    }

    @Test
    void valuesAreKeptPerObject() throws Exception {
        acme.patch(
                        Acme.accessing(
                                BOTH,
                                "@Adds(\"count\") long boostCount();",
                                "@Adds(\"count\") void boostCount(long count);"))
                .weave()
                .succeeds();
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object first = gauge(loader);
            Object second = gauge(loader);
            assertThat(call(first, "boostCache")).isNull();
            call(first, "boostCache", "kept");
            call(first, "boostCount", 1L << 40);
            assertThat(call(first, "boostCache")).isEqualTo("kept");
            assertThat(call(first, "boostCount")).isEqualTo(1L << 40);
            assertThat(call(second, "boostCache")).isNull();
            assertThat(call(second, "boostCount")).isEqualTo(0L);
            assertThat(call(call(first, "copy"), "boostCache")).isEqualTo("kept");
        }
    }

    /** No serializer that walks over fields takes it, Java's own included. */
    @Test
    void fieldIsPrivateTransientAndSynthetic() throws Exception {
        acme.patch(Acme.accessing(BOTH)).weave().succeeds();
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Field field = loader.loadClass("acme.Gauge").getDeclaredField("cache");
            assertThat(field.getModifiers() & ~0x1000)
                    .isEqualTo(Modifier.PRIVATE | Modifier.TRANSIENT);
            assertThat(field.isSynthetic()).isTrue();
            assertThat(field.getType()).isEqualTo(Object.class);
        }
    }

    @Test
    void javaObjectsGoBothWaysWithoutIt() throws Exception {
        acme.patch(Acme.accessing(BOTH)).weave().succeeds();
        try (URLClassLoader stock = acme.stockLoader();
                URLClassLoader woven = acme.wovenLoader(true)) {
            Object gauge = gauge(woven);
            call(gauge, "boostCache", "kept");
            byte[] bytes = written(gauge);
            assertThat(bytes).isEqualTo(written(gauge(stock)));
            assertThat(call(read(bytes, woven), "boostCache")).isNull();
            assertThat(read(bytes, stock).getClass().getClassLoader()).isSameAs(stock);
        }
    }

    /** Control: with a computed version the new field would make stock's objects unreadable. */
    @Test
    void serializableClassWithoutDeclaredVersionIsRefused() throws IOException {
        acme.stock(GAUGE.replace("serialVersionUID", "other")).patch(Acme.accessing(BOTH));
        acme.isRefusedWith("acme.Gauge is Serializable", "found none");
    }

    @Test
    void fieldThatStockHasIsRefused() throws IOException {
        acme.patch(Acme.accessing(BOTH.replace("\"cache\"", "\"level\"")))
                .isRefusedWith(
                        "cannot add a field to acme.Gauge: expected none of that name, found"
                                + " private int acme.Gauge.level");
    }

    @Test
    void fieldOfTwoInterfacesIsRefused() throws IOException {
        String other = BOTH.replace("boostCache", "boostOther");
        acme.patch(
                        Acme.accessing(BOTH),
                        Acme.accessing(other).replace("GaugeAccess", "SecondAccess"))
                .isRefusedWith("adds the field cache", "by one interface, found two");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "@Adds(\"cache\") Object boostCache();",
                "@Adds(\"cache\") void boostCache(Object cache);",
                "@Adds(\"cache\") Object boostCache(); @Adds(\"cache\") void boostCache(String c);",
                "@Adds(\"cache\") Object boostCache(); @Adds(\"cache\") Object boostSecond();",
                "@Adds(\"cache\") Object boostCache(); @Adds(\"cash\") void boostCache(Object c);",
            })
    void fieldWithoutGetterAndSetterIsRefused(String members) throws IOException {
        acme.patch(Acme.accessing(members))
                .isRefusedWith("adds the field ", "expected one getter and one setter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"void boostCache();", "int boostCache(int by);"})
    void methodThatIsNeitherGetterNorSetterIsRefused(String method) throws IOException {
        acme.patch(Acme.accessing("@Adds(\"cache\") " + method))
                .isRefusedWith("adds a field: expected a getter or a setter");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.flinkboost.weaver.line.Checksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What a woven class file keeps of the original and what it gains. */
@ParameterizedClass(name = "release {0}")
@ValueSource(ints = {8, 11})
class WovenClassFileTest {

    private static final int SYNTHETIC = 0x1000;

    private static final String GAUGE =
            """
            package acme;

            public class Gauge implements java.io.Serializable, java.util.function.Supplier<String> {
                private static final long serialVersionUID = 42L;
                private int level = 3;

                public static synchronized void set(Gauge gauge, long level) {
                    gauge.level = (int) level;
                }

                public static void set(Gauge gauge, int level) {
                    gauge.level = level;
                }

                protected final String name(double ignored) {
                    return level > 5 ? "high" : "low";
                }

                @Override
                public String get() {
                    return name(0) + level;
                }
            }
            """;

    private static final String PATCH =
            Acme.replacing(
                    "@Replaces public static boolean set(Gauge gauge, long level) {",
                    "    return level == 0;",
                    "}",
                    "@Replaces",
                    "public static Object name(GaugeAccess gauge, double ignored) {",
                    "    return HandOver.TO_STOCK;",
                    "}");

    private static final String ACCESS = Acme.accessing("@Reads(\"level\") int boostLevel();");

    @TempDir static Path folder;
    private static Acme acme;

    @Parameter int release;

    @BeforeParameterizedClassInvocation
    static void weave(int release) throws IOException {
        acme = new Acme(folder.resolve("release-" + release), release).stock(GAUGE);
        acme.patch(PATCH, ACCESS, Acme.HAND_OVER).weave().succeeds();
    }

    @Test
    void versionIsThatOfTheOriginal() throws IOException {
        int classFileVersion = 44 + release;
        assertThat(version(Files.readAllBytes(classFile("stock")))).isEqualTo(classFileVersion);
        assertThat(version(Files.readAllBytes(classFile("woven")))).isEqualTo(classFileVersion);
    }

    @Test
    void sameInputGivesTheSameBytes() throws IOException {
        Path again = acme.root.resolve("again");
        acme.weaveInto(again).succeeds();
        Map<String, byte[]> first = Acme.files(acme.out());
        assertThat(first).isNotEmpty();
        assertThat(Acme.files(again)).containsExactlyEntriesOf(first);
    }

    @Test
    void outputHoldsOurClassesAsTheyAreTheWovenClassAndTheChecksum() throws IOException {
        Map<String, byte[]> expected = new TreeMap<>(Acme.files(acme.patches()));
        String stock = Checksum.of(classFile("stock"));
        expected.put("acme/Gauge.class", Files.readAllBytes(classFile("woven")));
        expected.put(
                "META-INF/flink-boost/woven/1.4.2/acme-boost.properties",
                ("acme.Gauge=" + stock + "\n").getBytes());
        expected.put(
                "META-INF/flink-boost/weave.properties",
                ("boost.version=0.2.0\nclass.acme.Gauge="
                                + stock
                                + "\nfamily.acme.Gauge=dials\nflink.version=1.4.2\n"
                                + "jar.acme.Gauge=acme\n")
                        .getBytes());
        assertThat(Acme.files(acme.out())).containsExactlyInAnyOrderEntriesOf(expected);
        assertThat(Checksum.of(classFile("woven"))).isNotEqualTo(stock);
    }

    @Test
    void aClassWithoutAnInitialiserCallsTheSwitchToo() throws Exception {
        try (URLClassLoader woven = acme.wovenLoader(true)) {
            Class.forName("acme.Gauge", true, woven);
            assertThat(woven.loadClass("acme.boost.guard.Families").getField("asked").get(null))
                    .isEqualTo("acme.Gauge ");
        }
    }

    @Test
    void stockBodiesStayAsPrivateMethodsWithTheFixedSuffix() throws Exception {
        try (URLClassLoader original = acme.stockLoader();
                URLClassLoader woven = acme.wovenLoader(true)) {
            Map<String, Integer> expected = methods(original);
            assertThat(expected).hasSize(4);
            // The method in front stays synchronized, so the body needs no lock of its own.
            expected.put(
                    "set$flinkBoostStock(acme.Gauge,long)", Modifier.PRIVATE | Modifier.STATIC);
            expected.put("name$flinkBoostStock(double)", Modifier.PRIVATE);
            expected.put("boostLevel()", Modifier.PUBLIC);
            assertThat(methods(woven)).containsExactlyInAnyOrderEntriesOf(expected);
        }
    }

    @Test
    void serialVersionUidStaysAndJavaObjectsGoBothWays() throws Exception {
        try (URLClassLoader original = acme.stockLoader();
                URLClassLoader woven = acme.wovenLoader(true)) {
            Class<?> type = woven.loadClass("acme.Gauge");
            assertThat(ObjectStreamClass.lookup(type).getSerialVersionUID()).isEqualTo(42L);
            byte[] written = serialized(original);
            assertThat(serialized(woven)).isEqualTo(written);
            assertThat(deserialized(written, woven)).isInstanceOf(type);
            assertThat(deserialized(written, woven).get()).isEqualTo("low3");
            assertThat(deserialized(written, original).get()).isEqualTo("low3");
        }
    }

    /** Verification happens while the class is linked; a broken frame would end here. */
    @Test
    void theVerifierOfTheVirtualMachineAcceptsIt() throws Exception {
        try (URLClassLoader woven = acme.wovenLoader(true)) {
            assertThatCode(() -> Class.forName("acme.Gauge", true, woven))
                    .doesNotThrowAnyException();
        }
    }

    /** The control of the test above: the same class with one wrong instruction is refused. */
    @Test
    void theVerifierRefusesABrokenClass() throws Exception {
        byte[] broken = withIntegersReturned(Files.readAllBytes(classFile("woven")));
        try (URLClassLoader woven = acme.wovenLoader(true)) {
            ClassLoader loader =
                    new ClassLoader(woven) {
                        @Override
                        public Class<?> loadClass(String name) throws ClassNotFoundException {
                            return name.equals("acme.Gauge")
                                    ? defineClass(name, broken, 0, broken.length)
                                    : super.loadClass(name);
                        }
                    };
            assertThatThrownBy(() -> Class.forName("acme.Gauge", true, loader))
                    .isInstanceOf(VerifyError.class);
        }
    }

    private static Path classFile(String folder) {
        return acme.root.resolve(folder).resolve("acme/Gauge.class");
    }

    private static int version(byte[] classFile) {
        return ByteBuffer.wrap(classFile).getShort(6);
    }

    /** Modifiers of the declared methods by name and parameters. */
    private static Map<String, Integer> methods(ClassLoader loader) throws Exception {
        return Arrays.stream(loader.loadClass("acme.Gauge").getDeclaredMethods())
                .filter(method -> !method.isBridge())
                .collect(
                        Collectors.toMap(
                                WovenClassFileTest::nameAndParameters,
                                method -> method.getModifiers() & ~SYNTHETIC));
    }

    private static String nameAndParameters(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getName)
                .collect(Collectors.joining(",", method.getName() + "(", ")"));
    }

    private static byte[] serialized(ClassLoader loader) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(loader.loadClass("acme.Gauge").getConstructor().newInstance());
        }
        return bytes.toByteArray();
    }

    private static Supplier<?> deserialized(byte[] bytes, ClassLoader loader) throws Exception {
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes)) {
                    @Override
                    protected Class<?> resolveClass(ObjectStreamClass type)
                            throws ClassNotFoundException {
                        return Class.forName(type.getName(), false, loader);
                    }
                }) {
            return (Supplier<?>) in.readObject();
        }
    }

    private static byte[] withIntegersReturned(byte[] classFile) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(classFile)
                .accept(
                        new ClassVisitor(Opcodes.ASM9, writer) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access,
                                    String name,
                                    String descriptor,
                                    String signature,
                                    String[] exceptions) {
                                return new MethodVisitor(
                                        Opcodes.ASM9,
                                        super.visitMethod(
                                                access, name, descriptor, signature, exceptions)) {
                                    @Override
                                    public void visitInsn(int opcode) {
                                        super.visitInsn(
                                                opcode == Opcodes.ARETURN
                                                        ? Opcodes.IRETURN
                                                        : opcode);
                                    }
                                };
                            }
                        },
                        0);
        return writer.toByteArray();
    }
}

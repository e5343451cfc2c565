// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.flinkboost.weaver.Invocation.call;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What an interface opens of the superclasses of its target, in their package and in another. */
@ParameterizedClass(name = "release {0}")
@ValueSource(ints = {8, 11})
class InheritedMembersTest {

    private static final String BASE =
            """
            package acme.far;

            public abstract class Base {
                protected int level = 3;
                public long total = 5;
                int near = 7;
                private int secret = 11;
                private String twice = "far";
                protected final String unit = "m";

                protected int raise(int by) {
                    return level += by;
                }

                protected int over() {
                    return 1;
                }

                private int hidden() {
                    return 2;
                }

                int beside() {
                    return 13;
                }

                public int secret() {
                    return secret;
                }
            }
            """;

    private static final String MIDDLE =
            """
            package acme;

            class Middle extends acme.far.Base {
                char sign = '+';

                @Override
                protected int over() {
                    return 10;
                }

                int calm() {
                    return level - 1;
                }

                int beside() {
                    return 17;
                }
            }
            """;

    /** Not public, as many of Flink's are: the patch never names it but in a string. */
    private static final String GAUGE =
            """
            package acme;

            final class Gauge extends Middle {
                private String twice = "near";

                public static Object make() {
                    return new Gauge();
                }

                @Override
                protected int over() {
                    return 100;
                }

                String describe(int n) {
                    return "stock " + n + twice;
                }

                public String shown(int n) {
                    return describe(n);
                }
            }
            """;

    private static final String FACTORY =
            """
            package acme;

            public class Gauges {
                public static String described(int n) {
                    return new Gauge().shown(n);
                }
            }
            """;

    private static final String OPENED =
            """
            @Reads("level") int boostLevel();
            @Writes("level") void boostLevel(int level);
            @Reads("total") long boostTotal();
            @Reads("sign") char boostSign();
            @Reads("unit") Object boostUnit();
            @Calls("raise") int boostRaise(int by);
            @Calls("over") int boostOver();
            @Calls("calm") int boostCalm();
            """;

    @TempDir Path folder;

    @Parameter int release;

    private Acme acme(String members, String... more) throws IOException {
        String[] patches = new String[more.length + 2];
        patches[0] =
                """
                package acme.boost;

                import org.flinkboost.weaver.patch.*;

                @Patches("acme.Gauge")
                public final class GaugePatch {
                    public interface Memory MORE {
                        MEMBERS
                    }

                    @Replaces
                    public static Object describe(Memory self, int n) {
                        return n == 0 ? HandOver.TO_STOCK : "ours";
                    }
                }
                """
                        .replace("MORE", more.length == 0 ? "" : "extends BaseMemory")
                        .replace("MEMBERS", members);
        patches[1] = Acme.HAND_OVER;
        System.arraycopy(more, 0, patches, 2, more.length);
        return new Acme(folder, release).stock(BASE, MIDDLE, GAUGE, FACTORY).patch(patches);
    }

    private static String baseMemory(String members) {
        return "package acme.boost; import org.flinkboost.weaver.patch.*;"
                + " @Patches(\"acme.far.Base\") public interface BaseMemory { "
                + members
                + " }";
    }

    private static Object gauge(ClassLoader loader) throws Exception {
        var constructor = loader.loadClass("acme.Gauge").getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** A method of the interface, because the class itself is not public. */
    private static Object asked(Object gauge, String name, Object... arguments) throws Exception {
        ClassLoader loader = gauge.getClass().getClassLoader();
        return Invocation.invoke(
                loader.loadClass("acme.boost.GaugePatch$Memory"), gauge, name, arguments);
    }

    @Test
    void inheritedMembersOfAClassThatIsNotPublicAreOpened() throws Exception {
        Acme acme = acme(OPENED);
        acme.weave().succeeds();
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object gauge = gauge(loader);
            assertThat(asked(gauge, "boostTotal")).isEqualTo(5L);
            assertThat(asked(gauge, "boostSign")).isEqualTo('+');
            assertThat(asked(gauge, "boostUnit")).isEqualTo("m");
            asked(gauge, "boostLevel", 20);
            assertThat(asked(gauge, "boostRaise", 2)).isEqualTo(22);
            assertThat(asked(gauge, "boostLevel")).isEqualTo(22);
            assertThat(asked(gauge, "boostOver")).isEqualTo(100);
            assertThat(asked(gauge, "boostCalm")).isEqualTo(21);
        }
    }

    @Test
    void theReceiverIsTheNestedInterface() throws Exception {
        Acme acme = acme(OPENED);
        acme.weave().succeeds();
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object factory = loader.loadClass("acme.Gauges").getConstructor().newInstance();
            assertThat(call(factory, "described", 1)).isEqualTo("ours");
            assertThat(call(factory, "described", 0)).isEqualTo("stock 0near");
        }
    }

    /** What the superclass's own patch opens is inherited as any method is. */
    @Test
    void privateMemberOfAPatchedSuperclassIsOpened() throws Exception {
        Acme acme =
                acme(
                        "@Reads(\"level\") int boostLevel();",
                        baseMemory("@Reads(\"secret\") int boostSecret();"));
        acme.weave().succeeds();
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(asked(gauge(loader), "boostSecret")).isEqualTo(11);
        }
    }

    @Test
    void privateMembersOfSuperclassesAreRefused() throws IOException {
        acme("@Reads(\"secret\") int boostSecret();")
                .isRefusedWith(
                        "acme.Gauge: private int acme.far.Base.secret for",
                        "boostSecret()int is not visible to it",
                        "open this one by an interface that patches the class that declares it");
        acme("@Calls(\"hidden\") int boostHidden();")
                .isRefusedWith("private int acme.far.Base.hidden() for", "is not visible to it");
    }

    @Test
    void membersThatAnotherPackageKeepsAreRefused() throws IOException {
        acme("@Writes(\"near\") void boostNear(int near);")
                .isRefusedWith("acme.Gauge: int acme.far.Base.near for", "is not visible to it");
    }

    @Test
    void twoFieldsOfOneNameAreRefused() throws IOException {
        acme("@Reads(\"twice\") String boostTwice();")
                .isRefusedWith(
                        "acme.Gauge: expected one instance field java.lang.String twice for",
                        "found 2: [private java.lang.String acme.Gauge.twice, private"
                                + " java.lang.String acme.far.Base.twice]");
    }

    /** It overrides the other one in its own package only. */
    @Test
    void twoMethodsOfOneNameAreRefused() throws IOException {
        acme("@Calls(\"beside\") int boostBeside();")
                .isRefusedWith(
                        "acme.Gauge: expected one instance method beside()int for",
                        "found 2: [int acme.Middle.beside(), int acme.far.Base.beside()]");
    }

    @Test
    void inheritedMembersAreNamedWhereNoneFits() throws IOException {
        acme("@Reads(\"height\") int boostHeight();")
                .isRefusedWith(
                        "acme.Gauge: expected instance field int height",
                        "found [instance java.lang.String twice, instance char acme.Middle.sign,"
                                + " instance int acme.far.Base.level,");
    }

    /** Code that asks the superclass by its interface would get what belongs to another field. */
    @Test
    void methodThatASuperclassIsGivenIsRefused() throws IOException {
        acme(
                        "@Reads(\"total\") long boostAny();",
                        baseMemory("@Reads(\"secret\") int boostSecret();"),
                        "package acme.boost; import org.flinkboost.weaver.patch.*;"
                                + " @Patches(\"acme.far.Base\") public interface Second {"
                                + " @Reads(\"near\") int boostAny(); }")
                .isRefusedWith(
                        "acme.boost.GaugePatch$Memory.boostAny()long cannot be implemented by"
                                + " acme.Gauge",
                        "found acme.boost.Second.boostAny()int");
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.flinkboost.weaver.Invocation.call;
import static org.flinkboost.weaver.Invocation.invoke;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Woven classes are loaded and run, with the switch on and off. */
@ParameterizedClass(name = "release {0}")
@ValueSource(ints = {8, 11})
class WovenBehaviourTest {

    private static final String GAUGE =
            """
            package acme;

            import java.io.IOException;
            import java.util.ArrayList;
            import java.util.Arrays;
            import java.util.List;

            public class Gauge {
                public static final Object ORIGIN = new StringBuilder("origin");
                private final String unit;
                private int level;
                private long total = 1L << 40;
                private double[] history = {0.5};

                public Gauge(String unit, int level) {
                    this.unit = unit;
                    this.level = level;
                }

                public static void note(List<Object> sink, long a, int b, double c, String d) {
                    sink.addAll(Arrays.asList("stock", a, b, c, d));
                }

                public static Number scale(long factor, Number value, double offset)
                        throws IOException {
                    if (value == null) {
                        throw new IOException("stock scale");
                    }
                    return factor * value.longValue() + offset;
                }

                public void raise(long by, double weight, List<Object> sink) {
                    sink.addAll(Arrays.asList("stock", level, by, weight));
                    level += by;
                }

                public Object peek(double at, long index, String name) {
                    return Arrays.asList("stock", level, at, index, name);
                }

                public int[] split(int n) {
                    return parts(n);
                }

                private static int[] parts(int n) {
                    Part part = n > 2 ? new Left() : new Right();
                    List<Integer> found = new ArrayList<>();
                    for (int i = 0; i < n; i++) {
                        try {
                            found.add(part.of(i));
                        } catch (IllegalArgumentException e) {
                            found.add(-1);
                        }
                    }
                    return found.stream().mapToInt(i -> i).toArray();
                }

                private long grow(long by, double factor, int places) {
                    history = Arrays.copyOf(history, history.length + places);
                    total += (long) (by * factor);
                    return total;
                }

                public List<Object> state() {
                    return Arrays.asList(unit, level, total, history.length);
                }

                abstract static class Part {
                    abstract int of(int i);
                }

                static class Left extends Part {
                    int of(int i) {
                        return i * 10;
                    }
                }

                static class Right extends Part {
                    int of(int i) {
                        if (i == 1) {
                            throw new IllegalArgumentException();
                        }
                        return i * 100;
                    }
                }
            }
            """;

    private static final String PATCH =
            """
            package acme.boost;

            import java.io.IOException;
            import java.math.BigInteger;
            import java.util.Arrays;
            import java.util.List;
            import org.flinkboost.weaver.patch.*;

            @Patches("acme.Gauge")
            public final class GaugePatch {
                @Replaces
                public static boolean note(List<Object> sink, long a, int b, double c, String d) {
                    if (d == null) {
                        return false;
                    }
                    if (d.equals("throw")) {
                        throw new IllegalStateException("ours note");
                    }
                    return sink.addAll(Arrays.asList("ours", a, b, c, d));
                }

                @Replaces
                public static Object scale(long factor, Number value, double offset)
                        throws IOException {
                    switch ((int) factor) {
                        case 1: return HandOver.TO_STOCK;
                        case 2: return new BigInteger("0");
                        case 5: return "no number";
                        case 3: return null;
                        case 4: throw new IOException("ours scale");
                        default: return Float.valueOf((float) (factor + offset));
                    }
                }

                @Replaces
                public static boolean raise(
                        GaugeAccess gauge, long by, double weight, List<Object> sink) {
                    if (by < 0) {
                        return false;
                    }
                    sink.addAll(Arrays.asList("ours", gauge.boostLevel(), by, weight));
                    gauge.boostLevel(gauge.boostLevel() + 1000);
                    return true;
                }

                public interface Seen {
                    @Calls("state") List<Object> boostState();
                }

                @Replaces
                public static Object peek(Seen gauge, double at, long index, String name) {
                    return name == null
                            ? HandOver.TO_STOCK
                            : Arrays.asList("ours", gauge.boostState(), at, index, name);
                }

                @Replaces
                public static Object parts(int n) {
                    return n == 7 ? new int[] {7} : HandOver.TO_STOCK;
                }
            }
            """;

    private static final String ACCESS =
            """
            package acme.boost;

            import org.flinkboost.weaver.patch.*;

            @Patches("acme.Gauge")
            public interface GaugeAccess extends Resettable {
                @Reads("unit") String boostUnit();
                @Reads("history") Object boostAnyHistory();
                @Reads("level") int boostLevel();
                @Writes("level") void boostLevel(int level);
                @Reads("total") long boostTotal();
                @Override @Writes("total") void boostTotal(long total);
                @Reads("history") double[] boostHistory();
                @Writes("history") void boostHistory(double[] history);
                @Calls("grow") long boostGrow(long by, double factor, int places);
            }
            """;

    /** Inherited: one method that the patch redeclares, one that stock has, one with a body. */
    private static final String RESETTABLE =
            """
            package acme.boost;

            public interface Resettable {
                void boostTotal(long total);
                java.util.List<Object> state();
                default void boostReset() {
                    boostTotal(0);
                }
            }
            """;

    @TempDir static Path folder;
    private static Acme acme;

    @Parameter int release;

    @BeforeParameterizedClassInvocation
    static void weave(int release) throws IOException {
        acme =
                new Acme(folder.resolve("release-" + release), release)
                        .stock(GAUGE)
                        .patch(PATCH, ACCESS, RESETTABLE, Acme.HAND_OVER);
        acme.weave().succeeds();
    }

    @Test
    void ourStaticVoidMethodRunsWithItsArguments() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(noted(loader, "x")).containsExactly("ours", Long.MIN_VALUE, -5, 2.5, "x");
        }
    }

    @Test
    void stockStaticVoidMethodRunsWhenOursReturnsFalse() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(noted(loader, null)).containsExactly("stock", Long.MIN_VALUE, -5, 2.5, null);
        }
    }

    @Test
    void ourStaticResultIsReturnedWithItsArguments() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(scaled(loader, 1L << 20, 6)).isEqualTo((1 << 20) + 0.5f);
        }
    }

    @Test
    void stockStaticResultIsReturnedForTheHandOverObject() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(scaled(loader, 1, 6)).isEqualTo(6.5);
        }
    }

    /** Hand-over goes by identity: an equal result and null are results. */
    @Test
    void resultsThatOnlyLookLikeHandOverAreReturned() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThat(scaled(loader, 2, 6)).isEqualTo(BigInteger.ZERO);
            assertThat(scaled(loader, 3, 6)).isNull();
        }
    }

    /** No compiler has seen what ours returns: it is checked where it is returned. */
    @Test
    void aResultOfAnotherTypeIsRefused() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThatThrownBy(() -> scaled(loader, 5, 6))
                    .isInstanceOf(ClassCastException.class)
                    .hasMessageContaining("java.lang.Number");
        }
    }

    @Test
    void ourInstanceMethodRunsWithReceiverAndArguments() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object gauge = gauge(loader);
            assertThat(raised(gauge, 5)).containsExactly("ours", 3, 5L, 0.25);
            assertThat(state(gauge)).containsExactly("bar", 1003, 1L << 40, 1);
            assertThat(call(gauge, "peek", 1.5, 1L << 33, "p"))
                    .isEqualTo(Arrays.asList("ours", state(gauge), 1.5, 1L << 33, "p"));
        }
    }

    @Test
    void stockInstanceMethodRunsWhenOursHandsOver() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object gauge = gauge(loader);
            assertThat(raised(gauge, -5)).containsExactly("stock", 3, -5L, 0.25);
            assertThat(state(gauge)).containsExactly("bar", -2, 1L << 40, 1);
            assertThat(call(gauge, "peek", 1.5, 1L << 33, null))
                    .isEqualTo(Arrays.asList("stock", -2, 1.5, 1L << 33, null));
        }
    }

    /** A private body with branches, a loop, a handler and merged types: its frames still fit. */
    @Test
    void privateStaticMethodIsReplacedAndItsStockBodyKept() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object gauge = gauge(loader);
            assertThat((int[]) call(gauge, "split", 7)).containsExactly(7);
            assertThat((int[]) call(gauge, "split", 3)).containsExactly(0, 10, 20);
            assertThat((int[]) call(gauge, "split", 2)).containsExactly(0, -1);
        }
    }

    @Test
    void exceptionsOfBothSidesReachTheCaller() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            assertThatThrownBy(() -> noted(loader, "throw"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("ours note");
            assertThatThrownBy(() -> scaled(loader, 4, 6))
                    .isInstanceOf(IOException.class)
                    .hasMessage("ours scale");
            assertThatThrownBy(() -> scaled(loader, 1, null))
                    .isInstanceOf(IOException.class)
                    .hasMessage("stock scale");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInitialiserOfStocksRunsBehindTheCallOfTheSwitch(boolean on) throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(on)) {
            Class<?> type = Class.forName("acme.Gauge", false, loader);
            Class<?> enabled = loader.loadClass("acme.boost.guard.Families");
            assertThat(enabled.getField("asked").get(null)).isEqualTo("");
            assertThat(type.getField("ORIGIN").get(null)).hasToString("origin");
            gauge(loader);
            assertThat(enabled.getField("asked").get(null)).isEqualTo("acme.Gauge ");
        }
    }

    @Test
    void onlyStockRunsWhenSwitchedOff() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(false)) {
            assertThat(noted(loader, "throw").get(0)).isEqualTo("stock");
            assertThat(scaled(loader, 4, 6)).isEqualTo(24.5);
            Object gauge = gauge(loader);
            assertThat(raised(gauge, 5)).containsExactly("stock", 3, 5L, 0.25);
            assertThat(call(gauge, "peek", 1.5, 2L, "p"))
                    .isEqualTo(Arrays.asList("stock", 8, 1.5, 2L, "p"));
            assertThat((int[]) call(gauge, "split", 7)).hasSize(7);
        }
    }

    @Test
    void interfaceReadsWritesAndCallsPrivateMembers() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(true)) {
            Object gauge = gauge(loader);
            assertThat(loader.loadClass("acme.boost.GaugeAccess"))
                    .isAssignableFrom(gauge.getClass());
            assertThat(call(gauge, "boostUnit")).isEqualTo("bar");
            assertThat(call(gauge, "boostLevel")).isEqualTo(3);
            assertThat(call(gauge, "boostTotal")).isEqualTo(1L << 40);
            assertThat((double[]) call(gauge, "boostHistory")).containsExactly(0.5);
            assertThat(call(gauge, "boostAnyHistory")).isSameAs(call(gauge, "boostHistory"));

            call(gauge, "boostTotal", 1L << 50);
            call(gauge, "boostHistory", (Object) new double[] {1, 2, 3});
            call(gauge, "boostLevel", 9);
            assertThat(state(gauge)).containsExactly("bar", 9, 1L << 50, 3);

            assertThat(call(gauge, "boostGrow", 10L, 0.5, 4)).isEqualTo((1L << 50) + 5);
            assertThat(state(gauge)).containsExactly("bar", 9, (1L << 50) + 5, 7);

            call(gauge, "boostReset");
            assertThat(state(gauge)).containsExactly("bar", 9, 0L, 7);
        }
    }

    /** The switch selects bodies; the insides stay reachable for code that asks for them. */
    @Test
    void interfaceWorksWhenSwitchedOff() throws Exception {
        try (URLClassLoader loader = acme.wovenLoader(false)) {
            assertThat(call(gauge(loader), "boostLevel")).isEqualTo(3);
        }
    }

    private static Object gauge(ClassLoader loader) throws Exception {
        return loader.loadClass("acme.Gauge")
                .getConstructor(String.class, int.class)
                .newInstance("bar", 3);
    }

    private static List<Object> noted(ClassLoader loader, String last) throws Exception {
        List<Object> sink = new ArrayList<>();
        invoke(loader.loadClass("acme.Gauge"), null, "note", sink, Long.MIN_VALUE, -5, 2.5, last);
        return sink;
    }

    private static Object scaled(ClassLoader loader, long factor, Integer value) throws Exception {
        return invoke(loader.loadClass("acme.Gauge"), null, "scale", factor, value, 0.5);
    }

    private static List<Object> raised(Object gauge, long by) throws Exception {
        List<Object> sink = new ArrayList<>();
        call(gauge, "raise", by, 0.25, sink);
        return sink;
    }

    private static List<Object> state(Object gauge) throws Exception {
        return new ArrayList<>((List<?>) call(gauge, "state"));
    }
}

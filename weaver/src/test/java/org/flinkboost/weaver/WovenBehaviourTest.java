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

    @TempDir static Path folder;
    private static Acme acme;

    @Parameter int release;

    @BeforeParameterizedClassInvocation
    static void weave(int release) throws IOException {
        acme =
                new Acme(folder.resolve("release-" + release), release)
                        .stock(BehaviourSources.GAUGE)
                        .patch(
                                BehaviourSources.PATCH,
                                BehaviourSources.ACCESS,
                                BehaviourSources.RESETTABLE,
                                Acme.HAND_OVER);
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

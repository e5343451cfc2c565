// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

/** The class of the made product that {@link WovenBehaviourTest} runs, and what patches it. */
final class BehaviourSources {

    private BehaviourSources() {}

    static final String GAUGE =
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

    static final String PATCH =
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

    static final String ACCESS =
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
    static final String RESETTABLE =
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
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The strings of a cell: made once per fork, shared by all its threads, never changed. */
@State(Scope.Benchmark)
public abstract class Texts {

    private static final long SEED = 14_346;

    /** Different strings at the least, which a branch predictor may still learn by heart. */
    private static final int FEWEST = 64;

    /** Different strings at the most. */
    private static final int MOST = 2048;

    /** In code units, all strings of a cell together: more than a branch predictor learns. */
    private static final int LEARNT = 1 << 18;

    /** In code units, all strings of a cell together: 20 MB as strings and encoded, at the most. */
    private static final int MOST_CODE_UNITS = 4 << 20;

    /** In UTF-16 code units. */
    @Param({
        "1", "4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048", "2049", "16384",
        "1048576"
    })
    public int length;

    /** Any of {@link TextKind}. */
    @Param({"ascii", "latin1", "cyrillic", "cjk", "emoji", "mixed"})
    public String kind;

    /** {@code mixed}: call sites polluted before measuring; {@code pure}: not. */
    @Param({"mixed", "pure"})
    public String profile;

    private String[] texts;
    private byte[][] encodings;

    /** Draws the strings and pollutes; called by JMH. */
    @Setup(Level.Trial)
    public final void setUp() throws IOException {
        texts = TextKind.named(kind).drawDistinct(count(length), length, SEED);
        encodings = Arrays.stream(texts).map(ReferenceEncoding::encode).toArray(byte[][]::new);
        if (profile.equals("mixed")) {
            pollute();
        } else if (!profile.equals("pure")) {
            throw new IllegalArgumentException(
                    "Unknown profile '" + profile + "'; choose mixed or pure");
        }
    }

    /** Drives what this JVM would see in production through the code that is measured. */
    abstract void pollute() throws IOException;

    /**
     * How many different strings a cell has: 2,048 up to 128 code units, so many less as they are
     * longer, 64 from 4,096 on, 4 of 1 Mi. Of one code unit 64, since ASCII has no 2,048.
     */
    static int count(int length) {
        int enough = length == 1 ? FEWEST : Math.min(MOST, LEARNT / length);
        return Math.max(1, Math.min(Math.max(FEWEST, enough), MOST_CODE_UNITS / length));
    }

    String[] texts() {
        return texts;
    }

    /** In Flink's format. */
    byte[][] encodings() {
        return encodings;
    }

    /** In bytes. */
    int longestEncoding() {
        return Arrays.stream(encodings).mapToInt(bytes -> bytes.length).max().getAsInt();
    }
}

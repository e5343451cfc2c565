// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.util.SplittableRandom;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.strings.CodeUnits;

/** One string and how it is driven through the views; a function of seed and index alone. */
public final class SoakCase {

    /** Changes whenever the same seed and index give another case. */
    public static final int GENERATOR = 1;

    /** Flink's own views often; those that cost a call or a lock per byte seldom. */
    private static final Codec.Input[] INPUTS = {
        Codec.Input.DESERIALIZER,
        Codec.Input.DESERIALIZER,
        Codec.Input.DESERIALIZER,
        Codec.Input.DESERIALIZER,
        Codec.Input.HEAP_SEGMENT,
        Codec.Input.HEAP_SEGMENT,
        Codec.Input.HEAP_SEGMENT,
        Codec.Input.HEAP_SEGMENT,
        Codec.Input.OFF_HEAP_SEGMENT,
        Codec.Input.OFF_HEAP_SEGMENT,
        Codec.Input.OFF_HEAP_SEGMENT,
        Codec.Input.OFF_HEAP_SEGMENT,
        Codec.Input.STREAM,
        Codec.Input.SLOW_STREAM,
        Codec.Input.FOREIGN,
        Codec.Input.PAGES
    };

    private static final Codec.Output[] OUTPUTS = {
        Codec.Output.SERIALIZER, Codec.Output.STREAM, Codec.Output.FOREIGN
    };

    /** The string, built by the JDK from characters. */
    public final String text;

    /** Kind of text, for the report. */
    public final CodeUnits kind;

    /** Number of ASCII characters that are written in front of it. */
    public final int prefix;

    /** Room of the output at the start. */
    public final int capacity;

    /** Index of the value's first byte in the input's array. */
    public final int offset;

    /** Number of bytes behind the value in the array. */
    public final int slack;

    /** Whether those bytes belong to the input. */
    public final boolean slackIsInput;

    /**
     * Whether a {@code StringBuilder} or a {@code StringValue} is written instead of the string.
     */
    public final boolean otherSequence;

    /** Whether it is copied too. */
    public final boolean copy;

    /** The view whose result is compared with stock's on the same view, and that is copied from. */
    public final Codec.Input input;

    /** The view that is copied to. */
    public final Codec.Output output;

    private SoakCase(CodeUnits kind, String text, long bits) {
        this.kind = kind;
        this.text = text;
        prefix = bits(bits, 0, 5) < 17 ? bits(bits, 0, 5) : 0;
        offset = bits(bits, 5, 5) < 17 ? bits(bits, 5, 5) : 0;
        slack = bits(bits, 10, 1) == 0 ? 0 : bits(bits, 11, 4) + 1;
        slackIsInput = bits(bits, 15, 1) == 0;
        otherSequence = bits(bits, 16, 4) == 0;
        copy = bits(bits, 22, 2) == 0;
        input = INPUTS[bits(bits, 24, 4)];
        output = bits(bits, 28, 3) > 0 ? OUTPUTS[0] : OUTPUTS[bits(bits, 31, 16) % OUTPUTS.length];
        capacity = bits(bits, 56, 1) == 0 ? 1 + bits(bits, 57, 6) : 300;
    }

    /** The case of that index. */
    public static SoakCase of(long seed, long index) {
        SplittableRandom random = new SplittableRandom(seed ^ mixed(index));
        long bits = random.nextLong();
        CodeUnits kind = CodeUnits.any(random);
        return new SoakCase(kind, kind.text(random, length(random)), bits);
    }

    /** A chosen text, driven in a way that depends on {@code index}. */
    static SoakCase of(String text, long index) {
        return new SoakCase(CodeUnits.ANY_UNIT, text, mixed(index));
    }

    /** Mostly short; one in 16,384 up to 70,000. */
    private static int length(SplittableRandom random) {
        int choice = random.nextInt(1 << 14);
        if (choice == 0) {
            return random.nextInt((70_000 >> random.nextInt(6)) + 1);
        }
        if (choice < 64) {
            return random.nextInt(3000);
        }
        if (choice < 1024) {
            return random.nextInt(300);
        }
        return random.nextInt(choice < 8192 ? 18 : 41);
    }

    private static int bits(long value, int from, int count) {
        return (int) (value >>> from) & (1 << count) - 1;
    }

    /** Neighbouring indices must not give neighbouring states of the generator. */
    private static long mixed(long index) {
        long z = index + 1;
        z = (z ^ z >>> 33) * 0xFF51AFD7ED558CCDL;
        z = (z ^ z >>> 33) * 0xC4CEB9FE1A85EC53L;
        return z ^ z >>> 33;
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * Drives all kinds, many lengths and many views through the string call sites before anything is
 * measured.
 *
 * <p>JMH starts a JVM per parameter set, so inside a fork {@code out.write} in {@code StringValue}
 * would have exactly one receiver class, and the JIT would inline it; a TaskManager that also
 * writes state and reads formats does not look like that. After this, the type profile of those
 * call sites holds more classes than the JIT inlines (two), with no dominant one.
 *
 * <p>Only {@code String} is written, no other {@code CharSequence}: in production nearly all are
 * strings, and a megamorphic {@code charAt} would make stock slower than users see it.
 */
final class CallSitePolluter {

    static final int LONGEST = 2049;

    private static final long SEED = 20_191_210;
    private static final long MIN_MILLIS = 400;
    // Enough for C2 (threshold 5,000 calls) on a machine so slow that the time is over before.
    private static final int MIN_TEXTS = 5_000;
    private static final int TEXTS_PER_KIND = 64;

    private final List<String> texts;
    private final List<byte[]> encodings = new ArrayList<>();
    private final List<WriteTarget> targets =
            List.of(
                    WriteTarget.serializer(1),
                    WriteTarget.stream(1),
                    WriteTarget.javaStream(),
                    WriteTarget.foreign());
    private final List<ReadSource> sources;
    private final Pollution pollution = new Pollution();

    CallSitePolluter() {
        texts = drawTexts();
        for (String text : texts) {
            encodings.add(ReferenceEncoding.encode(text));
            pollution.lengths.add(text.length());
        }
        pollution.kinds.addAll(List.of(TextKind.values()));
        sources =
                List.of(
                        ReadSource.offHeapNetwork(encodings),
                        ReadSource.heapNetwork(encodings),
                        ReadSource.deserializer(encodings),
                        ReadSource.stream(encodings),
                        ReadSource.javaStream(encodings),
                        ReadSource.foreign(encodings));
    }

    /** Strings of all kinds and many lengths, all kinds as often. */
    static List<String> drawTexts() {
        Random random = new Random(SEED);
        List<String> texts = new ArrayList<>();
        int[] boundaries = {1, 2, 7, 8, 15, 16, 17, 63, 64, 126, 127, 128, 1024, 2048, LONGEST};
        for (TextKind kind : TextKind.values()) {
            for (int i = 0; i < TEXTS_PER_KIND; i++) {
                // Lengths spread evenly over orders of magnitude: most strings in jobs are short.
                double exponent = random.nextDouble() * Math.log(LONGEST);
                int drawn = (int) Math.round(Math.exp(exponent));
                texts.add(kind.draw(i < boundaries.length ? boundaries[i] : drawn, random));
            }
        }
        return texts;
    }

    /**
     * Pollutes for about 0.4 s.
     *
     * @throws IllegalStateException when a view gives back another string than was put in
     */
    Pollution run() throws IOException {
        Random order = new Random(SEED);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MIN_MILLIS);
        while (pollution.texts < MIN_TEXTS || System.nanoTime() < end) {
            int text = order.nextInt(texts.size());
            for (WriteTarget target : targets) {
                write(text, target);
            }
            for (ReadSource source : sources) {
                read(text, source);
            }
            // Copies go from one source to one target in turn: all pairs come by.
            int pair = (int) (pollution.texts % (sources.size() * targets.size()));
            copy(text, sources.get(pair / targets.size()), targets.get(pair % targets.size()));
            pollution.texts++;
        }
        return pollution;
    }

    private void write(int index, WriteTarget target) throws IOException {
        target.clear();
        if (target.output() instanceof DataOutputView) {
            StringSerializer.INSTANCE.serialize(texts.get(index), (DataOutputView) target.output());
        } else {
            StringValue.writeString(texts.get(index), target.output());
        }
        if (target.written().length != encodings.get(index).length) {
            throw new IllegalStateException("Wrong bytes written by " + target.output().getClass());
        }
        pollution.outputs.merge(target.output().getClass().getName(), 1L, Long::sum);
    }

    private void read(int index, ReadSource source) throws IOException {
        source.select(index);
        String text;
        if (source.input() instanceof DataInputView) {
            text = StringSerializer.INSTANCE.deserialize((DataInputView) source.input());
        } else {
            text = StringValue.readString(source.input());
        }
        if (!texts.get(index).equals(text)) {
            throw new IllegalStateException("Wrong string read by " + source.input().getClass());
        }
        pollution.inputs.merge(source.input().getClass().getName(), 1L, Long::sum);
    }

    private void copy(int index, ReadSource source, WriteTarget target) throws IOException {
        source.select(index);
        target.clear();
        if (source.input() instanceof DataInputView && target.output() instanceof DataOutputView) {
            StringSerializer.INSTANCE.copy(
                    (DataInputView) source.input(), (DataOutputView) target.output());
        } else {
            StringValue.copyString(source.input(), target.output());
        }
        if (!Arrays.equals(target.written(), encodings.get(index))) {
            throw new IllegalStateException(
                    "Wrong bytes copied from "
                            + source.input().getClass()
                            + " to "
                            + target.output().getClass());
        }
        pollution.copies.merge(
                source.input().getClass().getSimpleName()
                        + " to "
                        + target.output().getClass().getSimpleName(),
                1L,
                Long::sum);
    }

    /** What went through the call sites. */
    static final class Pollution {
        /** Strings written by class of the output, and read by class of the input. */
        final Map<String, Long> outputs = new TreeMap<>();

        final Map<String, Long> inputs = new TreeMap<>();

        /** Strings copied by pair of classes, as {@code input to output}. */
        final Map<String, Long> copies = new TreeMap<>();

        final Set<TextKind> kinds = EnumSet.noneOf(TextKind.class);
        final Set<Integer> lengths = new TreeSet<>();
        long texts;
    }
}

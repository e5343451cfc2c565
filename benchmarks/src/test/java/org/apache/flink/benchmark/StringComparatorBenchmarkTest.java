// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.benchmark.StringComparatorBenchmark.Cell;
import org.apache.flink.benchmark.StringComparatorBenchmark.ForyStrings;
import org.apache.flink.benchmark.StringComparatorBenchmark.JavaUtf;
import org.apache.flink.benchmark.StringComparatorBenchmark.Kryo;
import org.apache.flink.benchmark.StringComparatorBenchmark.PlainCopy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** That the comparators do what they claim to, called as JMH calls them. */
class StringComparatorBenchmarkTest {

    private static final int BUFFER_SIZE = 32 * 1024;

    private final StringComparatorBenchmark benchmark = new StringComparatorBenchmark();

    static Stream<ComparatorState> comparators() {
        return StringComparatorBenchmark.all().stream();
    }

    @ParameterizedTest
    @EnumSource
    void memcpyLeavesTheBytesOfFlinksFormatInTurn(TextKind kind) throws IOException {
        Cell cell = cell(kind, 300);
        PlainCopy state = new PlainCopy();
        state.setUp(cell);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        int longest = cell.longestEncoding();
        for (int i = 0; i < cell.texts().length + 100; i++) {
            if (i % (BUFFER_SIZE / longest) == 0) {
                expected.reset();
            }
            benchmark.writeMemcpy(state);
            expected.writeBytes(cell.encodings()[i % cell.texts().length]);
            assertThat(state.written()).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void javaUtfIsWhatJavaReads() throws IOException {
        Cell cell = cell(TextKind.MIXED, 20);
        JavaUtf state = new JavaUtf();
        state.setUp(cell);
        for (int i = 0; i < 64; i++) {
            benchmark.writeUtf(state);
        }
        DataInputStream input = new DataInputStream(new ByteArrayInputStream(state.written()));
        for (int i = 0; i < 64; i++) {
            assertThat(input.readUTF()).isEqualTo(cell.texts()[i]);
        }
        assertThat(input.available()).isZero();
    }

    @Test
    void kryoAndForyWriteWhatTheirOwnReadersRead() throws IOException {
        Cell cell = cell(TextKind.LATIN1, 20);
        Kryo kryo = new Kryo();
        kryo.setUp(cell);
        ForyStrings fory = new ForyStrings();
        fory.setUp(cell);
        for (int i = 0; i < 64; i++) {
            benchmark.writeKryo(kryo);
            benchmark.writeFory(fory);
        }
        for (ComparatorState writer : List.of(kryo, fory)) {
            ComparatorState reader = writer instanceof Kryo ? new Kryo() : new ForyStrings();
            reader.open(writer.written());
            for (int i = 0; i < 64; i++) {
                assertThat(reader.decode(i)).isEqualTo(cell.texts()[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void foryWritesWhatTheJdkKeepsAndAHeader(TextKind kind) throws IOException {
        ForyStrings fory = new ForyStrings();
        fory.setUp(cell(kind, 100));
        benchmark.writeFory(fory);
        boolean latin1 = kind == TextKind.ASCII || kind == TextKind.LATIN1;
        assertThat(fory.written().length - (latin1 ? 100 : 200)).isBetween(1, 3);
    }

    @ParameterizedTest
    @MethodSource("comparators")
    void allTextsComeBackInTurn(ComparatorState state) throws IOException {
        for (TextKind kind : TextKind.values()) {
            for (int length : new int[] {1, 16, 2049, 16384}) {
                Cell cell = cell(kind, length);
                state.setUp(cell);
                for (int i = 0; i < cell.texts().length + 100; i++) {
                    assertThat(read(state)).isEqualTo(cell.texts()[i % cell.texts().length]);
                }
            }
        }
    }

    private String read(ComparatorState state) throws IOException {
        if (state instanceof PlainCopy) {
            return benchmark.readNewString((PlainCopy) state);
        } else if (state instanceof JavaUtf) {
            return benchmark.readUtf((JavaUtf) state);
        } else if (state instanceof Kryo) {
            return benchmark.readKryo((Kryo) state);
        }
        return benchmark.readFory((ForyStrings) state);
    }

    @Test
    void newStringMakesANewOneEachTime() throws IOException {
        Cell cell = cell(TextKind.CJK, 4);
        PlainCopy state = new PlainCopy();
        state.setUp(cell);
        assertThat(benchmark.readNewString(state))
                .isEqualTo(cell.texts()[0])
                .isNotSameAs(cell.texts()[0]);
    }

    @ParameterizedTest
    @MethodSource("comparators")
    void pollutionGoesThroughAllKindsAndEndsWellForTheCell(ComparatorState state)
            throws IOException {
        String[] texts = CallSitePolluter.drawTexts().toArray(new String[0]);
        byte[][] encodings = Stream.of(texts).map(ReferenceEncoding::encode).toArray(byte[][]::new);
        state.pollute(texts, encodings);
        Cell cell = cell(TextKind.EMOJI, 9);
        state.setUp(cell);
        assertThat(read(state)).isEqualTo(cell.texts()[0]);
    }

    @Test
    void aStringThatJavaUtfCannotHoldIsRefused() {
        JavaUtf state = new JavaUtf();
        assertThatThrownBy(() -> state.setUp(cell(TextKind.CJK, 65_536 / 3 + 1)))
                .isInstanceOf(UTFDataFormatException.class);
    }

    @Test
    void aComparatorThatReadsWronglyFailsTheBenchmark() throws IOException {
        ComparatorState broken =
                new PlainCopy() {
                    @Override
                    String decode(int text) {
                        return "something else";
                    }
                };
        Cell cell = cell(TextKind.ASCII, 4);
        assertThatThrownBy(() -> broken.setUp(cell))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Read 'something else' not '" + cell.texts()[0]);
    }

    @Test
    void polluterDrawsItsTextsTheSameEachTime() {
        List<String> texts = CallSitePolluter.drawTexts();
        assertThat(texts).isEqualTo(CallSitePolluter.drawTexts());
        for (TextKind kind : TextKind.values()) {
            assertThat(texts.subList(kind.ordinal() * 64, kind.ordinal() * 64 + 64))
                    .anyMatch(text -> text.length() == CallSitePolluter.LONGEST);
        }
    }

    private static Cell cell(TextKind kind, int length) throws IOException {
        Cell cell = new Cell();
        cell.kind = kind.parameter();
        cell.length = length;
        cell.profile = "pure";
        cell.setUp();
        return cell;
    }
}

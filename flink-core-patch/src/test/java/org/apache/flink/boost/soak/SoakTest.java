// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.boost.sidebyside.Codec;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.boost.strings.CodeUnits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short soak test, and the proof that it finds what is wrong and loses nothing. */
class SoakTest {

    private static final long SEED = 20;
    private static final int CASES = Integer.getInteger("codec.cases", 20_000);

    @TempDir Path folder;

    @Test
    void patchedAndStockAgreeOnRandomStrings() throws InterruptedException {
        SoakRun run = new SoakRun(SEED, 0, CASES, SoakTest::sound);
        run.start(2);
        assertThat(run.join(600_000)).isTrue();
        assertThat(run.failure()).isNull();
        assertThat(run.done()).isEqualTo(CASES);
    }

    @Test
    void aCodeUnitThatIsReadWronglyIsFoundAndNamed() throws InterruptedException {
        SoakRun run = finished(4, () -> reading('\u6F22'));
        assertThat(run.failure())
                .contains("readString from ")
                .contains("is U+6F23, stock has U+6F22");
        assertThat(run.done()).isLessThanOrEqualTo(run.failingCase());
    }

    @Test
    void aCodeUnitThatIsWrittenWronglyIsFoundAndNamed() throws InterruptedException {
        SoakRun run = finished(4, () -> writing('\u00E9'));
        assertThat(run.failure()).contains("writeString to ").contains(", U+00E9)");
    }

    @Test
    void theFirstFailingCaseIsReportedWhateverTheNumberOfThreads() throws InterruptedException {
        SoakRun one = finished(1, () -> reading('\u4E01'));
        SoakRun many = finished(8, () -> reading('\u4E01'));
        assertThat(many.failingCase()).isEqualTo(one.failingCase());
        assertThat(many.failure()).isEqualTo(one.failure());
        SoakCase first = SoakCase.of(SEED, one.failingCase());
        assertThatThrownBy(() -> reading('\u4E01').check(first)).hasMessage(one.failure());
        sound().check(first);
    }

    @Test
    void aBrokenSoakTestIsNotAPass() {
        SoakRun run =
                new SoakRun(
                        SEED,
                        0,
                        10,
                        () -> {
                            throw new LinkageError("no such class");
                        });
        run.start(1);
        assertThatThrownBy(() -> run.join(60_000)).hasRootCauseMessage("no such class");
    }

    @Test
    void aStoppedRunGoesOnWhereItStopped() throws InterruptedException {
        SoakRun run = new SoakRun(SEED, 0, Long.MAX_VALUE / 2, SoakTest::sound);
        run.start(2);
        while (run.done() == 0) {
            assertThat(run.join(20)).isFalse();
        }
        run.stop();
        assertThat(run.join(60_000)).isTrue();
        long done = run.done();
        assertThat(done).isPositive();
        assertThat(done % StringCases.BLOCK).isZero();
        SoakRun next = new SoakRun(SEED, done, done + 100, SoakTest::sound);
        next.start(2);
        assertThat(next.join(60_000)).isTrue();
        assertThat(next.done()).isEqualTo(done + 100);
    }

    @Test
    void casesAreAFunctionOfSeedAndIndex() throws IllegalAccessException {
        for (int index = 0; index < 1000; index++) {
            SoakCase one = SoakCase.of(SEED, index);
            assertThat(fields(one)).isEqualTo(fields(SoakCase.of(SEED, index)));
        }
        assertThat(fields(SoakCase.of(SEED, 3))).hasSize(11);
        assertThat(SoakCase.of(SEED, 3).text).isNotEqualTo(SoakCase.of(SEED + 1, 3).text);
    }

    @Test
    void casesCoverEveryKindViewOffsetAndLengthClass() {
        Set<Object> seen = new HashSet<>();
        for (int index = 0; index < 400_000; index++) {
            SoakCase one = SoakCase.of(SEED, index);
            seen.addAll(Arrays.asList(one.kind, one.input, one.output, "offset " + one.offset));
            seen.add(
                    "magnitude "
                            + Integer.numberOfTrailingZeros(
                                    Integer.highestOneBit(one.text.length())));
            seen.add("prefix " + one.prefix);
        }
        assertThat(seen).contains((Object[]) CodeUnits.values());
        // What no Flink has by itself is for other tests.
        assertThat(seen)
                .containsAll(
                        EnumSet.complementOf(
                                EnumSet.of(Codec.Input.DERIVED, Codec.Input.SLICED_SEGMENT)));
        assertThat(seen)
                .containsAll(
                        EnumSet.complementOf(EnumSet.of(Codec.Output.DERIVED, Codec.Output.PAGES)));
        for (int i = 0; i <= 16; i++) {
            assertThat(seen).contains("offset " + i, "prefix " + i, "magnitude " + i);
        }
    }

    @Test
    void theStateIsReadBackAndADamagedOneIsRefused() throws IOException {
        Path file = folder.resolve("soak.state");
        SoakState state = SoakState.begin(Map.of("seed", "7", "mode", "opened"));
        state.advanced(16_384, 2.5).write(file);
        SoakState read = SoakState.read(file);
        assertThat(read).usingRecursiveComparison().isEqualTo(state.advanced(16_384, 2.5));
        state.advanced(20, 3).failed(20, "character 1 is U+0041, stock has U+0042").write(file);
        assertThat(SoakState.read(file).failure).startsWith("character 1");
        assertThat(folder).isDirectoryNotContaining("glob:**.partial");
        Files.writeString(file, "done=12");
        assertThatThrownBy(() -> SoakState.read(file)).isInstanceOf(IOException.class);
    }

    private static Map<String, Object> fields(SoakCase soakCase) throws IllegalAccessException {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (Field field : SoakCase.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                fields.put(field.getName(), field.get(soakCase));
            }
        }
        return fields;
    }

    private static SoakRun finished(int threads, java.util.function.Supplier<Comparison> side)
            throws InterruptedException {
        SoakRun run = new SoakRun(SEED, 0, 2_000_000, side);
        run.start(threads);
        assertThat(run.join(600_000)).isTrue();
        assertThat(run.failure()).isNotNull();
        return run;
    }

    private static Comparison sound() {
        return new Comparison(Sides.patched(), Sides.stock());
    }

    private static Comparison reading(char unit) {
        return new Comparison(BrokenCodec.reading(Sides.patched(), unit), Sides.stock());
    }

    private static Comparison writing(char unit) {
        return new Comparison(BrokenCodec.writing(Sides.patched(), unit), Sides.stock());
    }
}

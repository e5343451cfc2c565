// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.flinkboost.weaver.TwinSources.TwinException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One source for two types of parameters. */
class TwinSourcesTest {

    private static final Path SUM = Path.of("acme", "Sum.java");
    private static final Path SEGMENT_SUM = Path.of("acme", "SegmentSum.java");

    @TempDir Path folder;

    private static String sample(String name) throws IOException {
        try (InputStream in = TwinSourcesTest.class.getResourceAsStream("/twins/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void assertRefused(String source, String sentence) {
        assertThatThrownBy(() -> TwinSources.of(Map.of(SUM, source)))
                .isInstanceOf(TwinException.class)
                .hasMessage(sentence);
    }

    @Test
    void aTwinHasOtherParametersAndIsOtherwiseTheSame() throws IOException {
        assertThat(TwinSources.of(Map.of(SUM, sample("Sum.java"))))
                .isEqualTo(Map.of(SEGMENT_SUM, sample("SegmentSum.java")));
    }

    @Test
    void aTwinCallsTheTwinsOfOtherClasses() throws IOException {
        String other = "// @twin SegmentMean: `byte[] in` is `Segment in`\n\nSum(byte[] in)";
        Map<Path, String> twins =
                TwinSources.of(
                        Map.of(SUM, sample("Sum.java"), Path.of("acme", "Mean.java"), other));
        assertThat(twins.get(Path.of("acme", "SegmentMean.java")))
                .endsWith("\nSegmentSum(Segment in)");
    }

    @Test
    void aSourceThatLooksIntoTheMemoryItselfIsRefused() throws IOException {
        String source = sample("Sum.java");
        String sentence = "Sum looks into `in` itself, which its twin cannot.";
        assertRefused(source.replace("Words.byteAt(in, from)", "in[from]"), sentence);
        assertRefused(source.replace("Words.byteAt(in, from)", "in.length"), sentence);
    }

    @Test
    void aParameterThatIsNotThereIsRefused() throws IOException {
        assertRefused(
                sample("Sum.java").replace("byte[] in,", "byte[] bytes,"),
                "Sum has no `byte[] in`.");
    }

    @Test
    void aCommentThatIsNotUnderstoodIsRefused() throws IOException {
        assertRefused(
                sample("Sum.java")
                        .replaceFirst("(?s)`byte.*SegmentView view`", "`byte[] in` or so"),
                "Sum does not say what its twin has: `byte[] in` or so");
    }

    @Test
    void twoSourcesOfOneClassAreRefused() throws IOException {
        String source = sample("Sum.java");
        for (Path second : new Path[] {SEGMENT_SUM, Path.of("acme", "Total.java")}) {
            assertThatThrownBy(() -> TwinSources.of(Map.of(SUM, source, second, source)))
                    .isInstanceOf(TwinException.class)
                    .hasMessage("There are two sources of SegmentSum.");
        }
    }

    @Test
    void sourcesWithoutAnyTwinAreRefused() {
        assertRefused("class Sum {}", "No source has a twin.");
    }

    @Test
    void theFolderHoldsTheTwinsAndNothingOlder() throws IOException {
        Path sources = folder.resolve("sources");
        Path out = folder.resolve("out");
        Path old = out.resolve("acme/OldSum.java");
        Files.createDirectories(sources.resolve("acme"));
        Files.createDirectories(old.getParent());
        Files.writeString(old, "class OldSum {}");
        Files.writeString(sources.resolve(SUM), sample("Sum.java"));
        TwinSources.write(sources, out);
        assertThat(out.resolve(SEGMENT_SUM)).hasContent(sample("SegmentSum.java"));
        assertThat(old).doesNotExist();
    }
}

// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;

/** That every cell of {@code groups.toml} is one cell of one benchmark that exists. */
class GroupsTest {

    private static final String ENTRY =
            "[some]\n[[some.benchmarks]]\n"
                    + "benchmark = \"org.apache.flink.benchmark.StringSerializationBenchmark.write\"\n"
                    + "params = { length = [\"16\"], kind = [\"ascii\"], profile = [\"pure\"],"
                    + " view = [\"stream\"] }\n";

    private static final Map<String, BenchmarkListEntry> BENCHMARKS =
            BenchmarkList.defaultList().getAll(null, List.of()).stream()
                    .collect(Collectors.toMap(BenchmarkListEntry::getUsername, entry -> entry));

    @Test
    void everyCellExists() throws IOException {
        assertThat(problems(Files.readString(Path.of("groups.toml")))).isEmpty();
    }

    @Test
    void groupsAreTheOnesOfTheReadme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        assertThat(names(groups(Files.readString(Path.of("groups.toml")))))
                .contains("quick", "spine", "codec", "comparators", "jobs", "smoke")
                .allSatisfy(name -> assertThat(readme).contains("`" + name + "`"));
    }

    /** But for what only newer JVMs can run; one of a session's jobs stands for all. */
    @Test
    void smokeRunsEveryBenchmarkOnce() throws IOException {
        List<String> smoke = new ArrayList<>();
        JsonNode group = groups(Files.readString(Path.of("groups.toml"))).get("smoke");
        for (JsonNode entry : group.get("benchmarks")) {
            smoke.add(entry.get("benchmark").asText());
            entry.path("params").forEach(values -> assertThat(values).hasSize(1));
        }
        smoke.add("org.apache.flink.benchmark.PurchaseJobBenchmarks.javaRecords");
        BENCHMARKS.keySet().stream()
                .filter(name -> name.contains(".SessionClusterBenchmarks."))
                .filter(name -> !smoke.contains(name))
                .forEach(smoke::add);
        assertThat(smoke).containsExactlyInAnyOrderElementsOf(BENCHMARKS.keySet());
    }

    @Test
    void anEntryThatIsRightHasNoProblems() throws IOException {
        assertThat(problems(ENTRY)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Benchmark.write,Benchmark.wrote,there is no such benchmark",
        "profile =,profil =,'parameters are [kind, length, profil, view]'",
        "' kind = [\"ascii\"],','','parameters are [length, profile, view]'",
        "[\"16\"],[\"17\"],17 is no value of length",
        "stream,network,network is no value of view"
    })
    void whatDoesNotExistIsFound(String before, String after, String problem) throws IOException {
        assertThat(ENTRY).contains(before);
        assertThat(problems(ENTRY.replace(before, after)))
                .singleElement()
                .asString()
                .contains(problem);
    }

    private static Set<String> names(JsonNode table) {
        return table.properties().stream()
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static JsonNode groups(String toml) throws IOException {
        return new TomlMapper().readTree(toml);
    }

    /** JMH itself would say nothing of an unknown parameter, and run a grid of a missing one. */
    private static List<String> problems(String toml) throws IOException {
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, JsonNode> group : groups(toml).properties()) {
            for (JsonNode entry : group.getValue().get("benchmarks")) {
                problems(entry).forEach(problem -> problems.add(group.getKey() + ": " + problem));
            }
        }
        return problems;
    }

    private static List<String> problems(JsonNode entry) {
        String name = entry.get("benchmark").asText();
        if (!BENCHMARKS.containsKey(name)) {
            return List.of(name + ": there is no such benchmark");
        }
        Map<String, String[]> declared =
                new TreeMap<>(BENCHMARKS.get(name).getParams().orElse(Map.of()));
        Set<String> given = names(entry.path("params"));
        if (!given.equals(declared.keySet())) {
            return List.of(name + ": parameters are " + given + ", not " + declared.keySet());
        }
        List<String> problems = new ArrayList<>();
        declared.forEach(
                (parameter, values) ->
                        StreamSupport.stream(
                                        entry.get("params").get(parameter).spliterator(), false)
                                .map(JsonNode::asText)
                                .filter(value -> !List.of(values).contains(value))
                                .map(value -> name + ": " + value + " is no value of " + parameter)
                                .forEach(problems::add));
        return problems;
    }
}

"""Which of Flink's test classes run: reading the data file, selecting, chunking."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.lines import measured_lines
from flink_boost.port.flinktests import test_plan
from flink_boost.port.flinktests.test_plan import Catalogue, Exclusion, RunLimits

FILE = """\
class-name = '(Test|ITCase)$'
prefix = "org.acme."

[limits]
classes-per-chunk = 3
integration-tests-per-chunk = 1
chunk-seconds = 60
class-seconds = 30
silent-seconds = 20

[jvm]
options = ["-ea"]
properties = { "user.language" = "en" }

[selection]
core = ["text.String*"]

[lines."9.0".core]
jvm-options = ["--add-opens=java.base/java.util=ALL-UNNAMED"]
jdk-options = { "21" = ["-Djava.security.manager=allow"] }
selection = []

[lines."9.0".runtime]
jvm-options = []
properties = { "user.language" = "de" }
selection = ["net.*"]

[[exclusions]]
lines = ["9.0"]
jdks = [21]
module = "core"
class = "text.StringDiskTest"
reason = "needs a file system that refuses root"
"""
AVAILABLE = {
    "core": ["org.acme.text.StringDiskTest", "org.acme.text.StringTest", "org.acme.util.MapTest"],
    "runtime": ["org.acme.net.NetITCase", "org.acme.net.NetTest", "org.acme.web.WebTest"],
}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return load(tmp_path, FILE)


def load(folder: Path, text: str) -> Catalogue:
    path = folder / "flink-tests.toml"
    path.write_text(text, encoding="utf-8")
    return test_plan.load_catalogue(path)


def names(chunks: list[test_plan.Chunk]) -> list[tuple[str, tuple[str, ...], bool]]:
    prefix = len("org.acme.")
    return [(c.id, tuple(name[prefix:] for name in c.classes), c.excluded) for c in chunks]


def test_the_selection_leaves_out_what_is_excluded_on_that_jdk(catalogue: Catalogue) -> None:
    assert names(test_plan.selection_of(catalogue, "9.0", 21, AVAILABLE)) == [
        ("core-001", ("text.StringTest",), False),
        ("runtime-001", ("net.NetTest",), False),
        ("runtime-002", ("net.NetITCase",), False),
    ]
    assert names(test_plan.selection_of(catalogue, "9.0", 17, AVAILABLE))[0] == (
        "core-001",
        ("text.StringDiskTest", "text.StringTest"),
        False,
    )


def test_all_runs_excluded_classes_on_their_own(catalogue: Catalogue) -> None:
    assert names(test_plan.all_of(catalogue, "9.0", 21, AVAILABLE)) == [
        ("core-001", ("text.StringTest", "util.MapTest"), False),
        ("core-002", ("text.StringDiskTest",), True),
        ("runtime-001", ("net.NetTest", "web.WebTest"), False),
        ("runtime-002", ("net.NetITCase",), False),
    ]


def test_of_a_module_that_is_not_whole_all_runs_the_selection(tmp_path: Path) -> None:
    module = '[lines."9.0".runtime]\n'
    assert module in FILE
    catalogue = load(tmp_path, FILE.replace(module, f"{module}whole = false\n"))
    assert names(test_plan.all_of(catalogue, "9.0", 21, AVAILABLE))[2:] == [
        ("runtime-001", ("net.NetTest",), False),
        ("runtime-002", ("net.NetITCase",), False),
    ]


def test_an_exclusion_of_nothing_is_refused(catalogue: Catalogue) -> None:
    available = {"core": ["org.acme.text.StringTest"], "runtime": []}
    with pytest.raises(BrokenData, match=r"excludes org[.]acme[.]text[.]StringDiskTest"):
        test_plan.all_of(catalogue, "9.0", 21, available)


def test_a_pattern_that_selects_nothing_is_refused(catalogue: Catalogue) -> None:
    available = {**AVAILABLE, "runtime": ["org.acme.web.WebTest"]}
    with pytest.raises(BrokenData, match=r"selects net\.\*, but Flink 9\.0 has no such runtime"):
        test_plan.selection_of(catalogue, "9.0", 17, available)


def test_expressions_choose_classes_excluded_ones_too(catalogue: Catalogue) -> None:
    chunks = test_plan.chosen_of(catalogue, AVAILABLE, ["Disk", r"net\..*ITCase"])
    assert names(chunks) == [
        ("core-001", ("text.StringDiskTest",), False),
        ("runtime-001", ("net.NetITCase",), False),
    ]


@pytest.mark.parametrize(
    ("pattern", "message"), [("(", "not a regular expression"), ("NoSuchTest", "No test class")]
)
def test_a_wrong_expression_is_a_wrong_call(
    catalogue: Catalogue, pattern: str, message: str
) -> None:
    with pytest.raises(UsageProblem, match=message):
        test_plan.chosen_of(catalogue, AVAILABLE, [pattern])


def test_options_come_from_all_levels_without_repetition(catalogue: Catalogue) -> None:
    opens = "--add-opens=java.base/java.util=ALL-UNNAMED"
    assert test_plan.jvm_options(catalogue, "9.0", "core", 21, [opens]) == (
        "-ea",
        opens,
        "-Djava.security.manager=allow",
        "-Duser.language=en",
    )
    assert test_plan.jvm_options(catalogue, "9.0", "runtime", 17, []) == (
        "-ea",
        "-Duser.language=de",
    )


def test_only_what_make_test_selects_runs_without_the_optimising_compiler() -> None:
    catalogue = test_plan.load_catalogue()
    first = "-XX:TieredStopAtLevel=1"
    assert first not in test_plan.jvm_options(catalogue, "2.3.0", "core", 17, [])
    assert first in test_plan.jvm_options(catalogue, "2.3.0", "core", 17, [], selection=True)


def test_a_line_that_the_file_does_not_know(catalogue: Catalogue) -> None:
    with pytest.raises(UsageProblem, match=r"does not know Flink 8\.0"):
        test_plan.modules_of(catalogue, "8.0")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("classes-per-chunk = 3", "classes-per-chunk = 0", "classes-per-chunk"),
        ("chunk-seconds = 60", "chunk-second = 60", "chunk-second"),
        ("[jvm]", "[jvm", "flink-tests.toml"),
        ('module = "core"', 'module = "cor"', "unknown module 'cor'"),
        ('reason = "needs a file system that refuses root"', 'reason = "broken"', "reason"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    assert old in FILE
    with pytest.raises(BrokenData, match=complaint):
        load(tmp_path, FILE.replace(old, new))


def test_test_classes_are_top_level_and_named_so(catalogue: Catalogue) -> None:
    files = ["a/BTest.class", "a/BTest$C.class", "a/Helper.class", "a/ATestBase.class"]
    assert test_plan.test_classes(catalogue, [*files, "a/AITCase.class"]) == [
        "a.AITCase",
        "a.BTest",
    ]


CLASSES = st.lists(
    st.from_regex(r"[a-c]{1,3}(Test|ITCase)", fullmatch=True), unique=True, max_size=30
)


@given(CLASSES, st.integers(1, 7), st.integers(1, 3), st.data())
def test_chunks_hold_every_class_once(
    classes: list[str], size: int, integration_size: int, data: st.DataObject
) -> None:
    excluded = data.draw(st.sets(st.sampled_from(classes))) if classes else set()
    limits = RunLimits.model_validate(
        {
            "classes-per-chunk": size,
            "integration-tests-per-chunk": integration_size,
            "chunk-seconds": 1,
            "class-seconds": 1,
            "silent-seconds": 1,
        }
    )
    chunks = test_plan.chunks_of("core", classes, excluded, limits)
    assert sorted(name for chunk in chunks for name in chunk.classes) == sorted(classes)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        kinds = {name.endswith("ITCase") for name in chunk.classes}
        assert len(kinds) == 1
        assert len(chunk.classes) <= (integration_size if kinds == {True} else size)
        assert chunk.excluded == bool(set(chunk.classes) & excluded)
        assert not chunk.excluded or len(chunk.classes) == 1


def test_the_real_file_knows_every_line() -> None:
    catalogue = test_plan.load_catalogue()
    measured = [line.version for line in measured_lines()]
    assert set(catalogue.lines) == set(measured)
    for line in measured:
        # Later, flink-streaming-java is part of flink-runtime.
        apart = set() if line == "2.3.0" else {"streaming-java"}
        assert set(catalogue.lines[line]) == {"core", "runtime"} | apart
        assert (test_plan.FOLDER / f"flink-{line}.xml").is_file()


def test_an_exclusion_holds_for_its_lines_and_jdks() -> None:
    exclusion = Exclusion.model_validate(
        {
            "lines": ["1.9.3"],
            "jdks": [11],
            "module": "core",
            "class": "a.BTest",
            "reason": "needs a network",
        }
    )
    assert exclusion.applies("1.9.3", 11)
    assert not exclusion.applies("1.9.3", 17)
    assert not exclusion.applies("2.3.0", 11)
    assert exclusion.model_copy(update={"jdks": ()}).applies("1.9.3", 17)

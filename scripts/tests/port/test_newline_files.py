"""A line is added to the project's files as a whole, and nothing else changes in them."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from installations import everything_in

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import LOCK
from flink_boost.flink.lines import Line, load_lines, read_lock
from flink_boost.flink.versions import version_key
from flink_boost.port.flinktests.test_plan import load_catalogue
from flink_boost.port.newline import line_files as linefiles
from flink_boost.port.newline.line_files import NewLine, add_line, record, with_line, with_tests

LINES = PROJECT_ROOT / "lines.toml"
LOCKED = PROJECT_ROOT / LOCK
CATALOGUE = Path("scripts/flink-tests/flink-tests.toml")


def like(model: str, version: str, remark: str = "") -> NewLine:
    """A line that is another one but for its number."""
    line = load_lines()[model]
    return NewLine(
        replace(
            line,
            version=version,
            jars={name.replace(model, version): sum_ for name, sum_ in line.jars.items()},
            sources=tuple(
                replace(pin, version=version, file=pin.file.replace(model, version))
                for pin in line.sources
            ),
        ),
        model,
        remark,
    )


def read(text: str, folder: Path, *added: Line) -> dict[str, Line]:
    path = folder / "lines.toml"
    path.write_text(text, encoding="utf-8")
    lock = read_lock(LOCKED)
    for line in added:
        lock = lock.having(line.version, line.classes)
    path.with_name(LOCK).write_text(lock.render(), encoding="utf-8")
    return load_lines(path)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What a line needs of the source tree."""
    for name in ("benchmarks/src/line", "scripts/flink-tests"):
        shutil.copytree(PROJECT_ROOT / name, tmp_path / "tree" / name)
    for file in (LINES, LOCKED):
        shutil.copy(file, tmp_path / "tree")
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("model", "version"),
    [("1.9.3", "0.9.9"), ("1.20.5", "1.20.4"), ("2.3.0", "2.2.99"), ("2.3.0", "99.0.0")],
)
def test_a_line_gets_its_place_and_all_else_stays(model: str, version: str, tmp_path: Path) -> None:
    before = LINES.read_text(encoding="utf-8")
    new = like(model, version)
    after = with_line(before, new)
    block = record(new)
    assert after.count(block) == 1
    added = f"\n{block}" if version == "99.0.0" else f"{block}\n"
    rest = after.replace(added, "", 1)
    # In front of the first line a blank line more is all that may differ.
    assert rest.replace("\n\n\n", "\n\n") == before
    assert rest == before or version == "0.9.9"
    found = read(after, tmp_path, new.line)
    assert list(found) == sorted(found, key=version_key)
    assert found.pop(version) == new.line
    assert found == load_lines()


def test_a_remark_stands_before_the_examples(tmp_path: Path) -> None:
    new = like("2.3.0", "2.2.99", "Only 2.3.0 has them.")
    after = with_line(LINES.read_text(encoding="utf-8"), new)
    assert '\n\n# Only 2.3.0 has them.\n[lines."2.2.99".examples]\n' in after
    bare = replace(new.line, examples={}, nearest={"avro": "2.2.0", "table": "2.2.1"})
    text = with_line(LINES.read_text(encoding="utf-8"), replace(new, line=bare))
    assert "# Only" not in text
    assert read(text, tmp_path, bare)["2.2.99"] == bare


def test_a_line_that_is_there_or_a_file_that_is_not_toml_is_refused() -> None:
    text = LINES.read_text(encoding="utf-8")
    with pytest.raises(BrokenData, match=r"names Flink 2\.3\.0 already"):
        with_line(text, like("2.3.0", "2.3.0"))
    with pytest.raises(BrokenData, match=r"lines\.toml is not TOML"):
        with_line(text + "[", like("2.3.0", "2.2.99"))
    with pytest.raises(BrokenData, match=r"flink-tests\.toml is not TOML"):
        with_tests("[", "2.2.99", "2.3.0")


@pytest.mark.parametrize(
    ("version", "model"), [("2.2.99", "2.3.0"), ("99.0.0", "2.3.0"), ("1.20.4", "1.20.5")]
)
def test_flinks_own_tests_of_a_line_begin_with_those_of_its_model(
    version: str, model: str, tmp_path: Path
) -> None:
    before = (PROJECT_ROOT / CATALOGUE).read_text(encoding="utf-8")
    after = with_tests(before, version, model)
    path = tmp_path / "flink-tests.toml"
    path.write_text(after, encoding="utf-8")
    old, now = load_catalogue(PROJECT_ROOT / CATALOGUE), load_catalogue(path)
    assert now.lines[version] == old.lines[model]
    assert {v: each for v, each in now.lines.items() if v != version} == old.lines
    for exclusion, was in zip(now.exclusions, old.exclusions, strict=True):
        added = (version,) if model in was.lines else ()
        assert exclusion == was.model_copy(update={"lines": (*was.lines, *added)})
    # Nothing but new lines of text, and lists of lines that became longer.
    differing = {line for line in before.splitlines() if line not in after.splitlines()}
    assert all(line.startswith("lines = [") for line in differing)
    comments = [line for line in before.splitlines() if "#" in line]
    assert [line for line in after.splitlines() if "#" in line] == comments
    assert "]\n\n# Classes that `make test` leaves out." in after
    assert after.count("\n\n\n") == before.count("\n\n\n")
    assert with_tests(after, version, model) == after
    assert with_tests(before, version, "7.0.0") == before


def test_all_files_of_a_line_are_written(tree: Path) -> None:
    written = add_line(tree, like("2.3.0", "2.2.99"))
    assert [str(path) for path in written] == [
        "benchmarks/src/line/2.2.99",
        "scripts/flink-tests/flink-2.2.99.xml",
        str(CATALOGUE),
        "classes.lock",
        "lines.toml",
    ]
    adaptors = tree / "benchmarks/src/line"
    now = everything_in(adaptors / "2.2.99")
    assert now == everything_in(adaptors / "2.3.0")
    assert len([name for name in now if name.endswith(".java")]) == 5
    pom = (tree / "scripts/flink-tests/flink-2.2.99.xml").read_text(encoding="utf-8")
    assert "<version>2.2.99</version>" in pom
    assert "2.3.0" not in pom
    assert "2.2.99" in load_lines(tree / "lines.toml")
    assert not [path for path in tree.rglob("*") if "partial" in path.name]


@pytest.mark.parametrize("failing", ["flink-2.2.99.xml", "flink-tests.toml", "lines.toml"])
def test_an_error_in_between_leaves_nothing_behind(
    failing: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything_in(tree)

    def full_disk(path: Path, content: str | bytes) -> None:
        if path.name == failing and "2.2.99" in str(content):
            raise OSError(28, "No space left on device", str(path))
        write_durably(path, content)

    monkeypatch.setattr(linefiles, "write_durably", full_disk)
    with pytest.raises(OSError, match="No space left"):
        add_line(tree, like("2.3.0", "2.2.99"))
    assert everything_in(tree) == before


def test_what_was_prepared_by_hand_is_kept(tree: Path) -> None:
    adaptor = tree / "benchmarks/src/line/2.2.99"
    adaptor.mkdir()
    (adaptor / "Mine.java").write_text("class Mine {}", encoding="utf-8")
    left_behind = tree / "benchmarks/src/line/.2.2.99.partial"
    left_behind.mkdir()
    written = add_line(tree, like("2.3.0", "2.2.99"))
    assert adaptor.relative_to(tree) not in written
    assert [path.name for path in adaptor.iterdir()] == ["Mine.java"]
    # Everything else of a call that was killed before it came to lines.toml.
    shutil.copy(LINES, tree)
    assert add_line(tree, like("2.3.0", "2.2.99")) == [Path("lines.toml")]
    with (tree / "lines.toml").open("rb") as file:
        assert "2.2.99" in tomllib.load(file)["lines"]

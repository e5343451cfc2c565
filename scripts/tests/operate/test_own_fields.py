"""``weave`` looks at methods that we never call, where they touch a field that our code touches."""

from __future__ import annotations

from pathlib import Path

import pytest
from installations import CARRIED, LINE, OTHER, flink_boost, java_environment, new_home
from own_flinks import compiled, with_entries

from flink_boost.base.errors import PatchedCodeChanged
from flink_boost.flink.lines import load_lines

VIEW = "org.apache.flink.runtime.io.network.api.serialization.NonSpanningWrapper"
INPUT = "org.apache.flink.core.memory.DataInputDeserializer"
WHY = "which our code reads or sets at other moments than stock's"

pytestmark = pytest.mark.needs_jars


@pytest.fixture(autouse=True)
def java(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in java_environment(LINE).items():
        monkeypatch.setenv(name, value)


def class_file(name: str) -> str:
    return f"{name.replace('.', '/')}.class"


def home_with(folder: Path, name: str, before: str, more: str) -> Path:
    """An installation with more in one class, in front of what is there once."""
    home = new_home(folder / "flink")
    classes = compiled(folder, [name], changes={name: (before, f"{more}\n{before}")})
    with_entries(home, {class_file(name): (classes / class_file(name)).read_bytes()})
    return home


@pytest.mark.parametrize(
    ("name", "before", "more", "found"),
    [
        (
            *(VIEW, "boolean hasRemaining() {"),
            "int spare() { return utfByteBuffer == null ? 0 : 64; }",
            "spare()int is in this build alone and touches field byte[] utfByteBuffer",
        ),
        (
            *(INPUT, "public int getPosition() {"),
            "public void use(byte[] other, int from) { buffer = other; mark = from; } int mark;",
            "use(byte[],int)void is in this build alone and touches field byte[] buffer",
        ),
    ],
    ids=["reads-what-we-write", "writes-what-we-read"],
)
def test_a_method_of_its_own_on_a_field_of_ours_is_refused(
    name: str,
    before: str,
    more: str,
    found: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = home_with(tmp_path, name, before, more)
    assert flink_boost("weave", home, "--dry-run") == PatchedCodeChanged.exit_code
    said = capsys.readouterr().err
    assert f"compared with Flink {LINE.version}, {name}: {found}, {WHY}." in said
    assert "Nothing was changed." in said


@pytest.mark.test_all
def test_a_method_of_its_own_on_no_field_of_ours_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = "public int getPosition() {"
    more = "private int asked; public int twice() { asked++; return 2 * getPosition(); }"
    home = home_with(tmp_path, INPUT, before, more)
    assert flink_boost("weave", home, "--dry-run") == 0, capsys.readouterr().err


@pytest.mark.needs_jars("1.11.3")
def test_two_official_files_of_one_code_are_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of 1.11.3 and of later releases differ in constants and the numbers of lines."""
    older = load_lines()["1.11.3"]
    assert older.classes[VIEW] != OTHER.classes[VIEW]
    home = new_home(tmp_path / "flink", OTHER)
    with_entries(home, {class_file(VIEW): CARRIED.stock_class(older, VIEW)})
    assert flink_boost("weave", home, "--dry-run") == 0, capsys.readouterr().err
    said = f"All classes are those of Flink {OTHER.version}"
    assert said in capsys.readouterr().out

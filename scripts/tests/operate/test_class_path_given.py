"""``verify --classpath``: class paths that are not ``bin/flink``'s, each told by a real JVM."""

from __future__ import annotations

import shlex
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from given_class_paths import DIST, Answer, of
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    OTHER,
    VERSION,
    damage,
    flink_boost,
    java_environment,
    official_classes,
    place_of,
    put_jar,
    small_home,
)

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    HalfWritten,
    NotInstalled,
    SeveralDropIns,
    UsageProblem,
    VerificationFailed,
)
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import Line

pytestmark = pytest.mark.needs_jars

STRING = "org.apache.flink.types.StringValue"


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ``lib/`` of Flink's jar and ours."""
    monkeypatch.setattr("os.environ", java_environment(LINE))
    home = small_home(tmp_path / "flink")
    for jar in (home / "lib").iterdir():
        if jar.name != DIST:
            jar.unlink()
    put_jar(home)
    return home / "lib"


# Of families nothing is told where nothing runs.
FAMILIES = {"families": None}


def states(found: dict[str, Any]) -> dict[str, bool | None]:
    return {check["name"]: check["passed"] for check in found["checks"]}


def detail(found: dict[str, Any], name: str) -> str:
    (text,) = [check["detail"] for check in found["checks"] if check["name"] == name]
    return str(text)


def test_our_jar_in_front_passes_and_stock_in_front_does_not(lib: Path, answer: Answer) -> None:
    found = of(answer, lib / JAR, lib / DIST)
    assert found["ok"], found
    assert set(states(found).values()) == {True}
    assert found["entries"] == [str(lib / JAR), str(lib / DIST)]
    assert detail(found, "order") == f"{JAR} stands before {DIST}."
    assert detail(found, "families") == "Strings on; records on."

    found = of(answer, lib / DIST, lib / JAR)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert (
        states(found) == {"jar": True, "version": True, "classes": False, "order": False} | FAMILIES
    )
    assert detail(found, "classes").endswith(f", {STRING} from {lib / DIST}.")
    assert detail(found, "order") == f"{lib / DIST} stands before {JAR}."


def test_the_next_step_puts_our_jar_in_front(
    lib: Path, answer: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("verify", "--classpath", f"{lib / DIST}:{lib}/*") == 20
    printed = capsys.readouterr()
    assert "FAILED  order" in printed.out
    (step,) = [words for words in shlex.split(printed.err) if words.startswith(f"{lib / JAR}:")]
    assert step == f"{lib / JAR}:{lib / DIST}:{lib}/*"
    # The jar is on it twice, and the same to a JVM.
    assert of(answer, step)["ok"]


def test_a_wildcard_goes_by_the_order_of_the_file_system(
    lib: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the JVM made of it counts, whichever that is; a relative one as from here."""
    monkeypatch.chdir(lib.parent)
    found = of(answer, "lib/*")
    names = [Path(entry).name for entry in found["entries"]]
    assert sorted(names) == sorted((JAR, DIST))
    first = names[0] == JAR
    assert found["ok"] is first
    assert "in the order in which the file system lists them" in detail(found, "order")
    assert ("To be sure, name it in front: -cp" in detail(found, "order")) is first


def test_a_jar_that_names_others_in_its_manifest(lib: Path, tmp_path: Path, answer: Answer) -> None:
    path = tmp_path / "path.jar"
    with zipfile.ZipFile(path, "w") as archive:
        named = f"Class-Path: flink/lib/{DIST}\r\n  flink/lib/{JAR}\r\n"
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{named}")
    found = of(answer, path)
    assert (found["exit_code"], found["jar"]) == (VerificationFailed.exit_code, str(lib / JAR))
    assert states(found)["order"] is False


def test_another_lines_jar_in_front_is_named_with_its_release(lib: Path, answer: Answer) -> None:
    other = CARRIED.dropin(OTHER)
    found = of(answer, other, lib / JAR, lib / DIST)
    assert found["exit_code"] == SeveralDropIns.exit_code
    assert (
        f"2 flink-boost jars are on this class path: {other} (flink-boost {VERSION} for Flink"
        f" 1.20.5), whose classes come first, then {lib / JAR} (flink-boost {VERSION} for Flink"
        " 2.3.0)."
    ) in found["error"]
    assert found["next_step"] == "Keep the one for Flink 2.3.0 and take the others off."

    found = of(answer, other, lib / DIST)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert "is built for Flink 1.20.5 but found" in detail(found, "version")


def test_nothing_of_ours(lib: Path, answer: Answer) -> None:
    found = of(answer, lib / DIST)
    assert found["exit_code"] == NotInstalled.exit_code
    assert f"stock's code runs, from {lib / DIST}." in found["error"]
    assert found["next_step"].startswith("Its classes are those of Flink 2.3.0: name flink-boost-2")
    found = of(answer, lib.parent / "none.jar")
    assert found["exit_code"] == NotInstalled.exit_code
    assert "nor are the classes that one would replace" in found["error"]


def test_a_jar_that_is_not_as_it_was_built(lib: Path, answer: Answer) -> None:
    whole = (lib / JAR).read_bytes()
    damage(lib / JAR)
    assert detail(of(answer, lib / JAR, lib / DIST), "jar").startswith(f"{lib / JAR} is damaged (")
    (lib / JAR).write_bytes(whole)
    damage(lib / JAR, place_of(lib / JAR, "guard/VersionGuard"))
    found = of(answer, lib / JAR, lib / DIST)
    assert found["exit_code"] == BrokenData.exit_code
    assert found["error"].startswith(f"{lib / JAR} is damaged (")
    (lib / JAR).write_bytes(whole[:70_000])
    found = of(answer, lib / JAR, lib / DIST)
    assert found["exit_code"] == HalfWritten.exit_code
    assert f"{lib / JAR} is cut off: it has the first 70,000 of the" in found["error"]


def test_our_classes_without_their_record_and_a_changed_class(
    lib: Path, tmp_path: Path, answer: Answer
) -> None:
    unpacked = tmp_path / "classes"
    with zipfile.ZipFile(lib / JAR) as archive:
        archive.extractall(unpacked)
    assert of(answer, unpacked, lib / DIST)["exit_code"] == BrokenData.exit_code

    hotfix = tmp_path / "hotfix.jar"
    with zipfile.ZipFile(hotfix, "w") as archive:
        changed = official_classes()[STRING].replace(b"StringValue.java", b"StringValu3.java")
        archive.writestr(f"{STRING.replace('.', '/')}.class", changed)
    found = of(answer, lib / JAR, lib / DIST, hotfix)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert (
        states(found) == {"jar": True, "version": False, "classes": True, "order": True} | FAMILIES
    )


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.version)
@pytest.mark.test_all
def test_each_measured_line(line: Line, tmp_path: Path, answer: Answer) -> None:
    dist = ensure_distribution(line) / "lib"
    jar = Path(shutil.copy(CARRIED.dropin(line), tmp_path))
    assert of(answer, jar, f"{dist}/*")["ok"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--classpath", "@file"),
        ("--classpath", ""),
        ("--classpath", "a.jar", "/opt/flink"),
        ("--classpath", "a.jar", "--job"),
        (),
    ],
)
def test_wrong_calls(arguments: tuple[str, ...], answer: Answer) -> None:
    found = answer("verify", *arguments)
    assert found["exit_code"] == UsageProblem.exit_code
    assert found["next_step"]


def test_a_java_that_does_not_answer(
    lib: Path, tmp_path: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    assert of(answer, lib / JAR)["exit_code"] == EnvironmentProblem.exit_code


def test_what_a_jvm_prints_of_its_own_is_no_answer(
    lib: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes before the answer and in the midst of it; a log of a running one stays as it is."""
    log = lib.parent / "gc.log"
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Xlog:gc*:file={log} -verbose:class")
    found = of(answer, lib / JAR, lib / DIST)
    assert found["ok"], found
    assert found["entries"] == [str(lib / JAR), str(lib / DIST)]
    assert not log.exists()


def test_why_a_java_does_not_answer(
    lib: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:NewRatio=none")
    found = of(answer, lib / JAR)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert (
        "did not tell what is on the class path (Improperly specified VM option" in found["error"]
    )
    # As a script in the place of java does that ends well.
    java = lib.parent / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho hello\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    found = of(answer, lib / JAR)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert "(hello)" in found["error"]

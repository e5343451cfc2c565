"""``doctor --job-classes`` on a job with types of every way: Flink and our jar are real."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import CARRIED, new_home, put_jar, set_options
from java_programs import javac

from flink_boost.base.errors import BrokenData, VerificationFailed
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.lines import load_lines
from flink_boost.operate.job_classes import NEXT_STEPS, JobType, RecordWay, read_answer, remedy

Answer = Callable[..., dict[str, Any]]

_JOB = Path(__file__).parent.parent / "data" / "job" / "RecordsJob.java"
_HOSTILE = _JOB.with_name("HostileJob.java")
_MISSING = "package com.elsewhere; public class Missing { public int key; }"
_PREFIX = "org.acme.job.RecordsJob$"
_REASON = re.compile(r"^    ([A-Z_]+)\(\"(.+)\"\)[,;]$", re.MULTILINE)


def compiled(folder: Path, *sources: Path) -> Path:
    """Their class files, against Flink's own."""
    home = new_home(folder / "stock")
    dists = sorted((home / "lib").glob("flink-dist*.jar"))
    javac("-d", folder / "classes", *sources, class_path=dists)
    return folder / "classes"


def packed(jar: Path, classes: Path) -> Path:
    """A jar of those in ``org``."""
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted((classes / "org").rglob("*.class")):
            archive.write(file, file.relative_to(classes))
    return jar


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar of the job, without a class that it needs."""
    folder = tmp_path_factory.mktemp("job")
    # What it needs is compiled, and left out of the jar.
    (folder / "Missing.java").write_text(_MISSING)
    return packed(folder / "job.jar", compiled(folder, _JOB, folder / "Missing.java"))


def by_name(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The types by their names without the class that they are nested in."""
    assert answer["ok"], answer
    return {each["name"].replace(_PREFIX, ""): each for each in answer["types"]}


def ways(found: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: each["way"] for name, each in found.items()}


@pytest.mark.needs_jars
def test_each_type_is_told_with_its_way_and_no_class_is_initialised(
    job: Path, home: Path, answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_jar(home)
    witness = tmp_path / "witness"
    witness.mkdir()
    monkeypatch.setenv("JOB_WITNESS", str(witness))

    found = by_name(answer("doctor", home, "--job-classes", job))

    assert ways(found) == {
        "Order": "fast",
        "Item": "fast",
        "Box": "fast",
        "Base": "fast",
        "Point": "fast",
        "Tuple2<String, Integer>": "fast",
        "Tuple2<String, Long>": "fast",
        "Tuple2<Order, Long>": "fast",
        "Late": "fast",
        "Shape": "stock",
        "Pair<String, Long>": "stock",
        "Money": "kryo",
        "Helper": "kryo",
        "org.acme.job.RecordsJob": "kryo",
        "Half": "unloaded",
        "Orphan": "unloaded",
    }
    shape, money = found["Shape"], found["Money"]
    assert (shape["code"], shape["next_step"]) == ("NOT_A_CLASS", NEXT_STEPS["NOT_A_CLASS"])
    # Flink's own words, and where it is met; of the other nothing says that it is a record.
    assert money["reason"].endswith("Money does not contain a getter for field cents")
    assert money["place"].endswith("RecordsJob$Order.total")
    assert found["Helper"]["place"] == ""
    assert found["Half"]["reason"] == "com.elsewhere.Missing is missing"
    assert found["Half"]["next_step"] == NEXT_STEPS["MISSING"]
    assert [found[name]["kind"] for name in ("Order", "Point", "Pair<String, Long>")] == [
        "POJO",
        "record",
        "tuple",
    ]
    # Flink asks an enum for its values.
    assert [each.name for each in witness.iterdir()] == ["Colour"]


@pytest.mark.needs_jars
def test_classes_that_flink_cannot_be_asked_about_hide_no_others(
    home: Path, answer: Answer, tmp_path: Path
) -> None:
    put_jar(home)
    jar = packed(tmp_path / "job.jar", compiled(tmp_path, _HOSTILE))
    plain = tmp_path / "classes" / "org" / "acme" / "job" / "HostileJob$Plain.class"
    with zipfile.ZipFile(jar, "a") as archive:
        archive.write(plain, "java/lang/Mine.class")
        archive.write(plain, "WEB-INF/classes/Mine.class")
        archive.writestr("Junk.class", "junk")

    found = by_name(answer("doctor", home, "--job-classes", jar))

    assert not [name for name in found if name.endswith("OfKryo")]
    told = {
        name.rpartition("$")[2]: (each["way"], each["reason"].removeprefix("java.lang."))
        for name, each in found.items()
        if each["way"] in ("fast", "unknown", "unloaded")
    }
    later = told.pop("GradedLater")
    misplaced = "WEB-INF/classes/Mine (wrong name: org/acme/job/HostileJob$Plain)"
    assert told == {
        "Plain": ("fast", ""),
        "Tree": ("unknown", "Flink does not come to an end with it: StackOverflowError"),
        "Refused": ("unknown", "IllegalStateException: no configuration"),
        "Unsaid": ("unknown", "AssertionError: no words"),
        "Graded": (
            "unloaded",
            "ExceptionInInitializerError: java.lang.IllegalStateException: no level",
        ),
        "java.lang.Mine": ("unloaded", "SecurityException: Prohibited package name: java.lang"),
        "WEB-INF.classes.Mine": ("unloaded", f"NoClassDefFoundError: {misplaced}"),
        "Junk": ("unloaded", "ClassFormatError: Truncated class file"),
    }
    assert later[0] == "unloaded"
    assert later[1].startswith("NoClassDefFoundError: Could not initialize class org.acme.job.")
    assert {each["code"] for each in found.values()} == {""}


@pytest.mark.needs_jars
def test_before_our_jar_is_installed_the_one_that_fits_is_asked(
    job: Path, home: Path, answer: Answer
) -> None:
    found = answer("doctor", home, "--job-classes", job, "--classes", f"{_PREFIX}Shape")

    assert ways(by_name(found)) == {"Shape": "stock"}
    assert found["records"]["state"] == "on"
    assert not list((home / "lib").glob("flink-boost*"))


@pytest.mark.needs_jars
def test_a_family_that_is_off_moves_nothing(job: Path, home: Path, answer: Answer) -> None:
    put_jar(home)
    set_options(home, env_java_opts_taskmanager="-Dflink.boost.records=off")

    found = answer("doctor", home, "--job-classes", job)

    assert found["records"]["state"] == "off"
    assert "flink.boost.records" in found["records"]["reason"]
    moved = {each["name"]: each["code"] for each in found["types"] if each["way"] == "stock"}
    assert moved[f"{_PREFIX}Order"] == "OFF"
    assert set(moved.values()) == {"OFF"}
    assert "fast" not in ways(by_name(found)).values()


@pytest.mark.needs_jars
def test_the_configuration_of_the_cluster_counts(job: Path, home: Path, answer: Answer) -> None:
    put_jar(home)
    with (home / "conf" / "config.yaml").open("a") as conf:
        conf.write("pipeline.force-kryo: true\n")

    found = by_name(answer("doctor", home, "--job-classes", job))

    assert found["Order"]["way"] == "kryo"
    assert found["Tuple2<String, Integer>"]["way"] == "fast"


@pytest.mark.needs_jars
def test_jars_inside_of_the_jobs_are_on_its_class_path(
    job: Path, home: Path, answer: Answer, tmp_path: Path
) -> None:
    inner, whole = tmp_path / "inner.jar", tmp_path / "whole.jar"
    with zipfile.ZipFile(inner, "w") as archive:
        missing = job.parent / "classes" / "com" / "elsewhere" / "Missing.class"
        archive.write(missing, "com/elsewhere/Missing.class")
    whole.write_bytes(job.read_bytes())
    with zipfile.ZipFile(whole, "a") as archive:
        archive.write(inner, "lib/inner.jar")

    found = by_name(answer("doctor", home, "--job-classes", whole))

    assert found["Half"]["way"] == found["Orphan"]["way"] == "fast"
    assert found["com.elsewhere.Missing"]["place"] == f"{_PREFIX}Half.missing"


@pytest.mark.needs_jars
def test_a_line_without_records_says_so(job: Path, tmp_path: Path, answer: Answer) -> None:
    home = new_home(tmp_path / "flink", load_lines()["1.9.3"])

    found = answer("doctor", home, "--job-classes", job)

    assert found["ok"]
    assert (found["records"], found["types"]) == (None, [])


@pytest.mark.needs_jars
def test_for_people_it_is_a_line_for_each_and_a_sum(
    job: Path, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", str(home), "--job-classes", str(job)]) == 0

    *lines, total, unused = capfd.readouterr().out.splitlines()

    assert f"fast      POJO {_PREFIX}Order." in lines
    shape = next(line for line in lines if f"{_PREFIX}Shape" in line)
    assert shape.startswith("stock     POJO ")
    assert shape.endswith(f". {NEXT_STEPS['NOT_A_CLASS']}")
    (unloaded,) = [line for line in lines if line.startswith("unloaded")]
    missing = f"{_PREFIX}Half (and 1 more): com.elsewhere.Missing is missing."
    assert unloaded.startswith(f"unloaded  {missing} Put the jar")
    assert total == "Of 14 types of job.jar: 9 fast, 2 stock, 1 kryo, 2 unloaded."
    assert unused.startswith("2 more classes are no POJOs")


@pytest.mark.needs_jars
def test_another_flink_boosts_jar_is_not_asked(
    job: Path, home: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_jar(home)
    monkeypatch.setattr("flink_boost.cli.job_types.__version__", "9.9.9")
    monkeypatch.setattr("flink_boost.cli.job_types.carried", lambda _version: CARRIED)

    found = answer("doctor", home, "--job-classes", job)

    assert found["exit_code"] == VerificationFailed.exit_code
    assert "flink-boost 9.9.9 cannot tell" in found["error"]


@pytest.mark.needs_jars
def test_what_is_no_jar_is_broken_data(home: Path, answer: Answer, tmp_path: Path) -> None:
    text = tmp_path / "job.jar"
    text.write_text("no jar")

    found = answer("doctor", home, "--job-classes", text)

    assert found["exit_code"] == BrokenData.exit_code
    assert "is no jar" in found["error"]


def test_a_filter_without_a_jar_is_a_wrong_call(answer: Answer, tmp_path: Path) -> None:
    assert answer("doctor", tmp_path, "--classes", "com.example")["exit_code"] == 2


def test_each_reason_of_our_jar_has_a_next_step() -> None:
    shapes = "flink-core-patch/src/records/main/java/org/apache/flink/boost/records/shapes"
    source = (PROJECT_ROOT / shapes / "Reason.java").read_text()
    reasons = {name for name, _sentence in _REASON.findall(source)}
    assert len(reasons) > 10
    assert reasons == NEXT_STEPS.keys() - {"OFF", "MISSING", "LATER_JAVA"}


def test_a_way_or_a_line_that_is_not_known_is_broken_data() -> None:
    fine = "type\tFAST\tPOJO\tcom.example.Order\t\t\t"
    assert read_answer(fine, "").types == (JobType(RecordWay.FAST, "POJO", "com.example.Order"),)
    for wrong in (fine.replace("FAST", "FLYING"), f"{fine}\tmore", "family\trecords\ton"):
        with pytest.raises(BrokenData):
            read_answer(wrong, "")


def test_flinks_first_word_on_a_class_is_its_reason() -> None:
    said = (
        "class com.example.Money does not contain a setter for field cents\n"
        "Class class com.example.Money cannot be used as a POJO type because not all fields are"
        " valid POJO fields, and must be processed as GenericType. Please read more.\n"
        "Class class com.example.Few is not public so it cannot be used as a POJO type.\n"
    )
    money, few = read_answer(
        "type\tKRYO\t\tcom.example.Money\t\t\t\ntype\tKRYO\t\tcom.example.Few\tx.y\t\t\n", said
    ).types[::-1]

    assert money.reason == "class com.example.Money does not contain a setter for field cents"
    assert few.reason == "Class class com.example.Few is not public"
    assert remedy(money) == remedy(few) != ""
    assert remedy(JobType(RecordWay.KRYO, "", "com.example.Other")) == ""

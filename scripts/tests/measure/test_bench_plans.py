"""Plans of runs: their class paths, and that a run goes on with the same things only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench_calls import AA, planned_run

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.flink.jdks import Jdk
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.measure import classpaths, run_plan
from flink_boost.measure.box import describe_box
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Cell, Timing

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def test_an_old_jdk_is_told_to_keep_java_lang_closed(class_paths: ClassPaths) -> None:
    old = planned_run(class_paths, box=describe_box(Jdk("11.0.13+8", 11)))
    assert "--illegal-access=deny" in old.jvm_options
    assert "--illegal-access=deny" not in planned_run(class_paths).jvm_options


def built_tree(root: Path, *missing: str) -> Path:
    """A project with a class path of two jars and a drop-in jar, except what is missing."""
    listing = root / "benchmarks" / "target" / "2.3.0" / "classpath.txt"
    listing.parent.mkdir(parents=True)
    (root / "build" / "jars").mkdir(parents=True)
    contents = {
        listing: f"{root / 'a.jar'}:{root / 'b.jar'}\n",
        root / "a.jar": "a",
        root / "b.jar": "b",
        root / "build" / "jars" / "flink-boost-2.3.0-0.2.0.jar": "ours",
    }
    for path, content in contents.items():
        if path.name not in missing:
            path.write_text(content, encoding="utf-8")
    return root


def find_paths(root: Path, sides: tuple[Side, ...]) -> ClassPaths:
    return classpaths.find_class_paths(find_line("2.3.0"), root / "build", "0.2.0", sides, root)


def test_the_patched_side_has_the_dropin_jar_in_front(tmp_path: Path) -> None:
    paths = find_paths(built_tree(tmp_path), (Side.STOCK, Side.PATCHED))
    stock = f"{tmp_path}/a.jar:{tmp_path}/b.jar"
    assert paths.of(Side.STOCK) == paths.of(Side.CONTROL) == stock
    assert paths.of(Side.PATCHED) == f"{tmp_path}/build/jars/flink-boost-2.3.0-0.2.0.jar:{stock}"


def third_side(tmp_path: Path) -> classpaths.Third:
    jar = tmp_path / "overlay.jar"
    jar.write_text("theirs", encoding="utf-8")
    return classpaths.Third("upstream", "upstream 1.10.0", jar)


def test_the_third_side_has_its_own_jar_in_front_and_is_pinned(tmp_path: Path) -> None:
    third = third_side(tmp_path)
    sides = (Side.STOCK, Side.PATCHED, Side.UPSTREAM)
    root = built_tree(tmp_path / "root")
    paths = classpaths.find_class_paths(
        find_line("2.3.0"), root / "build", "0.2.0", sides, root, third=third
    )
    assert paths.of(Side.UPSTREAM) == f"{third.jar}:{root}/a.jar:{root}/b.jar"
    assert "overlay" not in paths.of(Side.STOCK) + paths.of(Side.PATCHED)
    info = planned_run(paths)
    box = describe_box(Jdk("17.0.1", 17))
    assert (info.third, info.third_title) == ("upstream", "upstream 1.10.0")
    run_plan.require_same_circumstances(info, paths, box)
    third.jar.write_text("changed", encoding="utf-8")
    with pytest.raises(UsageProblem, match="third side's jar has changed"):
        run_plan.require_same_circumstances(info, paths, box)


def test_comparators_alone_are_not_measured_against_themselves(class_paths: ClassPaths) -> None:
    cell = Cell(benchmark="a.StringComparatorBenchmark.writeUtf")
    timing = Timing(warmup_iterations=1, warmup_time_ms=1, iterations=1, iteration_time_ms=1)
    group = Group("g", "g", True, 1, (cell,), (timing,))
    with pytest.raises(UsageProblem, match="Comparators alone"):
        planned_run(class_paths, group=group)


@pytest.mark.parametrize("missing", ["classpath.txt", "b.jar", "flink-boost-2.3.0-0.2.0.jar"])
def test_what_is_not_built_is_named(tmp_path: Path, missing: str) -> None:
    root = built_tree(tmp_path, missing)
    with pytest.raises(EnvironmentProblem, match=re.escape(missing)) as caught:
        find_paths(root, (Side.STOCK, Side.PATCHED))
    assert caught.value.next_step == "Run `make build` first."


def test_an_aa_run_needs_no_dropin_jar(tmp_path: Path) -> None:
    root = built_tree(tmp_path, "flink-boost-2.3.0-0.2.0.jar")
    paths = find_paths(root, AA)
    assert planned_run(paths).dropin_sha256 == ""
    run_plan.require_same_circumstances(planned_run(paths), paths, describe_box(Jdk("17.0.1", 17)))


@pytest.mark.parametrize("what", ["drop-in jar", "benchmark class path", "machine", "JDK"])
def test_a_run_does_not_go_on_with_something_else(tmp_path: Path, what: str) -> None:
    paths = find_paths(built_tree(tmp_path), (Side.STOCK, Side.PATCHED))
    info = planned_run(paths).model_copy(
        update={
            "sides": (Side.STOCK, Side.PATCHED),
            "dropin_sha256": sha256(paths.dropin),
        }
    )
    box = info.box
    run_plan.require_same_circumstances(info, paths, box)
    if what == "drop-in jar":
        paths.dropin.write_text("rebuilt")
    elif what == "benchmark class path":
        paths.stock[1].write_text("rebuilt")
    elif what == "machine":
        box = box.model_copy(update={"hostname": "elsewhere", "fingerprint": "another"})
    else:
        box = box.model_copy(update={"jdk": "21.0.8+9"})
    with pytest.raises(UsageProblem, match=f"the {what} has changed"):
        run_plan.require_same_circumstances(info, paths, box)

"""Tarballs of bad input are refused with a sentence, and what a killed call left goes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from installations import everything_in, flink_boost
from small_distribution import CLASS, Inputs, small_dist, small_dropin

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    FlinkBoostError,
    UsageProblem,
    VendorFlink,
)
from flink_boost.base.files import exclusive_lock, sha256
from flink_boost.flink.lines import Line
from flink_boost.operate.dist.build import Variant
from flink_boost.operate.dist.tarball import write_tarball

pytestmark = pytest.mark.needs_jars


def test_what_a_killed_call_left_stops_no_other(inputs: Inputs) -> None:
    target = inputs.build().path
    left = target.with_name(f".{target.name}.sha256.abcdefgh.partial")
    left.touch()
    target.with_name(f".{target.name}.folder").mkdir()
    target.unlink()
    assert inputs.build().path == target
    assert not left.exists()


def damaged_download(inputs: Inputs, line: Line) -> Line:
    file = inputs.cache / "downloads" / line.distribution[1].file
    file.write_bytes(file.read_bytes()[:-9])
    return line


def cut_off_package(inputs: Inputs, line: Line) -> Line:
    """Pinned as it is: the pin, not the download, is wrong."""
    file = inputs.cache / "downloads" / line.distribution[1].file
    file.write_bytes(file.read_bytes()[:200])
    pins = (line.distribution[0], dataclasses.replace(line.distribution[1], sha256=sha256(file)))
    return dataclasses.replace(line, distribution=pins)


def jar_for_another_release(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin(flink="6.9"))
    return line


def jar_from_other_classes(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin(classes={CLASS: "0" * 64}))
    return line


def no_jar_of_ours(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dist())
    return line


def half_a_jar(inputs: Inputs, line: Line) -> Line:
    inputs.dropin.write_bytes(small_dropin()[:300])
    return line


def another_build_of_flink(inputs: Inputs, line: Line) -> Line:
    return dataclasses.replace(line, classes={CLASS: "0" * 64})


def nothing_pinned(inputs: Inputs, line: Line) -> Line:
    return dataclasses.replace(line, distribution=())


BAD_INPUT: dict[Callable[[Inputs, Line], Line], tuple[type[FlinkBoostError], str]] = {
    damaged_download: (BrokenData, "instead of the pinned"),
    cut_off_package: (BrokenData, "cannot be unpacked"),
    jar_for_another_release: (BrokenData, "is built for Flink 6.9"),
    jar_from_other_classes: (BrokenData, "from other classes than lines.toml has for Flink 7.0"),
    no_jar_of_ours: (BrokenData, "is built for nothing"),
    half_a_jar: (BrokenData, "cannot be read as a jar"),
    another_build_of_flink: (VendorFlink, f"its class {CLASS} is not the official one"),
    nothing_pinned: (EnvironmentProblem, "pins no distribution for Flink 7.0"),
}


@pytest.mark.parametrize("spoil", BAD_INPUT, ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize("variant", Variant)
def test_bad_input_has_its_sentence_and_leaves_what_was_there(
    spoil: Callable[[Inputs, Line], Line], variant: Variant, inputs: Inputs
) -> None:
    error, words = BAD_INPUT[spoil]
    good = inputs.build(variant)
    before = everything_in(inputs.out)
    line = spoil(inputs, inputs.write_packages())

    with pytest.raises(error) as raised:
        inputs.build(variant, line)

    assert words in raised.value.message
    assert raised.value.next_step
    assert everything_in(inputs.out) == before
    assert sha256(good.path) == good.sha256


def test_a_full_disk_or_a_file_in_the_way_has_its_sentence(inputs: Inputs, tmp_path: Path) -> None:
    inputs.out = tmp_path / "file" / "dist"
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblem, match="cannot be filled"):
        inputs.build()


def test_what_a_killed_call_left_goes_and_a_running_one_is_not_disturbed(inputs: Inputs) -> None:
    left = inputs.out / ".flink-7.0-boost.tgz.x7y"
    left.mkdir(parents=True)
    (left / "half.tgz").write_bytes(b"half")
    with (
        exclusive_lock(inputs.out / ".lock", "flink-boost dist"),
        pytest.raises(EnvironmentProblem, match="Another flink-boost dist"),
    ):
        inputs.build()
    assert left.exists()

    inputs.build()

    assert not left.exists()


def test_a_link_in_a_distribution_is_refused(tmp_path: Path) -> None:
    (tmp_path / "flink").mkdir()
    (tmp_path / "flink" / "link").symlink_to("/etc/passwd")
    with pytest.raises(BrokenData, match="root/link is neither a file nor a folder"):
        write_tarball(tmp_path / "flink", "root", tmp_path / "out.tgz")


def test_the_command_names_what_it_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flink_boost("dist", "--line", "9.9.9", "--out", tmp_path) == UsageProblem.exit_code
    assert "There is no Flink line '9.9.9'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []

"""Tarballs of whole distributions: what is in them, and that they repeat."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from small_distribution import (
    CLASS,
    OFFICIAL,
    TEXTS,
    Inputs,
    files_in,
    small_dist,
    small_dropin,
    unpacked,
)

from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.operate.dist.build import PAGE, Variant, kill_switch
from flink_boost.operate.dist.tarball import EPOCH

pytestmark = pytest.mark.needs_jars


def test_it_holds_the_official_files_our_jar_and_the_texts(inputs: Inputs, tmp_path: Path) -> None:
    home = unpacked(inputs.build(), tmp_path / "there")

    assert home.name == "flink-7.0-boost"
    assert files_in(home) == OFFICIAL | TEXTS | {"lib/flink-boost-7.0-0.2.0.jar"}
    installed = home / "lib/flink-boost-7.0-0.2.0.jar"
    assert installed.read_bytes() == inputs.dropin.read_bytes()
    assert (home / "lib/flink-dist-7.0.jar").read_bytes() == inputs.dist
    assert (home / "log").is_dir()
    licence = (home / "LICENSE").read_text()
    assert licence.startswith("the licence of Flink\n")
    assert "flink-boost, whose classes this distribution contains" in licence
    notice = (home / "NOTICE").read_text()
    assert notice.startswith("flink-boost's NOTICE\n")
    assert notice.endswith("the notice of Flink\n")


def test_texts_come_from_flinks_jar_where_the_packages_have_none(
    inputs: Inputs, tmp_path: Path
) -> None:
    home = unpacked(inputs.build(legal=False), tmp_path / "there")

    assert (home / "LICENSE").read_text().startswith("the licence of Flink's jar\n")
    assert (home / "NOTICE").read_text().endswith("the notice of Flink's jar")


def test_the_start_page_says_what_differs_and_how_to_undo_it(
    inputs: Inputs, tmp_path: Path
) -> None:
    for variant in Variant:
        tarball = inputs.build(variant)
        home = unpacked(tarball, tmp_path / variant)
        page = (home / PAGE).read_text()
        inside = variant is Variant.REPLACED
        changed = "flink-dist-7.0.jar" if inside else "flink-boost-7.0-0.2.0.jar"
        assert f"| `lib/{changed}` here | `{sha256(home / 'lib' / changed)}` |" in page
        assert hashlib.sha256(inputs.dist).hexdigest() in page
        assert f"- `{CLASS}`" in page
        assert f"sha256sum -c {tarball.path.name}.sha256" in page
        assert ("--stock" in page) is inside
        assert ("flink-boost uninstall" in page) is not inside
        assert "-Dflink.boost.mode=off" in page
        for pin in inputs.write_packages().distribution:
            assert pin.sha256 in page


def test_the_start_page_names_the_kill_switch_that_the_release_reads() -> None:
    page = (PROJECT_ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    for version, releases in {
        "1.9.3": "1.9 to 1.16",
        "1.16.3": "1.9 to 1.16",
        "1.17.0": "1.17",
        "1.18.1": "1.18",
        "1.19.3": "1.19 and later",
        "2.3.0": "1.19 and later",
    }.items():
        option, _, file = kill_switch(version).rpartition(" in ")
        assert f"\n- {releases}: {option}" in page, version
        assert file == f"`conf/{'config' if 'later' in releases else 'flink-conf'}.yaml`"


def test_owners_times_modes_and_the_header_say_nothing_about_the_builder(inputs: Inputs) -> None:
    tarball = inputs.build()

    header = tarball.path.read_bytes()[:10]
    assert header[:4] == b"\x1f\x8b\x08\x00"  # no name, no comment
    assert struct.unpack("<L", header[4:8]) == (EPOCH,)
    with tarfile.open(tarball.path) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    owners = {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members}
    assert owners == {(0, 0, "root", "root", EPOCH)}
    modes = {member.name.split("/", 1)[-1]: member.mode for member in members}
    assert modes["bin/config.sh"] == modes["log"] == 0o755
    assert modes["conf/config.yaml"] == 0o644


@pytest.mark.parametrize("variant", Variant)
def test_the_same_input_gives_the_same_bytes(
    variant: Variant, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = inputs.build(variant)
    content = first.path.read_bytes()

    line = inputs.write_packages()
    os.utime(inputs.dropin, (1, 1))
    inputs.texts.rename(tmp_path / "elsewhere")
    inputs.texts = tmp_path / "elsewhere"
    inputs.out = tmp_path / "other"
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    mask = os.umask(0o077)
    try:
        again = inputs.build(variant, line)
    finally:
        os.umask(mask)

    assert again.sha256 == first.sha256 == hashlib.sha256(content).hexdigest()
    assert again.path.read_bytes() == content
    assert again.size == len(content)


def other_dropin(inputs: Inputs) -> None:
    inputs.dropin.write_bytes(small_dropin(more="org/apache/flink/boost/More.class"))


def other_dist(inputs: Inputs) -> None:
    inputs.dist = small_dist(services=False)


def other_script(inputs: Inputs) -> None:
    inputs.script += "# changed\n"


def other_notice(inputs: Inputs) -> None:
    (inputs.texts / "NOTICE").write_text("another notice\n")


def other_version(inputs: Inputs) -> None:
    inputs.version = "0.1.1"


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize(
    "change",
    [other_dropin, other_dist, other_script, other_notice, other_version],
    ids=lambda change: change.__name__,
)
def test_another_input_gives_other_bytes(
    change: Callable[[Inputs], None], variant: Variant, inputs: Inputs
) -> None:
    before = inputs.build(variant)
    change(inputs)
    after = inputs.build(variant)

    assert after.path == before.path
    assert after.sha256 != before.sha256


def test_the_checksum_beside_it_is_what_sha256sum_reads(inputs: Inputs) -> None:
    inputs.build()
    tarball = inputs.build()  # over the former one

    assert sorted(path.name for path in inputs.out.iterdir()) == [
        ".lock",
        "flink-7.0-boost.tgz",
        "flink-7.0-boost.tgz.sha256",
    ]
    command = ["sha256sum", "--check", "--strict", f"{tarball.path.name}.sha256"]
    checked = subprocess.run(command, cwd=inputs.out, capture_output=True, timeout=30, check=False)
    assert (checked.returncode, checked.stdout) == (0, b"flink-7.0-boost.tgz: OK\n")
    tarball.path.write_bytes(tarball.path.read_bytes()[:-1])
    checked = subprocess.run(command, cwd=inputs.out, capture_output=True, timeout=30, check=False)
    assert checked.returncode == 1

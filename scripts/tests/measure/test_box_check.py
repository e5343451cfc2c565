"""A machine is held against what box.toml recorded: what differs is refused, or only noted."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from flink_boost.base.errors import DifferentBox, EnvironmentProblem, UsageProblem
from flink_boost.cli.commands import box as box_command
from flink_boost.cli.main import main
from flink_boost.flink.jdks import Jdk
from flink_boost.measure import tuning
from flink_boost.measure.box import changes_since, describe_box
from flink_boost.measure.box_change import BoxChange, differences
from flink_boost.measure.box_file import BoxFile, QuietLimits, read_box_file, write_box_file
from flink_boost.measure.host import Host, describe_host, parse_metadata, read_host
from flink_boost.measure.model import Box, BoxFacts

JDK = Jdk("17.0.15+6-Debian-1deb12u1", 17)
HOST = Host(
    cpu="Example CPU @ 2.0",
    memory_mb=16000,
    governor="performance",
    turbo="off",
    smt="off",
    aslr="full",
    microcode="0x10",
    huge_pages="madvise",
    swappiness="1",
    isolated=False,
)
SETTINGS = {"governor": "powersave", "turbo": "on", "smt": "on", "aslr": "off"}


def recorded(host: Host = HOST) -> BoxFile:
    box = describe_box(JDK, host=host)
    return BoxFile(version=2, name="redbox", fingerprint=box.fingerprint, recorded=box.facts)


def file_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, box: BoxFile) -> Path:
    path = tmp_path / "box.toml"
    write_box_file(path, box)
    monkeypatch.setenv("FLINK_BOOST_BOX", str(path))
    return path


def test_the_same_machine_has_no_differences() -> None:
    named = recorded()
    box = describe_box(JDK, named, HOST)
    assert box.name == "redbox"
    assert changes_since(named, box) == ()


@pytest.mark.parametrize("setting", SETTINGS)
def test_another_setting_refuses(setting: str) -> None:
    named = recorded()
    host = replace(HOST, **{setting: SETTINGS[setting]})
    with pytest.raises(DifferentBox, match=f"and is {SETTINGS[setting]}") as refused:
        describe_box(JDK, named, host)
    assert "box tune" in refused.value.next_step
    # Told so, the machine measures, but not into the series of the box.
    other = describe_box(JDK, named, host, environment="redbox-as-it-is")
    assert other.label == "redbox-as-it-is"
    assert [change.what for change in changes_since(named, other)] == [setting]


def test_the_boxs_own_name_does_not_excuse_it() -> None:
    with pytest.raises(DifferentBox):
        describe_box(JDK, recorded(), replace(HOST, turbo="on"), environment="redbox")
    with pytest.raises(EnvironmentProblem, match="the fingerprint"):
        describe_box(JDK, recorded(), replace(HOST, cpu="Other"), environment="redbox")
    with pytest.raises(UsageProblem, match="is no name of a box"):
        describe_box(JDK, recorded(), HOST, environment="red box")


def test_a_setting_that_cannot_be_seen_any_more_is_not_taken_for_the_same() -> None:
    with pytest.raises(DifferentBox, match="was performance and is unknown"):
        describe_box(JDK, recorded(), replace(HOST, governor=""))


def test_updates_are_noted_and_refuse_nothing() -> None:
    named = recorded()
    box = describe_box(Jdk("17.0.16+8", 17), named, replace(HOST, microcode="0x11"))
    box = box.model_copy(update={"kernel": "7.0"})
    changes = changes_since(named, box)
    assert [change.what for change in changes] == ["kernel", "jdk", "microcode"]
    assert not any(change.refuses for change in changes)
    # The JDK of another line is no update of the recorded one.
    assert changes_since(named, describe_box(Jdk("11.0.13+8", 11), named, HOST)) == ()


def test_a_file_of_the_first_version_is_compared_by_its_fingerprint_alone() -> None:
    old = BoxFile(name="redbox", fingerprint=recorded().fingerprint)
    box = describe_box(JDK, old, replace(HOST, turbo="on", governor="powersave"))
    assert box.name == "redbox"
    assert changes_since(old, box) == ()


def test_memory_is_compared_without_what_a_kernel_keeps() -> None:
    before = BoxFacts(memory_mb=16000)
    assert differences(before, BoxFacts(memory_mb=15980)) == ()
    assert differences(before, BoxFacts(memory_mb=32000)) == (
        BoxChange("memory_mb", "16000", "32000"),
    )


def test_a_run_that_was_stored_without_settings_stays_readable() -> None:
    box = describe_box(JDK, host=HOST)
    document = json.loads(box.model_dump_json())
    for name in (*SETTINGS, "microcode"):
        del document[name]
    old = Box.model_validate(document)
    assert differences(old.facts, box.facts) == ()


def test_a_file_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = recorded().model_copy(update={"quiet": QuietLimits(busy=0.5)})
    path = file_of(tmp_path, monkeypatch, named)
    assert read_box_file({"FLINK_BOOST_BOX": str(path)}) == named
    path.write_text('name = "redbox"\nfingerprint = "0123456789ab"\n')
    assert read_box_file({"FLINK_BOOST_BOX": str(path)}) == BoxFile(
        name="redbox", fingerprint="0123456789ab"
    )


def test_what_pyperf_and_linux_say_of_a_tuned_machine(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmicrocode\t: 0xf0\n")
    for name, text in {
        "devices/system/cpu/smt/active": "0\n",
        "devices/system/cpu/cpufreq/boost": "1\n",
        "kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    printed = (
        "Metadata:\n- aslr: Full randomization\n- cpu_model_name: Example\n"
        "- cpu_config: 0=driver:intel_pstate, intel_pstate:no turbo, governor:powersave;"
        " 1=driver:intel_pstate, intel_pstate:no turbo, governor:performance, isolated\n"
    )
    host = describe_host(parse_metadata(printed), 8 << 30, tmp_path, tmp_path)
    assert host == Host(
        "Example", 8192, "powersave and performance", "off", "off", "full", "0xf0", "always", "",
        isolated=True,
    )  # fmt: skip
    other = describe_host({"cpu_config": "driver:acpi-cpufreq"}, 0, tmp_path, tmp_path)
    assert other.turbo == "on"


def test_this_machine_describes_itself() -> None:
    host = read_host()
    assert host.memory_mb > 500
    assert host.cpu
    assert host.aslr in ("full", "conservative", "off")
    assert host.turbo in ("", "on", "off")


def test_check_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "box.toml"
    monkeypatch.setenv("FLINK_BOOST_BOX", str(path))
    assert main(["box", "record"]) == 2
    assert main(["box", "record", "--name", "redbox"]) == 0
    assert main(["box", "check"]) == 0
    assert capsys.readouterr().out == "redbox is as recorded.\n"
    recorded_text = path.read_text()

    path.write_text(recorded_text.replace('kernel = "', 'kernel = "before-'))
    assert main(["box", "check"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "redbox is as recorded but for updates.\n"
    assert "The kernel was before-" in captured.err

    path.write_text(recorded_text.replace("[recorded]", '[recorded]\ngovernor = "performance"'))
    assert main(["box", "check", "--json"]) == 32
    captured = capsys.readouterr()
    assert json.loads(captured.out)["exit_code"] == 32
    assert "The frequency governor was performance and is" in captured.err
    assert main(["box", "show"]) == 0
    assert "differs" in capsys.readouterr().out

    # Recorded anew, it is right again, and keeps its name.
    assert main(["box", "record"]) == 0
    assert main(["box", "check"]) == 0

    path.write_text('name = "redbox"\nfingerprint = "0123456789ab"\n')
    assert main(["box", "check"]) == 32
    assert "The fingerprint of processor, cores and memory was 0123" in capsys.readouterr().err


def test_check_needs_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(box_command, "read_box_file", lambda _: None)
    assert main(["box", "check"]) == 2
    assert "box record --name NAME" in capsys.readouterr().err
    assert main(["box", "--json", "check"]) == 2
    assert main(["box", "check", "--wait", "3"]) == 2


@pytest.mark.parametrize(
    ("host", "commands"),
    [
        (HOST, 2),  # the timers, and the cpuset
        (replace(HOST, governor="powersave"), 3),
        (replace(HOST, governor="powersave", turbo="on", smt="on", aslr="off"), 6),
        (replace(HOST, huge_pages="always", swappiness="60", isolated=True), 3),
    ],
)
def test_tuning_is_a_script_that_says_why_and_how_to_undo_it(host: Host, commands: int) -> None:
    advice = tuning.advice_for(host, cores=4)
    text = tuning.script(advice)
    active = [line for line in text.splitlines()[1:] if line and not line.startswith("#")]
    assert active[0] == "set -eu"
    assert len(active) == 1 + commands, active
    assert text.count("undo: ") == len(advice)
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0


def test_a_script_never_switches_randomisation_off() -> None:
    for aslr in ("full", "conservative", "off", ""):
        text = tuning.script(tuning.advice_for(replace(HOST, aslr=aslr), cores=4))
        active = [line for line in text.splitlines() if not line.startswith("#")]
        assert not any("randomize_va_space=0" in line for line in active)
        assert any("randomize_va_space=2" in line for line in active) == (
            aslr in ("conservative", "off")
        )

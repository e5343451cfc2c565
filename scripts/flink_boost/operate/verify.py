"""Proves from an installation itself that our classes are in effect and do what stock's do.

A JVM with the installation's own java, class path and options, and ``InstallationCheck`` behind
them, writes down which classes it has loaded and drives strings through both sides; here it is
judged.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.base.processes import CommandTimeoutError, run_supervised
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import User, hand_over, lent, lent_of_others, read_left
from flink_boost.flink.dropin import OWN_BUILD
from flink_boost.flink.home import is_dist
from flink_boost.flink.jvm_options import SMALL, agents, taken_over
from flink_boost.flink.launch import Launch
from flink_boost.flink.lines import OPENS_JAVA_LANG, Line
from flink_boost.operate.dist.jar import write_replaced
from flink_boost.operate.families import expected, switches_in, verdict_of, wrong_value
from flink_boost.operate.jvm_start import JvmStart, cause_in, next_step
from flink_boost.operate.properties import read_properties

MAIN_CLASS = "org.apache.flink.boost.soak.InstallationCheck"
STRINGS = 1_000_000
CODE_UNITS = 0x10000

# Whose options the check runs with: it is there that strings are written and read.
MEASURED = "taskmanager"
_SECONDS = 1800.0
_UNLINKED = re.compile(
    "NoClassDefFoundError|ClassFormatError|VerifyError|LinkageError|NoSuch(Method|Field)Error"
)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; ``detail`` says what was found, in one sentence.

    ``passed`` is None for what could not be checked, because another check failed.
    """

    name: str
    passed: bool | None
    detail: str

    @property
    def failed(self) -> bool:
        """Whether it was checked and is not as it should be."""
        return self.passed is False


def observe(
    stock: Path,
    launch: Launch,
    verifier: Path,
    environment: Mapping[str, str],
    start: JvmStart | None = None,
    strings: int | None = None,
) -> dict[str, str]:
    """What a JVM of the installation sees, by the keys of ``InstallationCheck``.

    ``stock`` is the jar with the classes to compare with. It starts with the taskmanager's options,
    without agents, and takes all strings where nothing else is said.

    Raises ``EnvironmentProblem`` when it cannot be started or does not come to its end, and
    ``BrokenData`` when our jar is not whole enough for it to run.
    """
    user = launch.user
    with scratch_folder(user) as folder:
        report = folder / "answer" / "report.xml"
        report.parent.mkdir()
        hand_over(report.parent, user)
        readable = lent_of_others(stock, folder, user)
        class_path = (*launch.class_path, lent(verifier, folder, user))
        given = launch.options[MEASURED]
        command = [
            launch.java,
            *(taken_over(given, agents(given)) if start is None else start.options),
            *(*SMALL, f"-Dstock.jars={readable}", "-cp", os.pathsep.join(map(str, class_path))),
            *(MAIN_CLASS, str(report), str(STRINGS if strings is None else strings)),
        ]
        log = folder / "output.txt"
        try:
            own = launch.environment(environment, None if start is None else start.without)
            code = run_supervised(command, log, own, _SECONDS, user)
        except CommandTimeoutError as error:
            raise EnvironmentProblem(
                f"The check did not end within {_SECONDS:.0f} s.", "Try it on a quieter machine."
            ) from error
        if code != 0 or not report.is_file():
            raise _explain(log.read_text(errors="replace"), launch, class_path)
        seen = _read(report, user)
    there = {str(readable): str(stock)}
    return {
        # The report has lines, and is read as what it is.
        key: value if key == "report" else there.get(value, printable(value))
        for key, value in seen.items()
    }


def judge(
    seen: Mapping[str, str], stock: Path, line: Line, launch: Launch, jar: Path, ours: Path
) -> list[Check]:
    """The verdicts on an installation.

    ``jar`` is the one in it that has our classes, ``ours`` the drop-in jar that we carry, ``stock``
    the jar that it was compared with.
    """
    return [
        judge_jar(jar, ours, stock),
        _version(seen, line),
        *_classes(seen, stock, line, jar),
        _bytes(seen, launch),
        _mode(seen, line, launch),
        Check("families", *verdict_of(seen, line.family_of.values())),
    ]


def judge_jar(jar: Path, ours: Path, stock: Path) -> Check:
    """Whether the jar with our classes is what this flink-boost would install or make."""
    if is_dist(jar):
        return _replaced(jar, ours, stock)
    found, expected = sha256(jar), sha256(ours)
    if found == expected:
        return Check("jar", True, f"{jar.name} is the one that this flink-boost carries.")
    return Check(
        "jar",
        False,
        f"{jar} (SHA-256 {found}) is not the jar that this flink-boost carries (SHA-256"
        f" {expected}).",
    )


def _replaced(jar: Path, ours: Path, stock: Path) -> Check:
    """The jar has to be what is made of stock's and ours, byte for byte."""
    digest = hashlib.sha256()
    write_replaced(stock, ours, digest.update)
    found, expected = sha256(jar), digest.hexdigest()
    if found == expected:
        return Check(
            "jar",
            True,
            f"{jar.name} is the official one with the classes of {ours.name} inside, which this"
            " flink-boost carries.",
        )
    return Check(
        "jar",
        False,
        f"{jar} (SHA-256 {found}) is not {stock} with the classes of {ours.name} inside, as this"
        f" flink-boost makes it (SHA-256 {expected}).",
    )


def _version(seen: Mapping[str, str], line: Line) -> Check:
    passed = seen["fits"] == "true" and seen["flink.version"] == line.version
    if passed:
        guard = seen["guard"] == "true"
        word = "and the guard is in place" if guard else "but Flink will not find the guard"
        return Check(
            "version",
            guard,
            f"flink-boost {seen['boost.version']} for Flink {line.version}:"
            f" {seen['fits.sentence']}, {word}.",
        )
    return Check("version", False, seen["fits.sentence"])


def _classes(seen: Mapping[str, str], stock: Path, line: Line, jar: Path) -> Iterator[Check]:
    wrong = list(not_ours(seen, line, jar))
    yield Check(
        "classes",
        not wrong,
        "; ".join(wrong) + "."
        if wrong
        else f"All {len(expected(seen, line.classes))} patched classes are loaded from {jar.name}.",
    )
    foreign = [
        f"{name} from {seen.get(f'stock.{name}', 'nowhere')}"
        for name in expected(seen, line.classes)
        if not _is_from(seen, f"stock.{name}", stock) or seen.get(f"intact.{name}") != "true"
    ]
    if seen["flink.version"] != line.version:
        # What is intact is judged by the jar's own list, which is another release's.
        yield Check(
            "stock",
            None,
            f"Not checked: {jar.name} was made from the class files of another release.",
        )
        return
    yield Check(
        "stock",
        not foreign,
        f"Not {_whose(line)} class files: {'; '.join(foreign)}."
        if foreign
        else f"They were compared with {_whose(line)} class files in {stock.name}.",
    )


def not_ours(seen: Mapping[str, str], line: Line, jar: Path) -> Iterator[str]:
    """What is to be said of each patched class that a JVM has loaded and that is not ours.

    Of a family that is off they are not.
    """
    for name in expected(seen, line.classes):
        if not _is_from(seen, f"patched.{name}", jar):
            yield f"{name} comes from {seen.get(f'patched.{name}', 'nowhere')}"
        elif seen.get(f"woven.{name}") != "true":
            yield (
                f"{name} is another class than that in {jar.name}: an agent, or an archive of"
                " classes, puts it in its place"
            )


def _whose(line: Line) -> str:
    return "this build's own" if OWN_BUILD in line.version else "the official"


def _is_from(seen: Mapping[str, str], key: str, jar: Path) -> bool:
    """Whether a class was loaded from that jar; a JVM names the file behind all links."""
    return key in seen and Path(seen[key]).resolve() == jar.resolve()


def _bytes(seen: Mapping[str, str], launch: Launch) -> Check:
    strings, mismatch = int(seen["strings"]), seen["mismatch"]
    if mismatch:
        return Check("bytes", False, f"Stock differs after {strings:,} strings: {mismatch}.")
    off = switches_in(seen, launch, MEASURED)[MEASURED].value == "off"
    if seen["enabled"] != "true" and not off:
        return Check("bytes", None, "Not checked: our code does not run; `mode` says why.")
    by_whom = "; stock's code in our jar did it, because ours is switched off" if off else ""
    return Check(
        "bytes",
        strings >= STRINGS,
        f"{strings:,} strings with each of the {CODE_UNITS:,} code units, written, read and copied"
        f" as by stock, in {float(seen['seconds']):.0f} s{by_whom}.",
    )


def _mode(seen: Mapping[str, str], line: Line, launch: Launch) -> Check:
    switches = switches_in(seen, launch, MEASURED)
    modes = {role: switch.value for role, switch in switches.items()}
    unknown = wrong_value(switches, launch)
    if unknown:
        return Check("mode", False, unknown)
    all_off = set(modes.values()) == {"off"}
    if seen["fits"] != "true" and not (all_off and seen["fits.switched.off"] == "true"):
        return Check(
            "mode",
            False,
            "The guard refuses the jar, as `version` says: a process of Flink ends when it starts.",
        )
    on = modes[MEASURED] == "on"
    if on and seen["enabled"] != "true":
        return Check("mode", False, f"Mode off though nobody switched it off: {seen['reason']}.")
    text = f"Mode on; {seen['access']}; JDK {seen['jdk']}"
    if not on:
        switch = switches[MEASURED]
        where = f" in {switch.where}" if switch.where else ""
        text = f"Mode off: stock's code runs, by {switch.option}{where}; JDK {seen['jdk']}"
    # Behind it stands what a vendor chose: 17.0.15+6, 21-ea, 17-internal.
    number = re.match(r"\d+", seen["jdk"])
    feature = int(number[0]) if number else None
    if feature is None or feature not in line.jdks:
        text += f", which is not tested (tested: {', '.join(map(str, line.jdks))})"
    elif on and not launch.compacts_strings(MEASURED):
        text += "; to go faster, take -XX:-CompactStrings out of the JVM options"
    elif on and not launch.opens_strings(MEASURED, feature):
        text += f"; to go faster, add {OPENS_JAVA_LANG} to the JVM options"
    others = [f"{mode} for the {r}" for r, mode in modes.items() if mode != modes[MEASURED]]
    if others:
        text += f"; mode {' and '.join(others)}"
    return Check("mode", (seen["enabled"] == "true") == on, f"{text}.")


def _read(report: Path, user: User | None) -> dict[str, str]:
    try:
        return read_properties(read_left(report, user))
    except (OSError, ET.ParseError, KeyError) as error:
        raise BrokenData(
            f"The check left a report that cannot be read ({error}).", "Run the command again."
        ) from error


def _explain(
    errors: str, launch: Launch, class_path: Sequence[Path]
) -> EnvironmentProblem | BrokenData:
    words = cause_in(errors)
    if _UNLINKED.search(words):
        if beyond := next((str(e) for e in class_path if not str(e).isascii()), ""):
            return EnvironmentProblem(
                f"A JVM does not find {printable(beyond)} ({words}): in this locale it knows no"
                " characters outside ASCII.",
                "Set LC_ALL=C.UTF-8, here and where Flink is started, or move the installation to a"
                " path of plain ASCII characters.",
            )
        return BrokenData(
            f"A class that the check needs is missing or damaged ({words}).",
            "Uninstall the jar and install it again.",
        )
    return EnvironmentProblem(
        f"The check did not run with {launch.java} ({words}).", next_step(launch)
    )


def observe_all(
    stock: Path,
    launch: Launch,
    starts: Sequence[JvmStart],
    verifier: Path,
    environment: Mapping[str, str],
) -> list[dict[str, str]]:
    """What a JVM of each start sees. Raises as ``observe``."""
    counts = [STRINGS if MEASURED in start.roles else 0 for start in starts]
    return [
        observe(stock, launch, verifier, environment, start, count)
        for start, count in zip(starts, counts, strict=True)
    ]


def measured(starts: Sequence[JvmStart], seen: Sequence[Mapping[str, str]]) -> Mapping[str, str]:
    """What was seen with the options that the strings were driven with."""
    return next(s for start, s in zip(starts, seen, strict=True) if MEASURED in start.roles)


def judge_options(
    starts: Sequence[JvmStart], seen: Sequence[Mapping[str, str]], line: Line, jar: Path
) -> Check:
    """Whether what was judged holds for every role, with all options that it has."""
    wrong = [
        f"in the {start.named('and')} {fault}"
        for start, each in zip(starts, seen, strict=True)
        if MEASURED not in start.roles
        for fault in not_ours(each, line, jar)
    ]
    if wrong:
        return Check("options", False, "; ".join(wrong) + ".")
    if doubts := [*_not_checked(starts)]:
        return Check("options", None, f"Not checked: {' '.join(doubts)}")
    out = dict.fromkeys(word for start in starts for word in start.left_out)
    left = f" Left out, as a second process may not have them: {', '.join(out)}." if out else ""
    return Check(
        "options",
        True,
        "A JVM starts with the options that the scripts give the jobmanager, the taskmanager and"
        f" the client.{left} Only --job starts these themselves.",
    )


def _not_checked(starts: Sequence[JvmStart]) -> Iterator[str]:
    """The agents that were not started, and why."""
    if busy := dict.fromkeys(word for start in starts for word in start.busy):
        yield (
            f"{', '.join(busy)} wants a port that is in use, as by a Flink that runs. What this"
            " agent does to classes is told when that is stopped."
        )
    if unasked := dict.fromkeys(word for start in starts for word in start.unasked):
        yield (
            f"{', '.join(unasked)} writes a file, which a second process would write over. Whether"
            " this agent leaves our classes as they are is told without that file."
        )

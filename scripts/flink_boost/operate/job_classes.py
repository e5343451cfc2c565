"""Asks a JVM of an installation which classes of a job take the fast way, and why others do not.

``JobCheck`` in our verifier does what a cluster does with the job's jar: the same Flink, our jar,
the configuration and a class loader of the job's own. The job itself does not run.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from flink_boost.base.scratch import scratch_folder
from flink_boost.base.text import printable
from flink_boost.base.users import User, hand_over, lent, lent_of_others, read_left
from flink_boost.flink.jvm_options import SMALL, agents, taken_over
from flink_boost.flink.launch import Launch
from flink_boost.operate.asking_class import UTF8
from flink_boost.operate.families import Family, FamilyState
from flink_boost.operate.jvm_start import cause_in, next_step
from flink_boost.operate.verify import MEASURED

MAIN_CLASS = "org.apache.flink.boost.records.JobCheck"
RECORDS = "records"

_SECONDS = 1800.0
_TELL_SECONDS = 2.0
# Jars inside of the job's jar, which Flink puts on the job's class path.
_INNER = re.compile(r"lib/[^/]+\.jar", re.IGNORECASE)

# Flink says in its log alone why it takes a class for no POJO.
_LOGGING = """\
rootLogger.level = OFF
logger.types.name = org.apache.flink.api.java.typeutils.TypeExtractor
logger.types.level = INFO
logger.types.additivity = false
logger.types.appenderRef.file.ref = file
appender.file.name = file
appender.file.type = File
appender.file.fileName = {hints}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %m%n
"""
_NAMED = re.compile(r"\bclass ([\w$]+(?:\.[\w$]+)+)")
# What follows and what to read is the same for all.
_SAME_END = re.compile(r"(,? so it cannot be| cannot be used as a POJO|[.,] Please read).*")
# By the names of `Reason` in our jar, with OFF, where the whole family is off; then those of
# classes that are not there.
NEXT_STEPS: Mapping[str, str] = {
    "JDK_CLASS": "Nothing to do: only classes of a job are moved by generated ones.",
    "OTHER_FLINK": "Build the job's jar without Flink's classes.",
    "NOT_PUBLIC": "Make both public.",
    "NOT_A_CLASS": "Declare streams and fields of its subclasses, which may take the fast way.",
    "REMOVED_FIELD": "Nothing to do: it is so while state of the former class is read.",
    "FIXED_FIELD": "Take `final` off, or make the class a Java record.",
    "HIDDEN_TYPE": "Make that type public.",
    "OTHER_TUPLE": "Use Flink's own class of tuples, or a POJO.",
    "NOT_ITS_COMPONENTS": "Nothing to do.",
    "TOO_LARGE": "Divide it into several classes.",
    "TOO_MANY_SHAPES": "Restart the process, which has met too many restored forms of it.",
    "FAILED": "Send us the reason with the fields of the class.",
    "OFF": "",
    "MISSING": "Put the jar that has it into the job's jar, or into lib/.",
    "LATER_JAVA": "Run Flink on that Java, or compile the job for this one.",
}
_BECOMES_POJO = (
    "A POJO is public, has a public constructor without parameters, and each field is public or"
    " has a getter and a setter."
)


class RecordWay(StrEnum):
    """What moves the objects of a type; ``unknown`` and ``unloaded`` ones could not be asked."""

    FAST = "fast"
    STOCK = "stock"
    KRYO = "kryo"
    OTHER = "other"
    UNKNOWN = "unknown"
    UNLOADED = "unloaded"


@dataclass(frozen=True)
class JobType:
    """A type of records; ``kind`` is ``POJO``, ``record``, ``tuple``, ``row`` or empty.

    ``place`` is the field or class that names it; empty where its class is in the jar and nothing
    names it, as may be of a type that only lambdas use. ``code`` is the name of the reason, which
    stock's way has and most types that could not be loaded, ``reason`` a part of a sentence.
    """

    way: RecordWay
    kind: str
    name: str
    place: str = ""
    code: str = ""
    reason: str = ""


@dataclass(frozen=True)
class JobReport:
    """``records`` is what was decided for the family; None where our jar has no such classes."""

    records: Family | None
    types: tuple[JobType, ...] = ()


def ask_job(
    launch: Launch,
    verifier: Path,
    configuration: Path,
    job: Path,
    beginnings: Sequence[str],
    environment: Mapping[str, str],
    tell: Callable[[str], None],
) -> JobReport:
    """What the cluster would do with the types in that jar.

    ``launch`` has our jar on its class path. Only classes whose names have one of ``beginnings``
    are looked at, and what they name; all, where there is none. ``tell`` is told how far it is.

    Raises ``BrokenData`` for what is no jar, and ``EnvironmentProblem`` when the JVM does not come
    to its end.
    """
    user = launch.user
    with scratch_folder(user) as folder:
        answer = folder / "answer"
        answer.mkdir()
        hints = answer / "hints.txt"
        logging = folder / "log4j2.properties"
        logging.write_text(_LOGGING.format(hints=hints))
        logging.chmod(0o644)
        jars = (lent_of_others(job, folder, user), *_inner_jars(job, folder))
        hand_over(answer, user)
        class_path = (*launch.class_path, lent(verifier, folder, user))
        given = launch.options[MEASURED]
        command = [
            launch.java,
            *taken_over(given, agents(given)),
            *(*SMALL, *UTF8, f"-Dlog4j.configurationFile={logging}"),
            *("-cp", os.pathsep.join(map(str, class_path)), MAIN_CLASS),
            *(str(answer / "types.txt"), str(configuration.absolute()), ",".join(beginnings)),
            *map(str, jars),
        ]
        log = folder / "output.txt"
        _run(command, log, launch.environment(environment), user, tell)
        try:
            lines = read_left(answer / "types.txt", user).decode("utf-8")
        except OSError as error:
            raise EnvironmentProblem(
                f"The classes of {job.name} could not be looked at"
                f" ({cause_in(log.read_text(errors='replace'))}).",
                next_step(launch),
            ) from error
        said = read_left(hints, user).decode("utf-8", "replace") if hints.exists() else ""
    return read_answer(lines, said)


def read_answer(lines: str, said: str) -> JobReport:
    """What ``JobCheck`` wrote; ``said`` are the lines of Flink's log."""
    hints: dict[str, str] = {}
    for line in map(printable, said.splitlines()):
        if named := _NAMED.search(line):
            hints.setdefault(named[1], _SAME_END.sub("", line))
    records = None
    types = []
    for line in lines.splitlines():
        what, *parts = map(printable, line.split("\t"))
        try:
            if what == "family" and parts[0] == RECORDS:
                records = Family(RECORDS, FamilyState(parts[1]), parts[2])
            elif what == "type":
                way = RecordWay(parts[0].lower())
                found = JobType(way, *parts[1:])
                if way is RecordWay.KRYO:
                    found = replace(found, reason=hints.get(found.name, ""))
                types.append(found)
        except (IndexError, ValueError, TypeError) as error:
            raise BrokenData(
                f"What was found out of the job cannot be read: {line!r}.",
                "Run `flink-boost install` and call again.",
            ) from error
    order = list(RecordWay)
    types.sort(key=lambda each: (order.index(each.way), not each.place, each.name))
    return JobReport(records, tuple(types))


def _run(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    user: User | None,
    tell: Callable[[str], None],
) -> None:
    """Runs it to its end, and tells what it has printed last."""
    guard = start_supervised(command, log, environment, user=user)
    told = ""
    try:
        for _ in range(int(_SECONDS / _TELL_SECONDS)):
            if has_ended(guard, _TELL_SECONDS):
                return
            last = (log.read_text(errors="replace").splitlines() or [""])[-1]
            if last != told:
                tell(printable(last))
                told = last
    finally:
        end_supervised(guard)
    raise EnvironmentProblem(
        f"The classes of the job were not looked at within {_SECONDS:.0f} s.",
        "Name what is yours: --classes com.example.",
    )


def _inner_jars(job: Path, folder: Path) -> list[Path]:
    """Copies of the jars inside; ``folder`` is what the JVM may read."""
    inside: list[Path] = []
    try:
        with zipfile.ZipFile(job) as archive:
            for name in filter(_INNER.fullmatch, archive.namelist()):
                copy = folder / f"inner-{len(inside)}.jar"
                copy.write_bytes(archive.read(name))
                copy.chmod(0o644)
                inside.append(copy)
    except zipfile.BadZipFile as error:
        raise BrokenData(f"{job} is no jar ({error}).", "Name the job's jar.") from error
    return inside


def remedy(found: JobType) -> str:
    """What would bring it on the fast way; empty where it is, or where nothing does."""
    if found.way is RecordWay.KRYO and found.reason:
        return _BECOMES_POJO
    # A type that Flink or Java refuses has no such name.
    return NEXT_STEPS.get(found.code, "")

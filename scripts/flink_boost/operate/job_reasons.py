"""What to do about each reason for which a class of records runs Flink's own code."""

from __future__ import annotations

from collections.abc import Mapping

from flink_boost.operate.job_classes import JobType, RecordWay

# By the names of `Reason` in our jar, with OFF, where the whole family is off; then those of
# classes that are not there.
NEXT_STEPS: Mapping[str, str] = {
    "JDK_CLASS": "Nothing to do: only classes of a job are moved by generated ones.",
    "OTHER_FLINK": "Build the job's jar without Flink's classes.",
    "NOT_PUBLIC": "Make both public.",
    "NOT_A_CLASS": "Declare streams and fields of its subclasses, which may take the fast way.",
    "REMOVED_FIELD": "Nothing to do: it is so while state of the former class is read.",
    "FIXED_FIELD": "Take `final` off, or make the class a Java record.",
    "HIDDEN_FIELD": "Make the field public, or protected where both are in one package.",
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


def next_step(found: JobType) -> str:
    """What would bring it on the fast way; empty where it is, or where nothing does."""
    if found.way is RecordWay.KRYO and found.reason:
        return _BECOMES_POJO
    # A type that Flink or Java refuses has no such name.
    return NEXT_STEPS.get(found.code, "")

"""For how many days each kind of thing stays: the table ``[retention]`` of a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.measure.model import Frozen
from flink_boost.measure.toml_file import read_toml

VARIABLE = "FLINK_BOOST_RETENTION"
USUAL_PLACE = "/etc/flink-boost/retention.toml"
_TABLE = "retention"

Days = Annotated[int, Field(ge=1, le=100_000)]


class Retention(Frozen):
    """Days for which each kind stays as it is. Results, records and alarms do for ever."""

    forks: Days = Field(default=7, description="results of runs: then a file per run, not per fork")
    logs: Days = Field(default=90, description="logs and profiles of runs, nights and alarms")
    abandoned: Days = Field(default=90, description="runs that were given up")
    sent: Days = Field(default=30, description="copies of results that the dashboard accepted")
    messages: Days = Field(default=365, description="messages to people that were sent")
    reports: Days = Field(default=400, description="pages of runs and nights, with raw data")
    comments: Days = Field(default=90, description="comments that nothing was made of")


def load_retention(environ: Mapping[str, str], *, logs: int | None = None) -> Retention:
    """What the file says that is named in the environment, or lies at its usual place.

    ``logs`` is what a call says instead.

    Raises ``UsageProblem`` when a named file is not there, ``BrokenData`` for one that is wrong.
    """
    usual = _from_file(environ)
    return usual if logs is None else usual.model_copy(update={"logs": logs})


def _from_file(environ: Mapping[str, str]) -> Retention:
    named = environ.get(VARIABLE, "")
    path = Path(named or USUAL_PLACE)
    known = ", ".join(Retention.model_fields)
    try:
        return read_toml(
            path,
            Retention,
            f"Give days, 1 or more, for any of {known}.",
            lambda values: _days_in(path, values),
        )
    except FileNotFoundError as error:
        if not named:
            return Retention()
        raise UsageProblem(
            f"{path}, named in {VARIABLE}, is not there.", "Write it, or unset the variable."
        ) from error
    except OSError as error:
        raise UsageProblem(
            f"{path} cannot be read ({error.strerror}).", "Make it readable for this user."
        ) from error


def _days_in(path: Path, values: dict[str, Any]) -> Any:
    strange = sorted(values.keys() - {_TABLE})
    if strange:
        raise BrokenData(
            f"{path} has {strange[0]!r} outside of the table [{_TABLE}].",
            f"Write [{_TABLE}] above the kinds and their days.",
        )
    return values.get(_TABLE, {})

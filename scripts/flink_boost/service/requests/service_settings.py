"""What ``request serve`` is told: a TOML file, ``requests.toml``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from flink_boost.base.errors import UsageProblem
from flink_boost.measure.machine_priority import NIGHTLY, REQUEST, USUAL_ORDER
from flink_boost.measure.model import Frozen
from flink_boost.measure.toml_file import read_toml
from flink_boost.service.requests.catalogue import Bounds
from flink_boost.service.requests.eta import Blocked

EXAMPLE = 'repository = "owner/name"'


class ServedRepository(Frozen):
    """One repository, and how its commits are built: a name in ``recipes/``, or a TOML file."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$")]
    recipe: str = "flink-boost"


class MostAsked(Frozen):
    """What one request may take."""

    pairs: Annotated[int, Field(ge=2, le=100)] = Bounds.pairs
    usual_pairs: Annotated[int, Field(ge=2, le=100)] = Bounds.usual_pairs
    benchmarks: Annotated[int, Field(ge=1, le=500)] = Bounds.benchmarks
    minutes: Annotated[float, Field(gt=0, le=1440)] = Bounds.minutes

    def bounds(self) -> Bounds:
        """The same for the parser and the worker."""
        usual = min(self.usual_pairs, self.pairs)
        return Bounds(
            pairs=self.pairs,
            usual_pairs=usual,
            least_pairs=min(Bounds.least_pairs, usual),
            benchmarks=self.benchmarks,
            minutes=self.minutes,
        )


class NightHours(Frozen):
    """When the nightly has the box, in UTC: a request that would last into it waits."""

    at: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
    shortest_hours: Annotated[float, Field(gt=0, le=24)] = 2.0
    longest_hours: Annotated[float, Field(gt=0, le=24)] = 6.0

    def blocked(self, now: datetime) -> tuple[Blocked, ...]:
        """The night that may be going on, and the next two."""
        hour, minute = map(int, self.at.split(":"))
        today = now.astimezone(UTC).replace(hour=hour, minute=minute, second=0, microsecond=0)
        lengths = timedelta(hours=self.shortest_hours), timedelta(hours=self.longest_hours)
        return tuple(Blocked(today + timedelta(days=day), *lengths) for day in (-1, 0, 1, 2))


class ServeSettings(Frozen):
    """``order`` says who goes first when several wait for the box.

    ``stands_still_minutes``: when somebody is told that nothing happens to a request.
    ``keep_days``: how long logs and profiles stay, where it is not as ``[retention]`` says.
    ``least_free_gib``: with how much room on the disk a request begins.
    """

    repositories: Annotated[tuple[ServedRepository, ...], Field(min_length=1)]
    seconds: Annotated[float, Field(ge=1, le=60)] = 45.0
    order: tuple[str, ...] = USUAL_ORDER
    most: MostAsked = MostAsked()
    night: NightHours | None = None
    stands_still_minutes: Annotated[float, Field(gt=0, le=10_000)] = 60.0
    keep_days: Annotated[int, Field(ge=1, le=10_000)] | None = None
    least_free_gib: Annotated[float, Field(ge=0, le=10_000)] = 5.0

    @field_validator("order")
    @classmethod
    def _known_kinds(cls, kinds: tuple[str, ...]) -> tuple[str, ...]:
        if sorted(kinds) != sorted(USUAL_ORDER):
            raise ValueError(f"order has each of {', '.join(USUAL_ORDER)} once")
        return kinds

    @property
    def night_goes_first(self) -> bool:
        """Whether the nightly goes before requests."""
        return self.order.index(NIGHTLY) < self.order.index(REQUEST)

    def blocked(self, now: datetime) -> tuple[Blocked, ...]:
        """When something that goes before requests has the box."""
        return self.night.blocked(now) if self.night and self.night_goes_first else ()


def load_settings(path: Path) -> ServeSettings:
    """Reads the file. A single repository may be named at the top, with its recipe.

    Raises ``UsageProblem`` when there is no file, ``BrokenData`` when it is not as described.
    """
    try:
        return read_toml(path, ServeSettings, form=_with_repositories)
    except OSError as error:
        raise UsageProblem(
            f"{path} cannot be read ({error.strerror}).",
            f"Write one line into it, {EXAMPLE}; docs/requests-setup.md tells the rest.",
        ) from error


def _with_repositories(values: dict[str, Any]) -> dict[str, Any]:
    if "repository" in values and "repositories" not in values:
        one = {"name": values.pop("repository")}
        if "recipe" in values:
            one["recipe"] = values.pop("recipe")
        values["repositories"] = [one]
    return values

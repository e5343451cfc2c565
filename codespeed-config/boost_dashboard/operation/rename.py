"""Gives a box or a benchmark another name, or puts two of them together."""

from __future__ import annotations

import json
from typing import Any

from codespeed.models import Benchmark, Environment, Report, Result
from django.db.models import Exists, OuterRef

from boost_dashboard.models import AlarmRecord, AlarmRegister, AlarmSheet, NightRecord
from flink_boost.base.errors import BrokenData, UsageProblem

KINDS = {"box": Environment, "benchmark": Benchmark}
RATIO = ".ratio"  # a result of its own beside each benchmark
_FORBIDDEN = frozenset("<>&\"'\\`")


def kind_of(name: str, kind: str | None) -> str:
    """``box`` or ``benchmark``. Raises ``UsageProblem`` when neither or both have the name."""
    wanted = [kind] if kind else list(KINDS)
    found = [one for one in wanted if KINDS[one].objects.filter(name=name).exists()]
    if not found:
        what = " or ".join(wanted)
        raise UsageProblem(f"There is no {what} {name!r}.", "Look at the dashboard's pages.")
    if len(found) > 1:
        raise UsageProblem(
            f"{name!r} is a box and a benchmark.", "Say which with --kind box or --kind benchmark."
        )
    return found[0]


def rename(kind: str, old: str, new: str, *, merge: bool) -> list[str]:
    """Names that are changed, as ``old to new``; a benchmark's ratio goes with it.

    With ``merge`` the results of ``old`` become those of ``new``, which is there already. To be
    called inside ``database.alone``. Raises ``UsageProblem`` for a name that cannot be, or is
    taken, and for two that cannot be put together; ``BrokenData`` where both have a run's results.
    """
    pairs = [(old, new)]
    if kind == "benchmark" and Benchmark.objects.filter(name=old + RATIO).exists():
        pairs.append((old + RATIO, new + RATIO))
    for before, after in pairs:
        _check_name(kind, after)
        _rename_one(kind, before, after, merge)
    if kind == "benchmark":
        _rename_in_reports(dict(pairs))
        # Alarms name the benchmark, not its ratio.
        subject = [name.removesuffix(RATIO) for name in (old, new)]
        AlarmRecord.objects.filter(benchmark=subject[0]).update(benchmark=subject[1])
    return [f"{before} to {after}" for before, after in pairs]


def _rename_one(kind: str, old: str, new: str, merge: bool) -> None:
    model = KINDS[kind]
    row = model.objects.get(name=old)
    if old == new:
        raise UsageProblem(f"{old!r} is its name already.", "Give another one.")
    taken = model.objects.filter(name=new).first()
    if taken is None:
        model.objects.filter(pk=row.pk).update(name=new)
        return
    if not merge:
        raise UsageProblem(
            f"There is a {kind} {new} already.", "Give --merge to put their results together."
        )
    _merge(kind, row, taken)


def _merge(kind: str, row: Any, into: Any) -> None:
    if kind == "benchmark" and _meaning(row) != _meaning(into):
        raise UsageProblem(
            f"{row.name} and {into.name} differ in unit or direction.", "They cannot be one."
        )
    column = "environment" if kind == "box" else "benchmark"
    others = [
        one for one in ("revision", "executable", "benchmark", "environment") if one != column
    ]
    theirs = Result.objects.filter(**{column: into}, **{one: OuterRef(one) for one in others})
    both = Result.objects.filter(Exists(theirs), **{column: row})
    if clash := both.select_related("revision").first():
        raise BrokenData(
            f"{row.name} and {into.name} both have results of the run {clash.revision.commitid}.",
            "Delete one of the runs first.",
        )
    Result.objects.filter(**{column: row}).update(**{column: into})
    if kind == "box":
        reports = Report.objects.filter(
            environment=into, revision=OuterRef("revision"), executable=OuterRef("executable")
        )
        Report.objects.filter(~Exists(reports), environment=row).update(environment=into)
        _merge_nightly(row, into)
    else:
        Benchmark.objects.filter(parent=row).update(parent=into)
    row.delete()


def _merge_nightly(box: Any, into: Any) -> None:
    """What only one of both has stays; of what both have, that of the name that stays."""
    for model, key in ((AlarmRecord, "key"), (NightRecord, "night")):
        taken = model.objects.filter(environment=into, **{key: OuterRef(key)})
        model.objects.filter(~Exists(taken), environment=box).update(environment=into)
    for model in (
        AlarmRegister,
        AlarmSheet,
    ):
        if not model.objects.filter(environment=into).exists():
            model.objects.filter(environment=box).update(environment=into)


def _meaning(benchmark: Benchmark) -> tuple[Any, ...]:
    return benchmark.units, benchmark.lessisbetter, benchmark.data_type


def _rename_in_reports(names: dict[str, str]) -> None:
    """Codespeed keeps the table of each report as text."""
    for old in names:
        for report in Report.objects.filter(_tablecache__contains=json.dumps(old)).iterator(50):
            tables = json.loads(report._tablecache)
            for table in tables:
                for row in table["rows"]:
                    row["bench_name"] = names.get(row["bench_name"], row["bench_name"])
            # Its own save() would work the whole table out again.
            Report.objects.filter(pk=report.pk).update(_tablecache=json.dumps(tables))


def _check_name(kind: str, name: str) -> None:
    longest = KINDS[kind]._meta.get_field("name").max_length
    usable = name == name.strip() and name.isprintable() and not _FORBIDDEN & set(name)
    if not name or not usable or len(name) > longest:
        raise UsageProblem(
            f"{name!r} cannot be the name of a {kind}.",
            f"Use up to {longest} characters without quotes, < and >.",
        )

"""Nights of a made-up suite, as large as wanted: values, ratios with intervals, a step, a drift."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

FIRST_NIGHT = datetime(2026, 1, 5, 1, 2, 3)  # noqa: DTZ001 - Codespeed's dates are UTC without a zone
LENGTHS = (16, 128, 1024, 65536, 1048576)
TEXTS = ("ascii", "latin1", "cjk", "mixedtext", "surrogates")
VERBS = ("write", "read", "copy")
SITES = ("mixed.serializer", "pure.serializer", "mixed.network", "pure.network")


def names(count: int) -> list[str]:
    """That many names, of jobs and of strings of all lengths."""
    jobs = ["serializerHeavyString", "serializerTuple", "windowJoin.large"]
    strings = [
        f"{verb}.{text}.{length}.{site}"
        for site in SITES
        for verb in VERBS
        for text in TEXTS
        for length in LENGTHS
    ]
    return [*jobs, *strings][:count]


def commit_of(night: int) -> str:
    """The commit id of a night's run."""
    date = FIRST_NIGHT + timedelta(days=night)
    return f"0a1b2c3d-{date:%Y%m%dT%H%M%S}-{hashlib.sha256(str(night).encode()).hexdigest()[:6]}"


def nights(
    benchmarks: int, count: int, box: str = "box-1", line: str = "2.3.0"
) -> Iterator[dict[str, Any]]:
    """Results of those nights: stock, patched and their ratio.

    The box drifts by 10 % and back; from two thirds on patched is 12 % slower in every fifth
    benchmark. The first night has one pair only, so its ratios have no interval.
    """
    chance = random.Random(7)
    for night in range(count):
        run = {
            "commitid": commit_of(night),
            "branch": "master",
            "project": "Flink",
            "environment": box,
            "revision_date": (FIRST_NIGHT + timedelta(days=night)).isoformat(" "),
        }
        drift = 1 + 0.1 * abs((night % 40) / 20 - 1)
        for place, name in enumerate(names(benchmarks)):
            is_job = place < 3
            gain = 1.05 + (place * 7 % 13) / 6
            if place % 5 == 1 and night >= count * 2 // 3:
                gain *= 0.88
            stock = (40 + place * 3.7) * drift * (1 + chance.gauss(0, 0.01))
            ratio = gain * (1 + chance.gauss(0, 0.005))
            patched = stock * ratio if is_job else stock / ratio
            kind = {
                "units": "ops/ms" if is_job else "ns/op",
                "units_title": "Throughput" if is_job else "Time",
                "lessisbetter": not is_job,
            }
            for side, value in (("stock", stock), ("patched", patched)):
                spread = {"min": value * 0.985, "max": value * 1.02, "std_dev": value * 0.01}
                yield {
                    **run,
                    **kind,
                    **spread,
                    "executable": f"{side} {line}",
                    "benchmark": name,
                    "result_value": value,
                }
            interval = {"min": ratio * 0.985, "max": ratio * 1.015} if night else {}
            yield {
                **run,
                **interval,
                "executable": f"patched {line}",
                "benchmark": f"{name}.ratio",
                "result_value": ratio,
                "units": "x",
                "units_title": "Ratio",
                "lessisbetter": False,
            }

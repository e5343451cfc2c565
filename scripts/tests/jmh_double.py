"""A program in the place of ``java`` that answers for JMH: its JSON, in its time, and no number.

``python -I -S jmh_double.py JAVA ARGUMENTS…``, as ``jmh_java.py`` calls it. What is asked of JMH
is answered with a result of the shape that JMH 1.37 writes (the file ``data/jmh-1.37.json`` is one)
after a moment in which a second process runs, as a fork does. Anything else is done by JAVA.

The score says one thing of the class path: 100 of stock, 40 with a drop-in jar, times 20 where
``StringValue`` waits for the clock, as that of ``flink_repository.py``'s slow commits, and times
the rounds of a jar that ``slowed_jar`` made.
"""

import json
import os
import re
import sys
import time
import zipfile
import zlib
from pathlib import Path

MAINS = ("org.openjdk.jmh.Main", "org.apache.flink.benchmark.Launcher")
SECONDS = 0.12
STRING_VALUE = "org/apache/flink/types/StringValue.class"


def main(java: str, words: list[str]) -> None:
    at = next((n for n, word in enumerate(words) if word in MAINS), None)
    if at is None:
        os.execv(java, [java, *words])  # noqa: S606 - what it stands before
    class_path = words[words.index("-cp") + 1]
    asked = parse(words[at + 1 :])
    child = os.fork()
    if not child:
        time.sleep(SECONDS)
        os._exit(0)
    os.waitpid(child, 0)
    result = asked["-rff"][0]
    text = json.dumps([answer(asked, score_of(class_path, result))])
    Path(result).write_text(text, encoding="utf-8")


def parse(words: list[str]) -> dict[str, list[str]]:
    """JMH's options with their values; the pattern of the benchmark is that of ``""``."""
    asked: dict[str, list[str]] = {"": [words[0]]}
    for option, value in zip(words[1::2], words[2::2], strict=True):
        asked.setdefault(option, []).append(value)
    return asked


def score_of(class_path: str, result: str) -> float:
    """Times are what it is about: a part of a thousand differs from fork to fork."""
    score = 100.0
    jars = class_path.split(os.pathsep)
    names = [Path(jar).name for jar in jars]
    slow = re.fullmatch(r"slow-(\d+)\.jar", names[0])
    if slow or names[0].startswith("flink-boost-"):
        score = 40.0 + (int(slow[1]) if slow else 0)
    if is_slow(jars):
        score *= 20
    return score * (1 + zlib.crc32(result.encode()) % 1000 / 1e6)


def is_slow(jars: list[str]) -> bool:
    for jar in jars:
        if not jar.endswith(".jar") or not Path(jar).is_file():
            continue
        with zipfile.ZipFile(jar) as archive:
            if STRING_VALUE in archive.NameToInfo:
                return b"onSpinWait" in archive.read(STRING_VALUE)
    return False


def answer(asked: dict[str, list[str]], score: float) -> dict[str, object]:
    """One result; that of a job is operations per time."""
    benchmark = re.sub(r"\\(.)", r"\1", asked[""][0])[1:-1]
    is_time = ".String" in benchmark
    iterations = [score] * int(asked["-i"][0])
    parameters = dict(word.replace("\\,", ",").split("=", 1) for word in asked.get("-p", ()))
    return {
        "jmhVersion": "1.37",
        "benchmark": benchmark,
        "mode": "avgt" if is_time else "thrpt",
        "threads": int(asked["-t"][0]),
        "forks": 1,
        "jvmArgs": [*asked.get("-jvmArgs", ()), *asked.get("-jvmArgsAppend", ())],
        "jdkVersion": "17.0.0",
        **({"params": parameters} if parameters else {}),
        "primaryMetric": metric(score, "ns/op" if is_time else "ops/ms", iterations),
        "secondaryMetrics": {
            "gc.alloc.rate.norm": metric(56.0, "B/op"),
            "gc.count": metric(0.0, "counts"),
            "cpu.time.norm": metric(score, "ns/op"),
            "operations": metric(1e6, "ops"),
        },
    }


def metric(score: float, unit: str, raw: list[float] | None = None) -> dict[str, object]:
    return {"score": score, "scoreUnit": unit, "rawData": [raw or [score]]}


main(sys.argv[1], sys.argv[2:])

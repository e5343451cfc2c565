"""A small program in a JVM of its own, which is profiled as an operator profiles a TaskManager."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from eventual import eventually
from java_programs import javac

from flink_boost.flink.jdks import java_home
from flink_boost.flink.profiler import Profiler, ensure_profiler
from flink_boost.flink.stacks import ours_of
from flink_boost.operate.flame import take_flame

SOURCE = """
public class Spinning {
    static volatile double result;
    static double sines(int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += Math.sin(i);
        return sum;
    }
    static double logarithms(int n) {
        double sum = 0;
        for (int i = 1; i < n; i++) sum += Math.log(i);
        return sum;
    }
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        while (words.length == 0) result = sines(3000) + logarithms(300) + new byte[999].length;
        Thread.sleep(600_000);
    }
}
"""
Start = Callable[..., AbstractContextManager[subprocess.Popen[str]]]


def compile_program(folder: Path) -> None:
    (folder / "Spinning.java").write_text(SOURCE, encoding="utf-8")
    javac("--release", "11", "-d", folder, folder / "Spinning.java")


@contextmanager
def started(
    folder: Path,
    *options: str,
    jdk: int = 17,
    words: tuple[str, ...] = (),
    user: str | None = None,
    prefix: tuple[str, ...] = (),
    java: str | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """The program, once it runs; ``prefix`` is a command that becomes it."""
    java = java or str(java_home(jdk) / "bin" / "java")
    with subprocess.Popen(
        [*prefix, java, *options, "-cp", str(folder), "Spinning", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        user=user,
        cwd="/",
    ) as process:
        try:
            # Of a JVM that was killed and had this number: another user's would stand in the way.
            Path(f"/tmp/.java_pid{process.pid}").unlink(missing_ok=True)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def spun(pid: int, seconds: float) -> None:
    """Waits until the program has used so much processor time, however busy the machine is."""

    def used() -> float:
        times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    end = used() + seconds
    assert eventually(lambda: used() >= end, 60)


def flame(
    pid: int,
    page: Path,
    event: str = "cpu",
    seconds: float = 1.5,
    profiler: Profiler | None = None,
    **more: object,
) -> str:
    """The method with the largest share of it all, in so many seconds of processor time."""
    more.setdefault("wait", partial(spun, pid))
    found = take_flame(
        pid,
        event=event,
        seconds=seconds,
        page=page,
        profiler=profiler or ensure_profiler(),
        java="java",
        ours=ours_of({"Spinning"}),
        **more,  # type: ignore[arg-type]
    )
    assert page.is_file()
    return found.top[0][0]

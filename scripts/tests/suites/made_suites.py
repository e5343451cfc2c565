"""Suites that take no time, and `make test` on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from suites import __main__ as program
from suites import runner
from suites.catalogue import Counted, Suite
from suites.inputs import Inputs

REPORT = '<testsuite><testcase classname="A" name="a">{}</testcase></testsuite>'


def suite(name: str, script: str, **more: object) -> Suite:
    """A suite whose command is a line of shell, and which depends on the file of its name."""
    command = ("sh", "-c", f"echo {name} >> ../began; {script}")
    return Suite(name, name.upper(), command, Inputs((name,)), "work", **more)  # type: ignore[arg-type]


def with_report(name: str, inside: str = "", code: int = 0) -> Suite:
    text = REPORT.format(inside)
    folder = f"../build/test-reports/{name}"
    script = f"mkdir -p {folder}; echo '{text}' > {folder}/TEST-a.xml; exit {code}"
    counted = Counted("", name, f"build/test-reports/{name}/TEST-*.xml")
    return suite(name, script, counted=counted)


Make = Callable[..., Result]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Calls `make test` in a tree of its own, whose files are those named in ``files``."""
    (tmp_path / "work").mkdir()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(program, "PROJECT_ROOT", tmp_path)
    for module in (program, runner):
        monkeypatch.setattr(module, "tree", lambda root: files_of(root))

    def call(suites: list[Suite], *arguments: str) -> Result:
        monkeypatch.setattr(program, "all_suites", lambda *_, **__: suites)
        (tmp_path / "began").write_text("", encoding="utf-8")
        return CliRunner().invoke(program.main, arguments)

    return call


def files_of(root: Path) -> dict[str, str]:
    return {
        path.name: path.read_text("utf-8")
        for path in root.iterdir()
        if path.is_file() and path.name != "began"
    }


def began(root: Path) -> set[str]:
    return set((root / "began").read_text(encoding="utf-8").split())

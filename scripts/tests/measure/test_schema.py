"""The files of a run have a published schema; what a newer flink-boost wrote is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.base.errors import NewerResults
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.measure import finalize, fork_files, store
from flink_boost.measure.machine_lock import VARIABLE
from flink_boost.measure.model import RUN_SCHEMA, Purpose
from flink_boost.measure.schema import schemas

DOCS = PROJECT_ROOT / "docs"
SAMPLES = Path(__file__).with_name("samples")
NEWER = RUN_SCHEMA + 1


def test_published_schemas_are_those_of_the_models() -> None:
    published = {
        path.name: path.read_text(encoding="utf-8")
        for path in (DOCS / "schema").glob(f"*-{RUN_SCHEMA}.json")
    }
    assert published == schemas(), "run `.venv/bin/python scripts/schemas.py`"


def test_what_is_written_is_valid_and_what_is_not_is_found(tmp_path: Path) -> None:
    run = make_run()
    folder = store_complete_run(tmp_path, run, make_forks(run))
    finalize.finish(tmp_path, run)
    for name in ("run", "summary"):
        schema = json.loads(schemas()[f"{name}-{RUN_SCHEMA}.json"])
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        document = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        assert document["schema_version"] == RUN_SCHEMA
        validator.validate(document)
        for damage in ({"schema_version": NEWER}, {"cells": 3}, {"unknown": 1}):
            assert not validator.is_valid({**document, **damage})


def unexplained(document: dict[str, Any]) -> list[str]:
    """Fields of a schema that have no description, nor has the type that they refer to."""
    types = document.get("$defs", {})
    missing = []
    for owner, one in {"": document, **types}.items():
        for name, field in one.get("properties", {}).items():
            referred = types.get(field.get("$ref", "").removeprefix("#/$defs/"), {})
            if not (field.get("description") or referred.get("description")):
                missing.append(f"{owner}.{name}")
    return missing


def test_the_schemas_explain_every_field_and_the_page_leads_to_them() -> None:
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    for name, text in schemas().items():
        document = json.loads(text)
        assert len(document["properties"]) > 5
        assert unexplained(document) == []
        assert f"](schema/{name})" in page
    assert f"version {RUN_SCHEMA}" in page


def test_a_field_without_an_explanation_is_seen() -> None:
    document = json.loads(schemas()[f"run-{RUN_SCHEMA}.json"])
    del document["properties"]["line"]["description"]
    del document["$defs"]["Box"]["properties"]["jdk"]["description"]
    assert unexplained(document) == [".line", "Box.jdk"]


@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.glob("run-*.json")))
def test_older_plans_stay_readable(tmp_path: Path, sample: str) -> None:
    content = (SAMPLES / sample).read_bytes()
    run_id = json.loads(content)["run_id"]
    (tmp_path / run_id).mkdir()
    (tmp_path / run_id / "run.json").write_bytes(content)
    info = store.load_run(tmp_path, run_id)
    assert (info.schema_version, info.pairs_in_order) == (1, (2,))
    assert len(fork_files.planned_forks(info)) == info.forks_planned == 4
    assert (info.purpose is Purpose.NIGHTLY) is (sample == "run-first.json")


@pytest.fixture(params=["run.json", "summary.json"])
def newer(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A run that a newer flink-boost wrote, of which one file has a field that we do not know."""
    run = make_run()
    folder = store_complete_run(tmp_path / "results", run, make_forks(run))
    finalize.finish(tmp_path / "results", run)
    path = folder / str(request.param)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "schema_version": NEWER, "invented": 1}))
    return folder


def _content(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


RUN_ID = make_run().run_id


SILENT = (["runs", "list"], ["runs", "prune", "--logs-older-than", "1", "--yes"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["compare", RUN_ID], NewerResults.exit_code),
        (["runs", "abandon", RUN_ID], NewerResults.exit_code),
        (["bench", "--resume", RUN_ID], NewerResults.exit_code),
        (["compare", "latest"], 2),
        (["compare", "--reference", "flink-15171"], None),
        (["detect"], 0),
        (["report"], 2),
        (["upload", "--url", "http://127.0.0.1:9"], None),
        (["plan", "--from-results", "--line", "2.3.0"], 0),
        (["runs", "show", RUN_ID], 0),
        *((arguments, 0) for arguments in SILENT),
    ],
)
def test_every_command_that_reads_names_both_versions_and_changes_nothing(
    newer: Path,
    arguments: list[str],
    code: int | None,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = newer.parent.parent
    monkeypatch.setenv(VARIABLE, str(root / "lock"))
    monkeypatch.setenv("FLINK_BOOST_TOKEN", "secret")
    before = _content(newer)
    places = ["--results", str(newer.parent), "--build", str(root / "build")]
    ended = main([*places, *arguments])
    said = "".join(capfd.readouterr())
    assert _content(newer) == before
    assert code in (None, ended), said
    if arguments in SILENT:
        assert "Deleted" not in said
    else:
        assert f"version {NEWER}" in said, said
        assert f"version {RUN_SCHEMA}" in said


@pytest.mark.parametrize("name", ["run.json", "summary.json"])
def test_reading_says_which_file_and_both_versions(tmp_path: Path, name: str) -> None:
    run = make_run()
    folder = store_complete_run(tmp_path, run, make_forks(run))
    finalize.finish(tmp_path, run)
    document = json.loads((folder / name).read_text(encoding="utf-8"))
    (folder / name).write_text(json.dumps({**document, "schema_version": NEWER}))
    with pytest.raises(NewerResults, match=f"{name}.* version {NEWER}, .* version {RUN_SCHEMA}"):
        finalize.load_summary(tmp_path, run.run_id)
    with pytest.raises(NewerResults):
        store.load_run(tmp_path, run.run_id)
    with pytest.raises(NewerResults):
        finalize.reopen(tmp_path, run)

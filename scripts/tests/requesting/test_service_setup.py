"""How the desks and workers of several repositories are put together."""

from __future__ import annotations

import os
from pathlib import Path

from flink_boost.service.requests.service_settings import ServedRepository, ServeSettings
from flink_boost.service.requests.service_setup import serving_of
from requesting.told_forks import Silent

TOKEN = {"FLINK_BOOST_GITHUB_TOKEN": "t0ken"}


def test_each_desk_knows_the_other_queues_and_names_no_path_of_this_machine(
    open_folder: Path, database: Path
) -> None:
    assert database.is_dir()
    (open_folder / "own.toml").write_text('kind = "flink-boost"\nlinks = ["x"]\n')
    (open_folder / "moved.toml").write_text('kind = "flink-boost"\nrepository = "clone"\n')
    served = (
        ServedRepository(name="apache/one"),
        ServedRepository(name="apache/two", recipe="own.toml"),
        ServedRepository(name="apache/three", recipe="moved.toml"),
    )
    build = open_folder / "build"
    serving = serving_of(
        ServeSettings(repositories=served), open_folder, build / "results", build, build / "spool",
        {**os.environ, **TOKEN}, lambda _: None, Silent(),
    )  # fmt: skip

    names = [one.name for one in served]
    for number, desk in enumerate(serving.desks):
        others = [queue.repository for queue in desk.others]
        assert others == [*names[number + 1 :], *names[:number]], "in turn, from the next one"
    assert [desk.recipe for desk in serving.desks] == ["flink-boost", "", "flink-boost"]

"""The configuration: what refuses to start, and which database is chosen."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from boost_dashboard.configuration import read_configuration
from boost_dashboard.secret_files import read_or_create
from conftest import PROJECT_FOLDER, clean_environ

SERVICE = {
    "FLINK_BOOST_SECRET_KEY": "s" * 40,
    "FLINK_BOOST_TOKEN": "t" * 40,
    "FLINK_BOOST_ALLOWED_HOSTS": "bench.example.org, bench",
}
EMBEDDED = {"FLINK_BOOST_EMBEDDED": "1"}


def test_a_service_takes_its_secrets_from_the_environment(tmp_path: Path) -> None:
    configuration = read_configuration(SERVICE, tmp_path)

    assert configuration.secret_key == "s" * 40
    assert configuration.token == "t" * 40
    assert configuration.allowed_hosts[:2] == ("bench.example.org", "bench")
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize("variable", sorted(SERVICE))
def test_a_service_refuses_to_start_without(variable: str, tmp_path: Path) -> None:
    environ = {key: value for key, value in SERVICE.items() if key != variable}

    with pytest.raises(ImproperlyConfigured, match=f"set {variable}"):
        read_configuration(environ, tmp_path)


@pytest.mark.parametrize("variable", ["FLINK_BOOST_SECRET_KEY", "FLINK_BOOST_TOKEN"])
def test_a_short_secret_is_refused_and_not_shown(variable: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{variable} is too short") as refusal:
        read_configuration({**SERVICE, variable: "hunter2"}, tmp_path)

    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("name", ["token", "secret_key"])
def test_the_embedded_dashboard_refuses_a_short_secret_of_somebody_else(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "build" / "codespeed"
    folder.mkdir(parents=True)
    (folder / name).write_text("hunter2\n", encoding="ascii")

    with pytest.raises(ImproperlyConfigured, match="is shorter than") as refusal:
        read_configuration(EMBEDDED, tmp_path)

    assert str(folder / name) in str(refusal.value)
    assert "delete the file" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


def test_a_service_that_is_reached_by_any_name_is_refused(tmp_path: Path) -> None:
    environ = {**SERVICE, "FLINK_BOOST_ALLOWED_HOSTS": "bench.example.org, *"}

    with pytest.raises(ImproperlyConfigured, match="Name the hosts that it is reached by"):
        read_configuration(environ, tmp_path)

    assert read_configuration({**environ, **EMBEDDED}, tmp_path).embedded


FROM_FILES = {
    "FLINK_BOOST_SECRET_KEY": "s" * 40,
    "FLINK_BOOST_TOKEN": "t" * 40,
    "DATABASE_PASSWORD": "p@ss: word/",
    "DATABASE_URL": "postgres://speed@db/codespeed",
}


def in_files(folder: Path) -> dict[str, str]:
    """An environment that names a file for each secret."""
    environ = {"FLINK_BOOST_ALLOWED_HOSTS": "bench"}
    for variable, secret in FROM_FILES.items():
        file = folder / variable.lower()
        file.write_text(f"{secret}\n", encoding="utf-8")
        file.chmod(0o400)
        environ[f"{variable}_FILE"] = str(file)
    return environ


def test_every_secret_may_come_from_a_file(tmp_path: Path) -> None:
    configuration = read_configuration(in_files(tmp_path), tmp_path)

    assert configuration.secret_key == "s" * 40
    assert configuration.token == "t" * 40
    assert configuration.database["PASSWORD"] == "p@ss: word/"
    assert configuration.database["USER"] == "speed"
    assert configuration.database["HOST"] == "db"
    assert "p@ss" not in repr(configuration)


@pytest.mark.parametrize("variable", sorted(FROM_FILES))
@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda file: file.unlink(), "cannot be read: FileNotFoundError. Correct the path"),
        (lambda file: file.write_text(" \n"), "is empty. Write the secret into it"),
        (lambda file: file.write_bytes(b"\xff" * 40), "cannot be read: UnicodeDecodeError"),
        (lambda file: file.write_text("hunter2 " * 2000), "is too large"),
        (lambda file: file.chmod(0o604), "is open to every account of this machine. Run `chmod"),
        (lambda file: file.chmod(0o602), "is open to every account of this machine. Run `chmod"),
    ],
)
def test_a_secrets_file_that_is_not_right_is_told_with_what_to_do(
    variable: str, damage: Callable[[Path], None], complaint: str, tmp_path: Path
) -> None:
    environ = in_files(tmp_path)
    file = Path(environ[f"{variable}_FILE"])
    file.chmod(0o600)
    damage(file)

    with pytest.raises(ImproperlyConfigured, match=complaint) as refusal:
        read_configuration(environ, tmp_path)

    assert f"{file} named by {variable}_FILE" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)
    assert FROM_FILES[variable] not in str(refusal.value)


def test_a_variable_goes_before_the_file(tmp_path: Path) -> None:
    """Who set both up to now got the variable; so it stays."""
    environ = {**in_files(tmp_path), "FLINK_BOOST_TOKEN": "v" * 40}

    assert read_configuration(environ, tmp_path).token == "v" * 40


def test_two_passwords_of_the_database_are_one_too_many(tmp_path: Path) -> None:
    environ = {**in_files(tmp_path), "DATABASE_URL": "postgres://speed:opensesame@db/speed"}

    with pytest.raises(ImproperlyConfigured, match="take it out of the URL") as refusal:
        read_configuration(environ, tmp_path)

    assert "opensesame" not in str(refusal.value)
    del environ["DATABASE_PASSWORD_FILE"]
    assert read_configuration(environ, tmp_path).database["PASSWORD"] == "opensesame"


def test_secrets_show_in_no_repr(tmp_path: Path) -> None:
    environ = {**SERVICE, "DATABASE_URL": "postgres://me:opensesame@db/speed"}
    text = repr(read_configuration(environ, tmp_path))

    assert "tttt" not in text
    assert "ssss" not in text
    assert "opensesame" not in text


def test_the_settings_module_refuses_to_load_without_a_secret_key() -> None:
    done = subprocess.run(
        [sys.executable, str(PROJECT_FOLDER / "manage.py"), "check"],
        env=clean_environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode != 0
    assert "set FLINK_BOOST_SECRET_KEY" in done.stderr


def test_the_embedded_dashboard_makes_and_keeps_its_secrets(tmp_path: Path) -> None:
    first = read_configuration(EMBEDDED, tmp_path)
    second = read_configuration(EMBEDDED, tmp_path)

    assert (first.secret_key, first.token) == (second.secret_key, second.token)
    assert first.secret_key != first.token
    assert len(first.token) >= 32
    for name in ("secret_key", "token"):
        file = tmp_path / "build" / "codespeed" / name
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_secret_that_others_can_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "token"
    secret = read_or_create(file)
    file.chmod(0o644)

    assert read_or_create(file) == secret
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_emptied_secret_file_is_filled_again(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch()

    assert len(read_or_create(file)) >= 32


def test_processes_that_start_at_once_get_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(read_or_create, [tmp_path / "token"] * 40))

    assert len(secrets) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["token"]


def test_sqlite_is_the_default(tmp_path: Path) -> None:
    database = read_configuration(EMBEDDED, tmp_path).database

    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["NAME"] == str(tmp_path / "build" / "codespeed" / "db.sqlite3")


def test_a_postgresql_url_is_taken_apart(tmp_path: Path) -> None:
    url = "postgres://speed:p%40ss@db.example.org:5433/codespeed?sslmode=require"
    database = read_configuration({**SERVICE, "DATABASE_URL": url}, tmp_path).database

    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert database["HOST"] == "db.example.org"
    assert database["PORT"] == 5433
    assert (database["USER"], database["PASSWORD"]) == ("speed", "p@ss")
    assert database["NAME"] == "codespeed"
    assert database["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize(
    "url",
    [
        "mysql://speed:opensesame@db/codespeed",
        "postgres://speed:opensesame@db/",
        "postgres://speed:opensesame@db:port/codespeed",
        "opensesame",
    ],
)
def test_any_other_database_is_refused_without_showing_the_url(url: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL names no") as refusal:
        read_configuration({**SERVICE, "DATABASE_URL": url}, tmp_path)

    assert "opensesame" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a]\ntoken-file = 'long'\nbranches = []\n", "a list of branches"),
        ("[a]\ntoken-file = 'long'\nbranches = 'request'\n", "a list of branches"),
        ("[a]\ntoken-file = 'long'\n", "a list of branches"),
        ("[a]\ntoken-file = 'long'\nbranches = ['x']\nbranch = 'y'\n", "and nothing else"),
        ("[a]\nbranches = ['request']\n", "either a token-file or a token-sha256"),
        ("[a]\ntoken-sha256 = 'hunter2'\nbranches = ['request']\n", "64 hexadecimal digits"),
        ("[a]\ntoken-sha256 = 7\n", "64 hexadecimal digits"),
        (f"[a]\ntoken-sha256 = '{'a' * 64}'\nbranches = []\n", "a list of branches"),
        ("[a]\ntoken-file = 'missing'\nbranches = ['request']\n", "cannot be read"),
        ("[a]\ntoken-file = 'short'\nbranches = ['request']\n", "shorter than 20"),
        ("[a]\ntoken-file = 'all'\nbranches = ['request']\n", "has the token of all"),
        (
            "a = {token-file='long', branches=['x']}\nb = {token-file='long', branches=['y']}",
            "two writers the same token",
        ),
        ("[a\n", "cannot be read"),
    ],
)
def test_writers_that_are_not_bound_as_they_should_be(
    text: str, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "long").write_text("w" * 40)
    (tmp_path / "short").write_text("hunter2")
    (tmp_path / "all").write_text(SERVICE["FLINK_BOOST_TOKEN"])
    file = tmp_path / "writers.toml"
    file.write_text(text)
    with pytest.raises(ImproperlyConfigured, match=complaint) as refusal:
        read_configuration({**SERVICE, "FLINK_BOOST_WRITERS": str(file)}, tmp_path)
    for secret in ("hunter2", "wwww", "tttt"):
        assert secret not in str(refusal.value)

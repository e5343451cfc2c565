"""The sums of a release and their signature."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from release.sums import KEY_FILE, SIGNATURE, SUMS, check, key_file, signature, sums_of

NAMES = ["b.jar", "a.jar"]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(name, encoding="ascii")
    (folder / SUMS).write_text(sums_of(folder, NAMES), encoding="ascii")
    return folder


def test_the_sums_are_what_sha256sum_checks(out: Path) -> None:
    check(out, NAMES)
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", SUMS], cwd=out, timeout=60, check=True
    )
    assert done.returncode == 0
    names = [line.split("  ")[1] for line in (out / SUMS).read_text("ascii").splitlines()]
    assert names == sorted(NAMES)


def test_a_changed_a_missing_and_a_further_file_are_noticed(out: Path) -> None:
    (out / "a.jar").write_text("other", encoding="ascii")
    with pytest.raises(BrokenData, match=r"is not what SHA256SUMS says"):
        check(out, NAMES)
    (out / "a.jar").unlink()
    with pytest.raises(BrokenData, match=r"too many or too few: a\.jar"):
        check(out, NAMES)
    (out / "a.jar").write_text("a.jar", encoding="ascii")
    (out / ".c.jar.part").touch()
    with pytest.raises(BrokenData, match=r"too many or too few: \.c\.jar\.part"):
        check(out, NAMES)


def gpg(home: Path, *words: str) -> bytes:
    command = ["gpg", "--homedir", str(home), "--batch", "--pinentry-mode", "loopback", *words]
    return subprocess.run(command, check=True, timeout=120, capture_output=True).stdout


def new_key(folder: Path, passphrase: str) -> Path:
    """The secret key of somebody, as gpg exports it; the public one is beside it."""
    # Sockets of the agent have short paths.
    with tempfile.TemporaryDirectory(prefix="gpg-") as place:
        home = Path(place)
        home.chmod(0o700)
        secret = ("--passphrase", passphrase)
        gpg(home, *secret, "--quick-generate-key", "Somebody Secret", "ed25519", "sign", "never")
        file = folder / "key.asc"
        file.write_bytes(gpg(home, *secret, "--armor", "--export-secret-keys"))
        (folder / "public.asc").write_bytes(gpg(home, "--armor", "--export"))
        subprocess.run(["gpgconf", "--homedir", place, "--kill", "all"], timeout=60, check=True)
    return file


@pytest.fixture
def verifier() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gpg-") as place:
        Path(place).chmod(0o700)
        yield Path(place)
        subprocess.run(["gpgconf", "--homedir", place, "--kill", "all"], timeout=60, check=True)


def test_a_signature_is_that_of_the_key_and_of_these_sums(
    out: Path, tmp_path: Path, verifier: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    key = new_key(tmp_path, "")
    capfd.readouterr()
    (out / SIGNATURE).write_bytes(signature(out, key))
    said = capfd.readouterr()
    assert said.out + said.err == ""
    gpg(verifier, "--import", str(tmp_path / "public.asc"))
    gpg(verifier, "--verify", str(out / SIGNATURE), str(out / SUMS))
    check(out, NAMES)
    (out / SUMS).write_text("other", encoding="ascii")
    with pytest.raises(subprocess.CalledProcessError):
        gpg(verifier, "--verify", str(out / SIGNATURE), str(out / SUMS))


@pytest.mark.parametrize("passphrase", [None, "secret"])
def test_a_file_without_a_key_that_can_sign_is_refused(
    out: Path, tmp_path: Path, passphrase: str | None
) -> None:
    if passphrase is None:
        key = tmp_path / "key.asc"
        key.write_text("no key", encoding="ascii")
    else:
        key = new_key(tmp_path, passphrase)
    with pytest.raises(UsageProblem, match=KEY_FILE) as refused:
        signature(out, key)
    assert "export-secret-keys" in refused.value.next_step
    assert "Somebody" not in str(refused.value)


def test_a_key_file_is_named_by_the_environment(tmp_path: Path) -> None:
    assert key_file(tmp_path, {}) is None
    assert key_file(tmp_path, {KEY_FILE: ""}) is None
    with pytest.raises(EnvironmentProblem, match=r"is missing"):
        key_file(tmp_path, {KEY_FILE: str(tmp_path / "gone")})
    (tmp_path / "key").touch()
    for named in (str(tmp_path / "key"), "key"):
        assert key_file(tmp_path, {KEY_FILE: named}) == tmp_path / "key"

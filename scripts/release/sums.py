"""``SHA256SUMS`` of the published files, and its signature."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.scratch import scratch_folder

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.asc"
KEY_FILE = "FLINK_BOOST_GPG_KEY_FILE"
_SECONDS = 120.0


def sums_of(out: Path, names: list[str]) -> str:
    """The text for ``sha256sum --check``, one line a file, by name."""
    return "".join(f"{sha256(out / name)}  {name}\n" for name in sorted(names))


def check(out: Path, names: list[str]) -> None:
    """Raises ``BrokenData`` when ``out`` has other files than its sums, or other bytes."""
    there = {path.name for path in out.iterdir()} - {SUMS, SIGNATURE}
    if there != set(names):
        odd = ", ".join(sorted(there ^ set(names)))
        raise BrokenData(f"{out} has a file too many or too few: {odd}.", f"Delete {out}.")
    if (out / SUMS).read_text("ascii") != sums_of(out, names):
        raise BrokenData(f"{out} is not what {SUMS} says.", f"Delete {out} and build it again.")


def signature(out: Path, key_file: Path) -> bytes:
    """The signature of the sums by the secret key in a file, which gpg exported.

    The key is put into a keyring that is deleted afterwards. Raises ``UsageProblem`` for a file
    that has no such key or needs a passphrase, ``EnvironmentProblem`` without gpg.
    """
    with scratch_folder() as keyring:
        keyring.chmod(0o700)
        try:
            _gpg(keyring, "--import", str(key_file))
            made = keyring / SIGNATURE
            _gpg(
                *(keyring, "--pinentry-mode", "loopback", "--passphrase", ""),
                *("--armor", "--output", str(made), "--detach-sign", str(out / SUMS)),
            )
            _gpg(keyring, "--verify", str(made), str(out / SUMS))
            return made.read_bytes()
        finally:
            run_captured(
                ["gpgconf", "--homedir", str(keyring), "--kill", "all"],
                _SECONDS,
                install="Debian: apt-get install gpg-agent.",
            )


def _gpg(keyring: Path, *words: str) -> None:
    # What it says names the owner of a key; nothing of it is shown.
    done = run_captured(
        ["gpg", "--homedir", str(keyring), "--batch", "--no-tty", "--quiet", *words],
        _SECONDS,
        environment={**os.environ, "LC_ALL": "C"},
        install="Debian: apt-get install gnupg.",
    )
    if done.returncode != 0:
        raise UsageProblem(
            f"gpg could not sign with the key that {KEY_FILE} names.",
            "Give a file that `gpg --export-secret-keys` wrote, of a key without a passphrase.",
        )


def key_file(root: Path, environment: Mapping[str, str]) -> Path | None:
    """The file that the environment names, from ``root`` on; None when it names none."""
    named = environment.get(KEY_FILE)
    if not named:
        return None
    path = root / named
    if not path.is_file():
        raise EnvironmentProblem(
            f"The file {path}, which {KEY_FILE} names, is missing.",
            "Correct it; nothing was built.",
        )
    return path

"""Asks a running JVM of this machine for what it knows, or to load a library.

HotSpot has a protocol for that.

The JVM listens on a socket in its ``/tmp``, ``.java_pid<pid>``. One that does not yet is asked for
it by a file and SIGQUIT. That signal ends a process which does not expect it, so it is sent only to
one that does. No JDK is needed, so this works with a bare run-time image, too.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import NotProfiled
from flink_boost.operate.halted import require_running
from flink_boost.operate.view import acting_as, looked_at, open_folder, opened_root

_PROC = Path("/proc")
_TEMPORARY = "/tmp"  # noqa: S108 - whatever a JVM's settings say
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_SECONDS = 10.0
_LOAD_SECONDS = 60.0


@dataclass(frozen=True)
class JvmProcess:
    """A JVM: its number for us, in its own view (another one in a container), and its user."""

    pid: int
    inner_pid: int
    uid: int
    gid: int
    root: Path


def find_target(pid: int, proc: Path = _PROC) -> JvmProcess:
    """The JVM with that number, which this user may profile.

    Raises ``NotProfiled`` for no process, one that is no JVM, another user's, or does not run on,
    and for a machine that hides it.
    """
    folder = proc / str(pid)
    if not (proc / "self").exists():
        raise NotProfiled(f"{proc} is not mounted.", "Mount it, or run this on the host.")
    try:
        status = (folder / "status").read_text(errors="replace")
        command = (folder / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        hidden = not (proc / "1").exists()
        raise NotProfiled(
            f"There is no process {pid}"
            + (" that this user can see: /proc hides those of others." if hidden else "."),
            "Run this as the user whom Flink runs as."
            if hidden
            else "List Flink's with `flink-boost doctor FLINK_HOME`, or `pgrep -f TaskManager`.",
        ) from None
    except OSError as error:
        raise NotProfiled(
            f"Process {pid} cannot be looked at ({error.strerror}).",
            "Run this as the user whom it runs as.",
        ) from error
    uid = int(_field(status, "Uid").split()[1])
    gid = int(_field(status, "Gid").split()[1])
    if os.geteuid() not in (0, uid):
        raise NotProfiled(
            f"Process {pid} runs as another user (number {uid}).",
            f"Run this as that user: sudo -u '#{uid}' flink-boost flame {pid}",
        )
    if not command:
        raise NotProfiled(f"Process {pid} has ended, or is the kernel's.", "Name another one.")
    _require_jvm(folder, pid, uid, gid)
    require_running(pid, proc)
    inner = _field(status, "NSpid", str(pid)).split()[-1]
    return JvmProcess(pid, int(inner), uid, gid, folder / "root")


def _require_jvm(folder: Path, pid: int, uid: int, gid: int) -> None:
    try:
        maps = looked_at(uid, gid, lambda: (folder / "maps").read_text(errors="replace"))
    except OSError as error:
        raise NotProfiled(
            f"The memory map of process {pid} cannot be read ({error.strerror}).",
            "Run this as the user whom it runs as, or as root on its host.",
        ) from error
    if not re.search(r"/libjvm\.so(?: \(deleted\))?$", maps, re.MULTILINE):
        raise NotProfiled(f"Process {pid} is no Java of HotSpot's.", "Name a TaskManager.")


def _field(status: str, name: str, default: str = "") -> str:
    found = re.search(rf"^{name}:\s*(.+)$", status, re.MULTILINE)
    if found is None and not default:
        raise NotProfiled(f"/proc does not say the {name} of it.", "Run this on its host.")
    return found[1] if found else default


def load_library(target: JvmProcess, library: str, options: str, proc: Path = _PROC) -> None:
    """Makes the JVM load a library by its path there, and hand it ``options``.

    Raises ``NotProfiled`` when it does not answer, refuses, or the library reports an error.
    """
    answer = _ask(target, ["load", library, "true", options], proc)
    code, _, text = answer.partition("\n")
    # Newer JVMs say "return code: 0", older ones the number alone.
    found = re.search(r"return code: (-?\d+)", text) or re.match(r"\s*(-?\d+)\s*$", text)
    result = found[1] if found else "0"
    if code.strip() != "0" or result != "0":
        said = " ".join(line for line in text.split("\n") if "return code" not in line).strip()
        raise NotProfiled(
            f"Process {target.pid} could not start or end the profile"
            f" ({said or f'code {code.strip()}, {result}'}).",
            "Its own output (Flink's .out file) may say why; is another profiler at work in it?",
        )


def system_property(target: JvmProcess, name: str, proc: Path = _PROC) -> str | None:
    """A system property as it is now; None where it is not set.

    Raises ``NotProfiled`` when the JVM does not answer.
    """
    answer = _ask(target, ["properties", "", "", ""], proc)
    found = re.search(rf"^{re.escape(name)}=(.*)$", answer, re.MULTILINE)
    return None if found is None else _ESCAPED.sub(_unescaped, found[1])


def _unescaped(found: re.Match[str]) -> str:
    """A character as ``Properties.store`` writes it."""
    word = found[1]
    return chr(int(word[1:], 16)) if len(word) > 1 else _CONTROLS.get(word, word)


def _ask(target: JvmProcess, words: list[str], proc: Path) -> str:
    with (
        opened_root(target.root, target.uid, target.gid) as root,
        acting_as(target.uid, target.gid),
        _connected(target, root, proc) as talk,
    ):
        try:
            talk.sendall(b"".join(f"{word}\0".encode() for word in ("1", *words)))
            parts = []
            while part := talk.recv(4096):
                parts.append(part)
        except OSError as error:
            raise _unanswered(target, error, proc) from error
    return b"".join(parts).decode(errors="replace")


def _connected(target: JvmProcess, root: int, proc: Path) -> socket.socket:
    try:
        folder = open_folder(root, _TEMPORARY)
    except OSError as error:
        raise NotProfiled(
            f"Process {target.pid} has no {_TEMPORARY} ({error.strerror}).",
            f"A JVM listens there: make its {_TEMPORARY}, writable for its user.",
        ) from error
    try:
        return _listening(target, folder, proc) or _listening_when_asked(target, folder, proc)
    finally:
        os.close(folder)


def _listening(target: JvmProcess, folder: int, proc: Path) -> socket.socket | None:
    """Connected to the very socket that was looked at; None where nobody listens.

    A JVM that was killed leaves its socket behind: the next process of that number refuses.
    """
    name = f".java_pid{target.inner_pid}"
    try:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != target.uid:
            raise _not_its_own(target, name)
        with ExitStack() as stack:
            talk = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            talk.settimeout(_LOAD_SECONDS)
            try:
                talk.connect(f"/proc/self/fd/{handle}")
            except ConnectionRefusedError:
                return None
            except OSError as error:
                raise _unanswered(target, error, proc) from error
            stack.pop_all()
            return talk
    finally:
        os.close(handle)


def _unanswered(target: JvmProcess, error: OSError, proc: Path) -> NotProfiled:
    require_running(target.pid, proc)
    return NotProfiled(
        f"Process {target.pid} did not answer ({error.strerror or error}).",
        "If it is busy or ending, try again; nothing in it was changed.",
    )


def _not_its_own(target: JvmProcess, name: str) -> NotProfiled:
    return NotProfiled(
        f"{_TEMPORARY}/{name} is not of process {target.pid}'s making: it is another user's, or a"
        " link.",
        f"Remove it as root, and try again: {target.root}{_TEMPORARY}/{name}",
    )


def _ended(target: JvmProcess) -> NotProfiled:
    return NotProfiled(f"Process {target.pid} has ended.", "Name another one.")


def _listening_when_asked(target: JvmProcess, folder: int, proc: Path) -> socket.socket:
    if not _expects_quit(target, proc):
        raise NotProfiled(
            f"Process {target.pid} does not let others attach: SIGQUIT would end it.",
            "It is still starting, or has -Xrs; wait a moment, or take that option away.",
        )
    name = f".attach_pid{target.inner_pid}"
    try:
        os.close(os.open(name, _NEW, 0o600, dir_fd=folder))
    except FileExistsError:
        # Of another one who asks now, or who was killed: as good as ours.
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            # Who asked has been answered meanwhile, so that the JVM listens now, or it has ended.
            return _listening(target, folder, proc) or _listening_when_asked(target, folder, proc)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != target.uid:
            raise _not_its_own(target, name) from None
    except OSError as error:
        raise NotProfiled(
            f"{_TEMPORARY}/{name} of process {target.pid} cannot be made ({error.strerror}).",
            f"The JVM's {_TEMPORARY} has to be writable for its own user.",
        ) from error
    try:
        os.kill(target.pid, signal.SIGQUIT)
        end = time.monotonic() + _SECONDS
        while (talk := _listening(target, folder, proc)) is None:
            if time.monotonic() > end:
                require_running(target.pid, proc)
                raise NotProfiled(
                    f"Process {target.pid} does not let others attach to it.",
                    "Was it started with -XX:+DisableAttachMechanism? Take that away; all the"
                    " signal did is a dump of its threads in its .out file.",
                )
            time.sleep(0.05)
        return talk
    except ProcessLookupError:
        raise _ended(target) from None
    finally:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _expects_quit(target: JvmProcess, proc: Path) -> bool:
    try:
        status = (proc / str(target.pid) / "status").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        raise _ended(target) from None
    caught = int(_field(status, "SigCgt"), 16)
    return bool(caught >> (signal.SIGQUIT - 1) & 1)

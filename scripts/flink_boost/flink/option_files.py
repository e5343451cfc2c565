"""The words in files of JVM options.

A check starts its JVM with the words themselves, so that what was looked at is what is run.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterable

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.text import printable
from flink_boost.base.users import User, start_options
from flink_boost.flink.jvm_options import LAUNCHER_OPTIONS, words_of

_NAMING = re.compile(r"(@|-XX:VMOptionsFile=|-XX:Flags=)(?!@)(.+)", re.DOTALL)
# Of a file behind @: a comment, or a word with quotes in any place.
_ARGUMENT = re.compile(
    r"""#[^\n]*|((?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[^\s"'#])+)""", re.DOTALL
)
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\])*)(?:\1|$)""", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:\r?\n[ \t]*|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}

_MOST_BYTES = 1 << 20
_DEEPEST = 4
_SECONDS = 20.0


def with_files(
    words: Iterable[str], user: User | None, *, arguments: bool = True, depth: int = 0
) -> tuple[str, ...]:
    """The options, in the place of a file of options those in it, read with that user's rights.

    ``@file`` is one where the program ``java`` reads them, which is ``arguments``. What cannot be
    read stays as it is: a JVM says so. Raises ``EnvironmentProblem`` for what is no such file.
    """
    found: list[str] = []
    for word in words:
        naming = _NAMING.fullmatch(word)
        text = None
        if naming and (arguments or naming[1] != "@"):
            text = _content(naming[2], user, depth)
        if naming is None or text is None:
            found.append(word)
        elif naming[1] == "@":
            # In there it names no further file; a second @ says so.
            inner = [f"@{each}" if each.startswith("@") else each for each in _arguments(text)]
            found += with_files(inner, user, depth=depth + 1)
        else:
            inner = list(words_of(text))
            if "Flags" in naming[1]:
                inner = [f"-XX:{each}" for each in _arguments(text)]
            found += with_files(inner, user, arguments=False, depth=depth + 1)
    return tuple(found)


def opened(name: str, text: str, user: User | None) -> str:
    """The same for the options in the variable of that name."""
    words = words_of(text)
    found = with_files(words, user, arguments=name == LAUNCHER_OPTIONS)
    return text if found == words else shlex.join(found)


def _content(file: str, user: User | None, depth: int) -> str | None:
    odd = EnvironmentProblem(
        f"{printable(file)} is no file of options that can be read.",
        "Look at what names it: env.java.opts… in the configuration, JVM_ARGS, JAVA_TOOL_OPTIONS,"
        " JDK_JAVA_OPTIONS and _JAVA_OPTIONS.",
    )
    if depth >= _DEEPEST:
        raise odd
    try:
        done = subprocess.run(
            ["head", "-c", str(_MOST_BYTES + 1), "--", file],
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            **start_options(user),
        )
    except (OSError, subprocess.SubprocessError):
        raise odd from None
    if done.returncode != 0:
        return None
    if len(done.stdout) > _MOST_BYTES or b"\0" in done.stdout:
        raise odd
    text: str = done.stdout.decode(errors="surrogateescape")
    return text


def _arguments(text: str) -> list[str]:
    def plain(escaped: re.Match[str]) -> str:
        return _CONTROL.get(escaped[1], escaped[1]) if escaped[1] else ""

    def inside(quoted: re.Match[str]) -> str:
        return _ESCAPED.sub(plain, quoted[2])

    return [_QUOTED.sub(inside, found) for found in _ARGUMENT.findall(text) if found]

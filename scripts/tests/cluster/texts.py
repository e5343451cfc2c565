"""Strings of all alphabets, and files of them that keep lone surrogates."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle, islice

ALPHABETS = {
    "ascii": "Flink 1.9-2.3\x00\x7f",
    "latin1": "éüßÿ\x80 naïve",
    "cyrillic": "Жучёк",
    "cjk": "流处理框架の日本한국",
    "emoji": "😀🚀👩‍👩‍👧",
    "surrogates": "\ud800a\udc00\udc00\ud800",
    "mixed": "aЖ流😀é\udfff",
}
# Around the places where the length, or the way that a string is written, changes.
LENGTHS = (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 126, 127, 128, 255, 2047, 2049)
LONG = 100_000
_PER_STRING = 64


def every_code_unit() -> list[str]:
    """All 65,536 of them, surrogates alone among them, 64 to a string."""
    return [
        "".join(map(chr, range(first, first + _PER_STRING)))
        for first in range(0, 0x10000, _PER_STRING)
    ]


def short_texts() -> list[str]:
    """Each alphabet at each length, every code unit, and the empty string; none twice."""
    lengths = [_repeat(text, length) for text in ALPHABETS.values() for length in LENGTHS]
    return list(dict.fromkeys(["", *lengths, *every_code_unit()]))


def long_texts() -> list[str]:
    """100,000 characters of one byte, of three bytes, and of all lengths."""
    return [_repeat(ALPHABETS[name], LONG) for name in ("ascii", "cjk", "mixed")]


def encode(text: str) -> str:
    """Four hexadecimal digits per UTF-16 code unit, as the jobs read and write them."""
    return text.encode("utf-16-be", "surrogatepass").hex()


def decode(digits: str) -> str:
    """The text of ``encode``; a lone surrogate stays one."""
    return bytes.fromhex(digits).decode("utf-16-be", "surrogatepass")


def shown(lines: Iterable[str], limit: int = 3) -> list[str]:
    """The first lines with their texts readable, for the message of a failing test."""
    return [_shown(line) for line in islice(lines, limit)]


def _shown(line: str) -> str:
    kind, *fields = line.split(",")
    return ",".join([kind, *(_readable(field) for field in fields)])


def _readable(field: str) -> str:
    try:
        text = decode(field)
    except ValueError:
        return field
    return ascii(text) if len(text) <= _PER_STRING else f"{text[:_PER_STRING]!a}…{len(text)}"


def _repeat(text: str, length: int) -> str:
    return "".join(islice(cycle(text), length))

"""What is said on a pull request besides answers. Pure; text of others only in code spans."""

from __future__ import annotations

from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.command import COMMAND
from flink_boost.service.requests.grammar import EXAMPLE, Asked, Mistake, shown
from flink_boost.service.requests.request import Request
from flink_boost.service.requests.request_outbox import Words


def status_words(request: Request, sentence: str) -> Words:
    """How far a request is: the one comment that is edited as it goes on."""
    text = f"Request `{request.id}` for `{request.order.head[:12]}`: {sentence}"
    return _marked(f"{request.id} status", request.number, text)


def verdict_words(request: Request, markdown: str) -> Words:
    """The answer: a comment of its own, as an edit sends no mail."""
    return _marked(f"{request.id} verdict", request.number, markdown.rstrip())


def reply_words(comment_id: int, number: int, text: str) -> Words:
    """What is said to a comment that makes no request."""
    return _marked(f"reply {comment_id}", number, text)


def _marked(about: str, number: int, text: str) -> Words:
    marker = f"<!-- flink-boost-request {about} -->"
    return Words(marker, number, f"{text}\n\n{marker}")


def mistake_text(mistake: Mistake) -> str:
    """One sentence, an example that is right, and what may have been meant."""
    near = "".join(f"\n- `{name}`" for name in mistake.near)
    return (
        f"{mistake.sentence}\n\n```\n{mistake.example}\n```"
        + (f"\nNear are:{near}" if near else "")
        + f"\n\nWrite a new comment; an edited one is not read again. `{COMMAND} help` tells more."
    )


def unread_text(asked: Asked) -> str:
    """To a request with lines below its first that hold more than names and options."""
    example = " ".join((COMMAND, *asked.below)) if asked.below else EXAMPLE
    return (
        "Only the first line of that comment was read. Names of benchmarks stand there, or on"
        f" lines below that hold nothing else:\n\n```\n{example}\n```\n\nA new comment replaces a"
        f" request that still waits; `{COMMAND} cancel` stops one that runs."
    )


def help_text(known: Offerings, bounds: Bounds) -> str:
    """What can be asked."""
    names = list(dict.fromkeys(name.partition("[")[0] for name in known.by_name))
    listed = "\n".join(f"- `{name}`" for name in names)
    usage = f"{COMMAND} [NAME…] [line=LINE] [pairs=N] [profile]\n{COMMAND} help | status | cancel"
    name = (
        f"a benchmark; `*` stands for any letters. Without one: {len(known.usual)} usual ones."
        f" At most {bounds.benchmarks}."
    )
    pairs = f"{bounds.least_pairs} to {bounds.pairs} pairs of JVMs; usually {bounds.usual_pairs}."
    return "\n".join(
        (
            f"```\n{usage}\n```",
            "Compares the head of this pull request with the commit at which it left its branch.\n",
            f"- NAME: {name}",
            f"- LINE: {', '.join(known.lines)}; usually {known.default_line}.",
            f"- N: {pairs}",
            "- `profile`: flame graphs of what changed, too.\n",
            f"For example:\n```\n{EXAMPLE}\n```",
            f"<details><summary>Benchmarks</summary>\n\n{listed}\n\n</details>",
        )
    )


def failure_text(request: Request, reason: str) -> str:
    """Why there is no answer. The reason may hold lines that others wrote, so it is mere text."""
    return f"**No answer** for `{request.order.head[:12]}`:\n\n{fenced(reason)}"


def no_base_text(reason: str) -> str:
    """Of a pull request whose commits the hub fails to compare, again and again."""
    return (
        "GitHub could not compare the head of this pull request with its branch, for an hour."
        f" Ask again later, or after a rebase.\n\n{fenced(reason)}"
    )


def waiting_text(reason: str) -> str:
    """Of a request that waits for something that is not its own."""
    return (
        "waits: the machine that measures, or its way to GitHub, is in trouble. It is tried again"
        f" by itself.\n\n{fenced(reason)}"
    )


def fenced(text: str) -> str:
    """Somebody's lines as a block of code that nothing in them can end."""
    plain = "".join(char if char == "\n" or " " <= char <= "~" else "?" for char in text)
    return f"```text\n{plain.replace('`', chr(39))[-3000:]}\n```"


NO_RIGHT = "Benchmarks can be asked for by those who may write to this repository."
EDITED_LATE = (
    "This comment was edited more than an hour after it was written, and before it was first read."
    " Only new comments count: write it again as a new one."
)
CLOSED = "This pull request is closed: there is nothing to measure."
FORK_GONE = "The fork of this pull request is gone or private: its commits cannot be fetched."
NOTHING_HERE = f"There is no request on this pull request. `{COMMAND} help` tells how to ask."


def replaced_text(key: str) -> str:
    """To one that waited when a newer one came."""
    return f"replaced by the newer request {shown(key)}; it had not begun."

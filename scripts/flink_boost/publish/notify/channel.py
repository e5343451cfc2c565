"""What a channel is: it takes a message, and says what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from flink_boost.publish.notify.message import Message

_Answer = TypeVar("_Answer")


class NotSent(Exception):
    """The message certainly did not arrive. The text is safe to show; ``wait``: seconds asked.

    ``of_message``: it is this message that was refused; another one may well be taken.
    """

    def __init__(self, reason: str, wait: float | None = None, *, of_message: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait
        self.of_message = of_message


class Uncertain(Exception):
    """The connection ended before the answer: it may have arrived. The text is safe to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Notifier(Protocol):
    """A way to people. ``name`` is for files, ``place`` for people, without secrets."""

    @property
    def name(self) -> str: ...

    @property
    def place(self) -> str: ...

    def send(self, message: Message) -> str:
        """Returns a remark, mostly empty. Raises ``NotSent`` or ``Uncertain``, and no others."""
        ...


def within(seconds: float, call: Callable[[], _Answer]) -> _Answer:
    """The call's answer or its exception; ``TimeoutError`` when it takes longer.

    Time-outs of sockets are per piece: a server that drips would hold the night up for ever. The
    thread of a call that was given up ends with the process.
    """
    answers: list[_Answer] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not answers:
        raise TimeoutError
    return answers[0]

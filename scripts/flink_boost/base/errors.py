"""Errors that a user can act on.

Every message is one sentence that says what is wrong, followed by the next step. The command line
maps them, in one place (``flink_boost.cli.main``), to an exit code and prints no traceback unless
``--debug`` is given.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar


class FlinkBoostError(Exception):
    """Base of all errors that are reported in one sentence.

    ``next_step`` is what the user can do about it, in the imperative.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class UsageProblem(FlinkBoostError):
    """The call names something that does not exist: a line, a group, a benchmark pattern."""

    exit_code = 2


class BrokenData(FlinkBoostError):
    """A file is not what it should be: cut off, not JSON, not JMH's, another checksum."""

    exit_code = 3


class NewerResults(BrokenData):
    """A newer flink-boost wrote this run; it is neither read nor changed."""


class EnvironmentProblem(FlinkBoostError):
    """The machine does not let us work: a busy port, a full disk, a missing tool."""

    exit_code = 4


class InUse(EnvironmentProblem):
    """Another process of ours works in that folder; later it is free."""


class MachineBusy(EnvironmentProblem):
    """Something else measures on this machine; later it may be free."""


class UploadFailed(FlinkBoostError):
    """Codespeed did not accept a result; it stays in the spool and is sent again later."""

    exit_code = 5


class BenchmarkFailed(FlinkBoostError):
    """A JMH fork ended with an error; the other forks are kept."""

    exit_code = 6

    def __init__(self, message: str, next_step: str = "", run_id: str = "") -> None:
        super().__init__(message, next_step)
        self.run_id = run_id


class PatchedCodeChanged(FlinkBoostError):
    """Code of Flink's that a patch replaces or uses is not what the patch was written for."""

    exit_code = 7


class RegressionFound(FlinkBoostError):
    """A series has become slower lately, and the call asked to be told by its exit code."""

    exit_code = 8


class FlinkTestsFailed(FlinkBoostError):
    """A test of Flink's own fails with our jar only, or an exclusion is out of date."""

    exit_code = 1


class FlinkTestsInvalid(FlinkBoostError):
    """Flink's tests did not run against the classes that they were meant to test."""

    exit_code = 1


class CodecMismatch(FlinkBoostError):
    """Patched wrote, read or copied a string in another way than stock."""

    exit_code = 1


class AnswerLost(FlinkBoostError):
    """A call came to its end, but what it has to say could not be written."""

    exit_code = 1


class NotAFlinkHome(FlinkBoostError):
    """The folder is not the top of a Flink distribution."""

    exit_code = 10


class UnsupportedFlink(FlinkBoostError):
    """A Flink release that we carry no jar for."""

    exit_code = 11


class VendorFlink(FlinkBoostError):
    """A Flink with the number of a supported release whose classes are not the official ones."""

    exit_code = 12


class ReadOnlyInstallation(FlinkBoostError):
    """The installation may not be changed by this user, or is on a read-only file system."""

    exit_code = 13


class HalfWritten(FlinkBoostError):
    """A jar of ours is not whole, or an installation of it was cut off before its end."""

    exit_code = 14


class SeveralDropIns(FlinkBoostError):
    """More than one of our jars is on the class path of an installation."""

    exit_code = 15


class RenamedDropIn(FlinkBoostError):
    """Our jar is in an installation under a name that we did not give it."""

    exit_code = 16


class LinkedLibrary(FlinkBoostError):
    """``lib/`` is a link, so that a change would reach other installations."""

    exit_code = 17


class FlinkRunning(FlinkBoostError):
    """Processes run from the installation that is to be changed."""

    exit_code = 18


class NotInstalled(FlinkBoostError):
    """There is none of our jars in the installation."""

    exit_code = 19


class VerificationFailed(FlinkBoostError):
    """A check of an installation found what should not be."""

    exit_code = 20


class ReplacedClasses(FlinkBoostError):
    """Our classes are inside ``flink-dist``, so there is nothing to install, remove or compare."""

    exit_code = 21


class BuildFailed(FlinkBoostError):
    """A commit could not be built, or its build left other jars than its recipe names."""

    exit_code = 24

    def __init__(self, message: str, next_step: str = "", log: Path | None = None) -> None:
        super().__init__(message, next_step)
        self.log = log


class NoProfiler(FlinkBoostError):
    """No profile can be taken on this machine; whatever needs none works all the same."""

    exit_code = 22


class NotProfiled(FlinkBoostError):
    """A process cannot be profiled, or gave no profile."""

    exit_code = 23


class DifferentBox(EnvironmentProblem):
    """This machine, or how it is set, is not what ``box.toml`` recorded."""

    exit_code = 32


class NoisyBox(EnvironmentProblem):
    """Something else uses the machine, so that what is measured now would not be believed."""

    exit_code = 33


class NoIsolation(EnvironmentProblem):
    """Nothing on this machine shuts in code of strangers, or it did not start: nothing has run."""

    exit_code = 35


class RefusedResult(BrokenData):
    """What code of strangers left is not what was asked for; nothing of it is used."""

    exit_code = 36


class NightRunning(FlinkBoostError):
    """Another process works on a night already."""

    exit_code = 30


class NightIncomplete(FlinkBoostError):
    """A night is missing, stopped, short, empty, refused or failed."""

    exit_code = 31


class HubRefused(FlinkBoostError):
    """GitHub will not do what was asked, however often: a bad token, a missing permission."""

    exit_code = 28


class AccountRefused(HubRefused):
    """GitHub does not take our account: it will do nothing for us, in no repository."""


class PullRequestRefused(HubRefused):
    """As ``HubRefused``, for one pull request: it is locked, gone or has no such commit."""


class HubAway(FlinkBoostError):
    """GitHub cannot be reached now or asks to wait; nothing is lost, and later it may work.

    ``retry_after`` is in seconds from now, None where GitHub does not say.
    """

    exit_code = 29

    def __init__(self, message: str, next_step: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, next_step)
        self.retry_after = retry_after


class NotTakenNow(HubAway):
    """GitHub refused a text as it never refuses one for good: most such refusals pass."""


class RequestSlower(FlinkBoostError):
    """A request was answered with "slower", and the call asked to be told by its exit code."""

    exit_code = 25


class QueueStandsStill(FlinkBoostError):
    """Nothing happens to a request that somebody waits for."""

    exit_code = 26


class RequestServing(FlinkBoostError):
    """Another process serves the requests of this queue already."""

    exit_code = 27

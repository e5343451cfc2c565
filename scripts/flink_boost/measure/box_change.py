"""What differs between a machine as it was recorded and as it is found."""

from __future__ import annotations

from dataclasses import dataclass

from flink_boost.measure.model import BoxFacts

UNKNOWN = "unknown"

_MB_PER_STEP = 4096  # what a kernel keeps for itself never crosses a border of 4 GiB

_TITLES = {
    "cpu": "the processor",
    "cores": "the number of cores",
    "memory_mb": "the memory in MB",
    "governor": "the frequency governor",
    "turbo": "turbo",
    "smt": "SMT",
    "aslr": "address randomisation",
    "kernel": "the kernel",
    "jdk": "the JDK",
    "microcode": "the microcode",
    "fingerprint": "the fingerprint of processor, cores and memory",
}
# Updates come by themselves and are wanted; they annotate a night instead of refusing it.
UPDATES = frozenset({"kernel", "jdk", "microcode"})

_NEXT_STEPS = {
    "cpu": "Give this machine a name of its own: `flink-boost box record --name NAME`.",
    "cores": "Give the container or the virtual machine the cores that it had.",
    "memory_mb": "Give the machine the memory that it had.",
    "fingerprint": "Write the file again with `flink-boost box record`, which keeps facts.",
}
_TUNE = "`flink-boost box tune` prints how to set it."


@dataclass(frozen=True)
class BoxChange:
    """One fact that is not what it was; ``what`` is a field of ``BoxFacts``, or ``fingerprint``."""

    what: str
    before: str
    after: str

    @property
    def refuses(self) -> bool:
        """Whether scores from before and after cannot be compared."""
        return self.what not in UPDATES

    @property
    def next_step(self) -> str:
        """What to do about it."""
        if not self.refuses:
            return "Nothing to do: it is noted, and the canary tells whether it matters."
        return _NEXT_STEPS.get(self.what, _TUNE)

    def __str__(self) -> str:
        return f"{_TITLES[self.what]} was {self.before} and is {self.after}"


def differences(recorded: BoxFacts, found: BoxFacts) -> tuple[BoxChange, ...]:
    """What is no longer as recorded, in the order of the fields.

    What was not recorded does not differ; what was and cannot be found now does.
    """
    changes = []
    for name in BoxFacts.model_fields:
        before, after = getattr(recorded, name), getattr(found, name)
        if before and _comparable(name, before) != _comparable(name, after):
            changes.append(BoxChange(name, str(before), str(after or UNKNOWN)))
    return tuple(changes)


def _comparable(name: str, value: str | int) -> str | int:
    if name == "memory_mb" and isinstance(value, int):
        return round(value / _MB_PER_STEP) if value > _MB_PER_STEP else value
    return value

"""`flink-boost`, which looks for moments at whether the machine is quiet, where it takes 5 s.

Nights of tests measure on a box that takes any noise, and the look works on a core.
"""

from __future__ import annotations

import sys

from flink_boost.cli.main import main
from flink_boost.measure import noise

LOOK_SECONDS = 0.05

if __name__ == "__main__":
    assert noise.probe.__defaults__ is not None
    seconds, *others = noise.probe.__defaults__
    assert seconds == noise.PROBE_SECONDS
    noise.probe.__defaults__ = (LOOK_SECONDS, *others)
    sys.exit(main())

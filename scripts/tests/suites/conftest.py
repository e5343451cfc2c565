"""Calls `make test` on suites that take no time."""

from made_suites import make as make

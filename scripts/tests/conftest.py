"""Settings for all tests."""

from __future__ import annotations

import hypothesis

# The same examples in every run, and no failure because the machine was busy.
hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")

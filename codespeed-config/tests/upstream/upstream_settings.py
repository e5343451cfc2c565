"""Settings under which Codespeed's own tests run: ours, where those tests do not say otherwise.

They insist on the package's default options, on a title of their own and on refusing boxes that
are not known. The token check stays on: the test client sends the token, as every writer has to.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from codespeed import settings as _defaults

from boost_dashboard.settings import *  # noqa: F403
from boost_dashboard.settings import CONFIGURATION as _OURS
from boost_dashboard.settings import TEMPLATES as _TEMPLATES

# After ours, so that these win.
globals().update({name: value for name, value in vars(_defaults).items() if name.isupper()})

CONFIGURATION = dataclasses.replace(_OURS, new_environments=False)
TEMPLATES = [
    {**_TEMPLATES[0], "DIRS": [Path(__file__).parent / "templates", *_TEMPLATES[0]["DIRS"]]}
]
PROJECTS = None  # theirs have names of their own
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
TEST_RUNNER = "token_runner.TokenRunner"
REPOSITORY_BASE_PATH = "/repositories"  # read by one test, never opened

"""Django's command line with our settings: ``.venv/bin/python codespeed-config/manage.py help``.

``manage.py backup`` and its like are ``flink-boost dashboard`` on the database of the settings.
"""

from __future__ import annotations

import os
import sys

import django
from django.core.management import execute_from_command_line

from flink_boost.cli.main import main

_OPERATIONS = ("backup", "restore", "delete_run", "prune", "rename", "token")

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "boost_dashboard.settings")
    if sys.argv[1:] and sys.argv[1] in _OPERATIONS:
        django.setup()
        sys.exit(main(["dashboard", sys.argv[1].removesuffix("_run"), *sys.argv[2:]]))
    execute_from_command_line(sys.argv)

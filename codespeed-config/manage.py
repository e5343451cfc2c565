"""Django's command line with our settings: ``.venv/bin/python codespeed-config/manage.py help``."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "boost_dashboard.settings")
    execute_from_command_line(sys.argv)

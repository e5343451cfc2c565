"""PyFlink's own Flink, as pip lays it out, with our jar in its ``lib/``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from flink_installation import DEFAULT_PLATFORM, Platform
from our_classes import announced

from flink_boost.cli.main import main
from flink_boost.flink.distribution import private_copy
from flink_boost.flink.downloads import ensure_download
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, PinnedFile

# What PyFlink imports for a job without functions in Python.
PACKAGES = [
    PinnedFile(
        "py4j",
        "0.10.9.7",
        "py4j-0.10.9.7-py2.py3-none-any.whl",
        "",
    ),
]
SECONDS = 240
JOB = """
from pyflink.table import EnvironmentSettings, TableEnvironment

table = TableEnvironment.create(EnvironmentSettings.in_batch_mode()).execute_sql(
    "SELECT word, COUNT(*) AS times"
    " FROM (VALUES ('wörter'), ('слова'), ('wörter'), ('文字'), ('wörter'), ('слова')) AS t (word)"
    " GROUP BY word"
)
with table.collect() as rows:
    for row in rows:
        print("counted", row[0], row[1])
"""
COUNTED = {"wörter": "3", "слова": "2", "文字": "1"}

"""Years of nights: the newest runs of a branch are found by an index, not by reading all results.

On a table of Codespeed's, whose models stay as they are.
"""

from __future__ import annotations

from django.db import migrations

_NAME = "flink_boost_revision_branch_date"


class Migration(migrations.Migration):
    """With it SQLite goes from runs to results; without it through all results of an executable."""

    dependencies = (("codespeed", "0003_project_default_branch"),)
    operations = (
        migrations.RunSQL(
            f"CREATE INDEX IF NOT EXISTS {_NAME} ON codespeed_revision (branch_id, date)",
            f"DROP INDEX IF EXISTS {_NAME}",
        ),
    )

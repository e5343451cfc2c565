"""Tables for what detection has told of each box, and what each run has told of itself."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """One row per box, and one per run."""

    dependencies = (
        ("boost_dashboard", "0001_revision_date_index"),
        ("codespeed", "0003_project_default_branch"),
    )
    operations = (
        migrations.CreateModel(
            name="AlarmSheet",
            fields=(
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made", models.DateTimeField()),
                ("alarms", models.TextField()),
                (
                    "environment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, to="codespeed.environment"
                    ),
                ),
            ),
        ),
        migrations.CreateModel(
            name="RunNote",
            fields=(
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("note", models.TextField()),
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, to="codespeed.revision"
                    ),
                ),
            ),
        ),
    )

"""Tables for what the nightly tells: alarms of version 2, and nights."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Alarms and nights a row each, and when alarms were told last of a box."""

    dependencies = (
        ("boost_dashboard", "0002_alarms_and_notes"),
        ("codespeed", "0003_project_default_branch"),
    )
    operations = (
        migrations.CreateModel(
            name="AlarmRegister",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("made", models.DateTimeField()),
                ("figures", models.TextField(default="")),
                (
                    "environment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, to="codespeed.environment"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AlarmRecord",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=11)),
                ("state", models.CharField(db_index=True, max_length=12)),
                ("benchmark", models.CharField(db_index=True, max_length=100)),
                ("document", models.TextField()),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="codespeed.environment"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("environment", "key"), name="flink_boost_alarm")
                ],
            },
        ),
        migrations.CreateModel(
            name="NightRecord",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("night", models.CharField(max_length=20)),
                ("slot", models.DateTimeField()),
                ("state", models.CharField(max_length=12)),
                ("changed", models.BooleanField(default=False)),
                ("document", models.TextField()),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="codespeed.environment"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["environment", "slot"], name="flink_boost_night_slot")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "night"), name="flink_boost_night"
                    )
                ],
            },
        ),
    )

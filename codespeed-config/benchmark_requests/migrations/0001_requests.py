"""Tables of benchmark requests."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What was read, what waits, and what was said."""

    initial = True

    dependencies: tuple[tuple[str, str], ...] = ()

    operations = (
        migrations.CreateModel(
            name="HubCursor",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("repository", models.CharField(max_length=200, unique=True)),
                ("cursor", models.TextField(default="")),
                ("polled", models.DateTimeField(null=True)),
                ("problem", models.TextField(default="")),
            ],
        ),
        migrations.CreateModel(
            name="HubComment",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("repository", models.CharField(max_length=200)),
                ("comment_id", models.BigIntegerField()),
                ("number", models.IntegerField()),
                ("author", models.CharField(max_length=200)),
                ("bot", models.BooleanField(default=False)),
                ("body", models.TextField()),
                ("created", models.DateTimeField()),
                ("updated", models.DateTimeField()),
                ("url", models.TextField(default="")),
                ("read", models.DateTimeField()),
                ("handled", models.DateTimeField(db_index=True, null=True)),
                ("outcome", models.CharField(default="", max_length=40)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("repository", "comment_id"), name="request_comment"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="BenchmarkRequest",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=11, unique=True)),
                ("repository", models.CharField(max_length=200)),
                ("number", models.IntegerField()),
                ("author", models.CharField(max_length=200)),
                ("order", models.TextField()),
                ("state", models.CharField(db_index=True, max_length=12)),
                ("stale", models.BooleanField(default=False)),
                ("cancel", models.BooleanField(default=False)),
                ("asked", models.DateTimeField()),
                ("queued", models.DateTimeField()),
                ("started", models.DateTimeField(null=True)),
                ("moved", models.DateTimeField()),
                ("ended", models.DateTimeField(null=True)),
                ("beat", models.DateTimeField(null=True)),
                ("worker", models.CharField(default="", max_length=100)),
                ("attempts", models.IntegerField(default=0)),
                ("seconds", models.FloatField(default=0.0)),
                ("verdict", models.TextField(default="")),
                ("answer", models.TextField(default="")),
                ("note", models.TextField(default="")),
                (
                    "comment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="benchmark_requests.hubcomment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HubMessage",
            fields=[
                (
                    "id",
                    models.AutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("marker", models.CharField(max_length=100, unique=True)),
                ("repository", models.CharField(max_length=200)),
                ("number", models.IntegerField()),
                ("body", models.TextField()),
                ("sent", models.TextField(default="")),
                ("remote", models.BigIntegerField(null=True)),
                ("gone", models.BooleanField(default=False)),
                ("waiting", models.BooleanField(db_index=True, default=True)),
                ("claimed", models.DateTimeField(null=True)),
                ("problem", models.TextField(default="")),
                ("made", models.DateTimeField()),
                (
                    "request",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="benchmark_requests.benchmarkrequest",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="benchmarkrequest",
            index=models.Index(fields=["state", "queued"], name="request_queue"),
        ),
    )

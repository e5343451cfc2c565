"""What the dashboard keeps besides Codespeed's own tables."""

from __future__ import annotations

from codespeed.models import Environment, Revision
from django.db import models


class AlarmSheet(models.Model):
    """What detection told last of a box: a JSON list of alarms, replaced as a whole.

    ``made`` is when they were found, naive and in UTC as all of Codespeed's times.
    """

    environment = models.OneToOneField(Environment, on_delete=models.CASCADE)
    made = models.DateTimeField()
    alarms = models.TextField()


class RunNote(models.Model):
    """What a run said of itself: a JSON object, see ``notes.Note``."""

    revision = models.OneToOneField(Revision, on_delete=models.CASCADE)
    note = models.TextField()


class AlarmRegister(models.Model):
    """When a box's alarms of version 2 were told last, and the figures told with them (JSON).

    ``retired`` is when it was said to measure no more.
    """

    environment = models.OneToOneField(Environment, on_delete=models.CASCADE)
    made = models.DateTimeField()
    figures = models.TextField(default="")
    retired = models.DateTimeField(null=True)


class AlarmRecord(models.Model):
    """An alarm of version 2: a JSON object, see ``flink_boost.judge.alarm_record.PublishedAlarm``.

    ``benchmark`` is what it is called here by now.
    """

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE)
    key = models.CharField(max_length=11)
    state = models.CharField(max_length=12, db_index=True)
    benchmark = models.CharField(max_length=100, db_index=True)
    document = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("environment", "key"), name="flink_boost_alarm"),
        )


class NightRecord(models.Model):
    """A night of a box: a JSON object, see ``flink_boost.measure.night_record``."""

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE)
    night = models.CharField(max_length=24)
    slot = models.DateTimeField()
    state = models.CharField(max_length=12)
    changed = models.BooleanField(default=False)
    document = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("environment", "night"), name="flink_boost_night"),
        )
        indexes = (models.Index(fields=("environment", "slot"), name="flink_boost_night_slot"),)

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

    def __str__(self) -> str:
        return f"Alarms of {self.environment}"


class RunNote(models.Model):
    """What a run said of itself: a JSON object, see ``notes.Note``."""

    revision = models.OneToOneField(Revision, on_delete=models.CASCADE)
    note = models.TextField()

    def __str__(self) -> str:
        return f"Note of {self.revision}"

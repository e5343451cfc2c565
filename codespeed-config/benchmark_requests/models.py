"""The tables of benchmark requests. Times are naive and in UTC, as all of Codespeed's.

Exactly once rests on three unique columns: a comment is stored once, makes one request at most, and
each of our messages has a marker of its own, by which it is found again on the hub.
"""

from __future__ import annotations

from django.db import models


class HubCursor(models.Model):
    """How far the comments of a repository are read; moves together with what was read."""

    repository = models.CharField(max_length=200, unique=True)
    cursor = models.TextField(default="")
    polled = models.DateTimeField(null=True)
    problem = models.TextField(default="")


class HubComment(models.Model):
    """A comment as it was first read; ``handled`` once all that follows from it is stored."""

    repository = models.CharField(max_length=200)
    comment_id = models.BigIntegerField()
    number = models.IntegerField()
    author = models.CharField(max_length=200)
    bot = models.BooleanField(default=False)
    body = models.TextField()
    created = models.DateTimeField()
    updated = models.DateTimeField()
    url = models.TextField(default="")
    read = models.DateTimeField()
    handled = models.DateTimeField(null=True, db_index=True)
    outcome = models.CharField(max_length=40, default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("repository", "comment_id"), name="request_comment"),
        )


class BenchmarkRequest(models.Model):
    """A request; ``order`` is what is measured, a JSON object that does not change any more.

    ``started`` is when a worker first began, ``resumed`` when one began after it last waited,
    ``beat`` when its worker last said that it lives; ``attempts`` is how many workers have begun,
    ``seconds`` what of its work was foretold.
    """

    key = models.CharField(max_length=11, unique=True)
    comment = models.OneToOneField(HubComment, on_delete=models.PROTECT)
    repository = models.CharField(max_length=200)
    number = models.IntegerField()
    author = models.CharField(max_length=200)
    order = models.TextField()
    state = models.CharField(max_length=12, db_index=True)
    stale = models.BooleanField(default=False)
    cancel = models.BooleanField(default=False)
    asked = models.DateTimeField()
    queued = models.DateTimeField()
    started = models.DateTimeField(null=True)
    resumed = models.DateTimeField(null=True)
    moved = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    beat = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, default="")
    attempts = models.IntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    verdict = models.TextField(default="")
    answer = models.TextField(default="")
    note = models.TextField(default="")

    class Meta:
        indexes = (models.Index(fields=("state", "queued"), name="request_queue"),)


class HubMessage(models.Model):
    """A comment of ours: what it should say, and what it says on the hub.

    ``remote`` is its id there, None until it is known; ``sent`` the text that is there. ``gone``
    when somebody deleted it, or it cannot be posted: it is left alone then. ``claimed`` is when a
    server took it to send it: no other does so for a while.
    """

    marker = models.CharField(max_length=100, unique=True)
    repository = models.CharField(max_length=200)
    number = models.IntegerField()
    request = models.ForeignKey(BenchmarkRequest, null=True, on_delete=models.CASCADE)
    body = models.TextField()
    sent = models.TextField(default="")
    remote = models.BigIntegerField(null=True)
    gone = models.BooleanField(default=False)
    waiting = models.BooleanField(default=True, db_index=True)
    claimed = models.DateTimeField(null=True)
    problem = models.TextField(default="")
    made = models.DateTimeField()

"""Registers the requests as a Django application, for its tables and its page."""

from __future__ import annotations

from django.apps import AppConfig


class BenchmarkRequestsConfig(AppConfig):
    """Nothing to do at the start."""

    name = "benchmark_requests"
    verbose_name = "Benchmark requests"

"""Tests of benchmark requests."""

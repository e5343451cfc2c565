"""Adds a Flink release as a line of its own: describes, checks and tests it."""

"""Requests to measure pull requests: what was read, what waits, what was said. Beside Codespeed."""

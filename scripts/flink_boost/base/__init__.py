"""Errors, durable files, child processes: what every room stands on. Standard library only."""

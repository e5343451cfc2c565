"""Reads Flink's sources and ours, and shows how they differ."""

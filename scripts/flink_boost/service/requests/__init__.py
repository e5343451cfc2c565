"""Benchmark requests: from a comment, or a call, to an answer that can be believed."""

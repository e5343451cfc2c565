"""Does our patch fit this Flink: sources, a new line, Flink's own tests, long random runs."""

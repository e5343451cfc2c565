"""flink-boost: benchmarks, comparison, upload, detection and reports around the drop-in jars."""

__version__ = "0.3.0"

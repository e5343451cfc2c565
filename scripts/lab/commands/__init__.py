"""Commands of the lab; ``flink-boost`` has them in the source tree."""

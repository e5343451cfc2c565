"""What passes on every official release of Flink that a jar is for: `make test-releases`."""

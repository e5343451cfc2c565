"""Profiles of benchmarks: taken in forks of their own, which never feed timings."""

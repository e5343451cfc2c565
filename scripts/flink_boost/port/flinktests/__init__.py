"""Flink's own published tests, run with the drop-in jar in front of the class path.

``test_plan`` says which classes run in which JVM, ``test_class_path`` gets them from Maven Central,
``jvm`` runs one JVM, ``outcome`` reads what it left, ``blame`` judges failures by running them on
stock too, ``test_runner`` does it all and can be killed at any time, ``test_summary`` reports.
"""

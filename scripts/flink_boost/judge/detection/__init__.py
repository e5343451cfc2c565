"""Finds changes in the nights of one benchmark and has them confirmed by reruns. Pure.

``docs/detection.md`` says in words what the modules do: ``nights`` (what a night says),
``suspicion`` (what is worth a rerun), ``evidence`` (the test that may be looked at any time),
``confirmation`` (reruns until it is decided), ``localisation`` (since when, a step or a drift) and
``watcher`` (one benchmark, night by night).
"""

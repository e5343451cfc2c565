"""The suites of ``make test``: which there are, what each depends on, and their totals.

``catalogue`` says what runs, ``inputs`` on what it depends, ``schedule`` when, ``passed`` remembers
what need not run again, and ``totals`` counts. For developers; the wheel does not carry it.
"""

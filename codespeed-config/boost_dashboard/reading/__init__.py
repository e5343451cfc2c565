"""What pages are made of: rows of Codespeed's tables as typed values, and pure functions over them.

Nothing here writes, and nothing fails on a row that the door would refuse today: a commit id in
several branches, a name in two projects, a value that is no number, a run without a date.
"""

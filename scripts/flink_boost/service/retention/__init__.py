"""What is kept, for how long, and what goes: one setting, one list of kinds, one way to delete."""

"""The door: one thin module per command, settings, one mapping of errors to exit codes."""

"""A night: one command from the check of the box to the report, that goes on after any end."""

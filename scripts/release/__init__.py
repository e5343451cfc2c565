"""What is published of a commit; ``make release`` makes it."""

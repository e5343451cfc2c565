"""What an operator does to a dashboard: tokens, backups, removing and renaming."""

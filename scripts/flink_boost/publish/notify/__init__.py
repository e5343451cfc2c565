"""Telling people of a night: by Slack, by e-mail, and each thing once."""

"""The Django project around Codespeed: settings, token check, overview, compatibility."""

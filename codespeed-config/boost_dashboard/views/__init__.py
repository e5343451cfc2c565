"""The pages with numbers, and Codespeed's addresses for programs."""

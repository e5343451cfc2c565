"""The report of a night: what changed since the last one, as a page, as Markdown, and kept."""

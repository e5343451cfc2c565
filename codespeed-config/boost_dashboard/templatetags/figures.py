"""Numbers as people read them."""

from __future__ import annotations

from django import template
from django.utils.html import format_html_join

register = template.Library()

_SIGNIFICANT = 4  # digits


@register.filter
def signed(value: float) -> str:
    """``+1.25`` or ``−0.30``, with a true minus sign."""
    return f"{value:+,.2f}".replace("-", "−")


@register.filter
def digits(value: float) -> str:
    """Four significant digits, and thousands apart: ``8.101``, ``1,234``, ``0.00001234``."""
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.{_SIGNIFICANT}g}".rstrip(".")
    if "e" in text:
        text = f"{value:.12f}".rstrip("0") if abs(value) >= 1e-9 else f"{value:.3e}"
    return text.replace("-", "−")


@register.filter
def breakable(name: str) -> str:
    """A long name that breaks after its dots, where it has to."""
    parts = name.split(".")
    dotted = [f"{part}." for part in parts[:-1]] + parts[-1:]
    return format_html_join("", "{}<wbr>", ((part,) for part in dotted))

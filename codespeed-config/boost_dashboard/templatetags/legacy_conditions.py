"""``{% ifequal a b %}`` and ``{% ifnotequal a b %}``, which Django 4.0 removed.

Codespeed's templates use both, with and without ``{% else %}``. Registered as builtins in the
settings because those templates do not load anything.
"""

from __future__ import annotations

from django import template
from django.template.base import Parser, Token
from django.template.defaulttags import IfNode, TemplateIfParser

register = template.Library()


@register.tag("ifequal")
@register.tag("ifnotequal")
def equality(parser: Parser, token: Token) -> IfNode:
    """``{% ifequal a b %}…{% else %}…{% endifequal %}``; a missing variable counts as None."""
    name, *operands = token.split_contents()
    if len(operands) != 2:
        raise template.TemplateSyntaxError(f"{name} takes two arguments, not {len(operands)}")
    sign = "==" if name == "ifequal" else "!="
    condition = TemplateIfParser(parser, [operands[0], sign, operands[1]]).parse()
    end = f"end{name}"
    branches = [(condition, parser.parse(("else", end)))]
    if parser.next_token().contents == "else":
        branches.append((None, parser.parse((end,))))
        parser.delete_first_token()
    return IfNode(branches)

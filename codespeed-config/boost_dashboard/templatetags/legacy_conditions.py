"""``{% ifequal a b %}`` and ``{% ifnotequal a b %}``, which Django 4.0 removed.

Codespeed's templates use both, with and without ``{% else %}``. Registered as builtins in the
settings because those templates do not load anything.
"""

from __future__ import annotations

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context

register = template.Library()


class EqualityNode(template.Node):
    """Renders one of two blocks, depending on whether two expressions are equal."""

    child_nodelists = ("when_met", "otherwise")

    def __init__(
        self,
        left: FilterExpression,
        right: FilterExpression,
        *,
        wanted: bool,
        when_met: NodeList,
        otherwise: NodeList,
    ) -> None:
        self.left = left
        self.right = right
        self.wanted = wanted
        self.when_met = when_met
        self.otherwise = otherwise

    def render(self, context: Context) -> str:
        # A missing variable counts as None here, as it did in the original tags.
        left = self.left.resolve(context, ignore_failures=True)
        right = self.right.resolve(context, ignore_failures=True)
        chosen = self.when_met if (left == right) is self.wanted else self.otherwise
        return chosen.render(context)


@register.tag
def ifequal(parser: Parser, token: Token) -> EqualityNode:
    """``{% ifequal a b %}…{% else %}…{% endifequal %}``"""
    return _parse(parser, token, wanted=True)


@register.tag
def ifnotequal(parser: Parser, token: Token) -> EqualityNode:
    """``{% ifnotequal a b %}…{% else %}…{% endifnotequal %}``"""
    return _parse(parser, token, wanted=False)


def _parse(parser: Parser, token: Token, *, wanted: bool) -> EqualityNode:
    name, *operands = token.split_contents()
    if len(operands) != 2:
        raise template.TemplateSyntaxError(f"{name} takes two arguments, not {len(operands)}")
    end = f"end{name}"
    when_met = parser.parse(("else", end))
    otherwise = NodeList()
    if parser.next_token().contents == "else":
        otherwise = parser.parse((end,))
        parser.delete_first_token()
    left, right = (parser.compile_filter(operand) for operand in operands)
    return EqualityNode(left, right, wanted=wanted, when_met=when_met, otherwise=otherwise)

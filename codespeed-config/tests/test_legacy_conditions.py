"""The two template tags that Codespeed needs and Django no longer has."""

from __future__ import annotations

import pytest
from django.template import Context, Engine, TemplateSyntaxError

ENGINE = Engine(builtins=["boost_dashboard.templatetags.legacy_conditions"])


def render(source: str, **values: object) -> str:
    return ENGINE.from_string(source).render(Context(values))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% ifequal a 'x' %}yes{% endifequal %}", "yes"),
        ("{% ifequal a 'y' %}yes{% endifequal %}", ""),
        ("{% ifequal a 'y' %}yes{% else %}no{% endifequal %}", "no"),
        ("{% ifnotequal a 'y' %}yes{% else %}no{% endifnotequal %}", "yes"),
        ("{% ifnotequal a 'x' %}yes{% else %}no{% endifnotequal %}", "no"),
        ("{% ifnotequal list|length 1 %}many{% endifnotequal %}", "many"),
        ("{% ifequal missing absent %}equal{% endifequal %}", "equal"),
        ("{% ifequal a 'x' %}{% ifequal a 'y' %}1{% else %}2{% endifequal %}{% endifequal %}", "2"),
    ],
)
def test_the_right_block_is_rendered(source: str, expected: str) -> None:
    assert render(source, a="x", list=[1, 2]) == expected


def test_one_argument_is_an_error() -> None:
    with pytest.raises(TemplateSyntaxError, match="ifequal takes two arguments, not 1"):
        render("{% ifequal a %}{% endifequal %}")

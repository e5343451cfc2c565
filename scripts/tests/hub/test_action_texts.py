"""Answers of pull requests from strangers as comments: tamed, framed, and not too long."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from flink_boost.service.requests.hub.workflow_comment import (
    HOSTED,
    LARGEST,
    MARKER,
    STRANGER,
    framed,
    tamed,
)
from hub.action_file import ANSWER


def test_a_stranger_s_text_calls_nobody_and_loads_nothing() -> None:
    text = (
        f"Hello @apache/everybody\n![x](https://evil.example/pixel.png) {MARKER}\n"
        "<img src=x onerror=alert(1)><details><summary>more</summary>\n"
        "[click](javascript:alert(1)) http://evil.example www.evil.example\n\u202egnp.exe\x1b[31m"
    )
    found = tamed(text)
    for harm in ("@a", "![", "<img", "<!--", "](", "http:", "https:", "javascript:", "\u202e"):
        assert harm not in found, harm
    assert "<details><summary>more</summary>" in found
    assert "www.evil" not in found
    assert "\x1b" not in found
    assert tamed(ANSWER) == ANSWER


LINKS = (
    "[report][r]\n\n[r]: //evil.example/report",
    "[r]\n\n[r]: <//evil.example/report>",
    "[r][]\n\n> [r]:\n> //evil.example/report",
    "[s][s]\n\n[s]: &#104;ttps://evil.example/login",
    "[t][t]\n\n[t]: https\\://evil.example/x",
    "[t](//evil.example/x) [t] (//evil.example/x)",
    "[t]\\(//evil.example/x) \\[t](//evil.example/x)",
    "!\\[t](//evil.example/x) ![t][t] \\![t](//evil.example/x)\n\n[t]: //evil.example/x",
    "<//evil.example> <https://evil.example> <a href=//evil.example>x</a> \\<img src=//x>",
    "&lt;img src=//evil.example&gt; &#60;img src=//evil.example>",
)


@pytest.mark.parametrize("text", LINKS)
def test_no_link_of_a_stranger_leads_anywhere(text: str) -> None:
    html = MarkdownIt("commonmark").render(tamed(text))
    assert "evil.example" in html, "it stays to be read"
    assert "<a" not in html
    assert "<img" not in html


def test_what_is_said_of_a_stranger_s_text_cannot_be_folded_away() -> None:
    text = "<details><summary>**Faster**: 8 of 8.</summary>\n\n</details>\n"
    found = framed(text, stranger=True)
    assert found.startswith(f"{STRANGER}\n\n{HOSTED}\n\n<details>")


def test_a_long_answer_is_cut_and_its_folds_are_closed() -> None:
    text = "Verdict\n<details><summary>x</summary>\n" + "row\n" * 50_000
    for stranger in (False, True):
        found = framed(text, stranger=stranger)
        assert len(found) <= LARGEST + 100
        assert found.count("<details>") == found.count("</details>")
        assert found.startswith(STRANGER if stranger else "Verdict\n\n" + HOSTED)
        assert HOSTED in found[:1000]
        assert "cut here" in found


@pytest.mark.parametrize("before", ["", " ", "_", "*", "~", "(", "1", "a_"])
def test_no_address_of_a_stranger_is_followed_whatever_is_before_it(before: str) -> None:
    """GitHub begins one behind these, a word of a regular expression does not."""
    text = tamed(f"{before}https://evil.example {before}www.evil.example {before}MAILTO:a@b.c")
    assert not re.search(r"(?i)(https|mailto):|www\.", text)

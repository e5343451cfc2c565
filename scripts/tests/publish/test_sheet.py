"""Tables as text, Markdown and HTML: nothing is lost, and no value becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from flink_boost.publish.sheet import Column, Entry, Sheet, Tone, html, markdown, print_sheets

SHEET = Sheet(
    "A title",
    (Column("name"), Column("value", numeric=True), Column("verdict")),
    (
        (Entry("a|b"), Entry("1.5"), Entry("better", Tone.GOOD)),
        (Entry("<i>c</i>"), Entry("2"), Entry("worse", Tone.BAD)),
    ),
    ("First note.", "Second note."),
)


def test_markdown() -> None:
    assert markdown(SHEET) == (
        "**A title**\n\n"
        "| name | value | verdict |\n|:---|---:|:---|\n"
        "| a\\|b | 1.5 | better |\n| <i>c</i> | 2 | worse |\n\n"
        "First note.\n\nSecond note.\n"
    )
    assert markdown(Sheet("Alone", (), (), ("A note.",))) == "**Alone**\n\nA note.\n"


def test_text_in_a_pipe_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Sheet("T", (Column("c"),), ((Entry("x" * 300),),))
    print_sheets([SHEET, wide], "text")
    out = capsys.readouterr().out
    assert "x" * 300 in out
    assert out.index("A title") < out.index("First note.") < out.index("Second note.")


class Page(HTMLParser):
    """Tags and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def test_html_is_complete_in_itself_and_escapes_every_value() -> None:
    text = html([SHEET, Sheet('"><script>', (), (), ("<img src=x>",))])
    page = Page(text)
    names = [tag for tag, _ in page.tags]
    assert not {"script", "img", "i", "link"} & set(names)
    assert "<i>c</i>" in page.words
    assert (names.count("table"), names.count("section")) == (1, 2)
    verdicts = [attributes["class"] for tag, attributes in page.tags if tag == "span"]
    assert verdicts == ["verdict good", "verdict bad"]
    policy = next(a["content"] for tag, a in page.tags if "http-equiv" in a and tag == "meta")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "First note." in page.words


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_form_shows_every_field(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_sheets([SHEET], form)
    out = capsys.readouterr().out
    for word in ("A title", "name", "1.5", "better", "worse", "First note.", "Second note."):
        assert word in out

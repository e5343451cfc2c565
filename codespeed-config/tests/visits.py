"""A page in a real Chromium, and everything that went wrong while it was open."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

from conftest import PROJECT_FOLDER

CHROMIUM = os.environ.get("FLINK_BOOST_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
CHROMIUM_OPTIONS = [
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Widths and schemes in which a page is opened; the other scheme is looked at without a reload.
LOOKS = ((390, "dark"), pytest.param(1280, "light", marks=pytest.mark.test_all))
PICTURES = PROJECT_FOLDER.parent / "build" / "screenshots"
AXE = PROJECT_FOLDER.parent / ".cache" / "frontend" / "axe-core" / "axe.min.js"
# Violations of the policy that no message reaches the console for; runs before the page's scripts.
KEEP_VIOLATIONS = """
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
        window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
"""


def launch(playwright: Playwright) -> Browser:
    """The Chromium of this machine."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)


@dataclass
class Visit:
    """A page of a dashboard; ``problems`` is empty when all went well."""

    page: Page
    base: str
    scheme: Any = "light"
    problems: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.base + path, wait_until="networkidle")
        self.problems += [f"policy: {each}" for each in self.page.evaluate("window.violations")]
        return self.page

    def handlers(self) -> dict[Any, Callable[[Any], None]]:
        """What is to be called at which events of the page."""
        return {
            "console": self._on_console,
            "dialog": self._on_dialog,
            "pageerror": lambda error: self.problems.append(f"error: {error}"),
            "requestfailed": lambda request: self.problems.append(f"no: {request.url}"),
            "request": self._on_request,
            "response": self._on_response,
        }

    def schemes(self) -> Iterator[str]:
        """The colour scheme as it is, and then the other one, which stays."""
        yield self.scheme
        self.scheme = "light" if self.scheme == "dark" else "dark"
        self.page.emulate_media(color_scheme=self.scheme)
        yield self.scheme

    def keep_picture(self, name: str) -> None:
        """A screenshot for people, in build/screenshots; tests judge the page itself."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"dashboard-{name}.png")

    def unfold(self, most: int | None = None) -> None:
        """Opens what is folded on the page, or its first so many."""
        # Handles: a locator would be asked anew after each click, when there are fewer.
        for summary in self.page.locator("details:not([open]) > summary").element_handles()[:most]:
            if summary.is_visible():
                summary.click()

    def overflow(self) -> float:
        """By how many CSS pixels the page is wider than the window."""
        width: float = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return width

    def axe(self) -> list[str]:
        """What axe finds serious or critical, with the elements."""
        if self.page.evaluate("!('axe' in window)"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {node['html'][:200]} {node['failureSummary'][:200]}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    def _on_dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.problems.append(f"foreign: {request.url}")

    def _on_response(self, response: Any) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")


@contextmanager
def visiting(
    browser: Browser, base: str, *, width: int = 1280, scheme: Any = "light"
) -> Iterator[Visit]:
    """A visit with a window of that width and colour scheme."""
    page = _page_of(browser)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    visit = Visit(page, base, scheme)
    handlers = visit.handlers()
    for event, handler in handlers.items():
        page.on(event, handler)
    try:
        yield visit
    finally:
        for event, handler in handlers.items():
            page.remove_listener(event, handler)
        page.context.clear_cookies()
        page.goto("about:blank")


def _page_of(browser: Browser) -> Page:
    """The one page of a browser: a new one for each visit would be a process for each.

    Nothing of ours is kept in a browser but cookies.
    """
    if not browser.contexts:
        context = browser.new_context(reduced_motion="reduce")
        context.new_page().add_init_script(KEEP_VIOLATIONS)
    return browser.contexts[0].pages[0]

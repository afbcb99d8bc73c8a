"""Fixtures for tests in a real browser: the system's Chromium, through Playwright."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.e2e.browser_contexts import Windows
from tests.serving import BatonServer

VIEWPORT = {"width": 1440, "height": 900}

# Without animations, every element is at its final place at once.
STILL = {"reduced_motion": "reduce"}

# Long enough for a busy machine, and shorter than the 15 seconds after which a page counts the
# inbox: a text that appears only with that answer is too late for a person as well.
expect.set_options(timeout=10_000)


class Console:
    """Complaints of one test's pages; each fails the test, unless allowed."""

    def __init__(self) -> None:
        self._complaints: list[str] = []
        self._allowed: list[re.Pattern[str]] = []

    def allow(self, pattern: str) -> None:
        """Let complaints pass that match this regular expression, such as a refused request."""
        self._allowed.append(re.compile(pattern))

    def watch(self, page: Page) -> None:
        """Listen to a page's errors: of scripts, of the network, of the content security policy."""
        page.on("console", self._on_message)
        page.on("pageerror", lambda error: self._complaints.append(f"script: {error}"))

    def complaints(self) -> list[str]:
        """Return the complaints that are not allowed."""
        return [
            text
            for text in self._complaints
            if not any(pattern.search(text) for pattern in self._allowed)
        ]

    def _on_message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._complaints.append(f"{message.type}: {message.text} ({message.location['url']})")


@pytest.fixture
def console() -> Console:
    """The guard over the consoles of this test's pages: `console.allow("409")`."""
    return Console()


@pytest.fixture(scope="session")
def windows(browser: Browser) -> Windows:
    """The windows of the browser, which one test takes after another."""
    return Windows(browser)


@pytest.fixture
def open_page(
    windows: Windows, server: BatonServer, console: Console
) -> Iterator[Callable[..., Page]]:
    """Open a window of a browser of its own (cookies, storage) at 1440 x 900: `open_page()`.

    The server's user is signed in, or nobody with `open_page(signed_in=False)`. More options go to
    Playwright's new_context, such as `reduced_motion="no-preference"`, which allows animations.
    A second tab of the same browser is `page.context.new_page()`. Static files may be in its cache,
    unless it is opened with `fresh=True` or the server is this test's alone.
    """
    contexts = []
    usual = {"base_url": server.url, "viewport": VIEWPORT, **STILL}

    def open_one(*, signed_in: bool = True, fresh: bool = False, **options: object) -> Page:
        context = windows.take(usual, options, fresh=fresh or not server.session)
        contexts.append(context)
        context.on("page", console.watch)
        if signed_in and server.session:
            keep_session(context, server)
        page = context.new_page()
        if signed_in and not server.session:
            sign_in(page, server)
        return page

    yield open_one
    for context in contexts:
        context.remove_listener("page", console.watch)
        windows.give_back(context)
    assert console.complaints() == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page of the running server, signed in; complaints in its console fail the test."""
    return open_page()


def keep_session(context: BrowserContext, server: BatonServer) -> None:
    """Add the cookie of an earlier sign-in to the browser."""
    context.add_cookies([{"name": "sessionid", "value": server.session, "url": server.url}])


def sign_in(page: Page, server: BatonServer) -> None:
    """Sign in as a person does: open the link, press the button."""
    page.goto(server.sign_in_url())
    page.get_by_role("button", name=f"Sign in as {server.username}").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)

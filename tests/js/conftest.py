"""Pure modules of the page, run where they run for people: in the browser, but without a server."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

MODULES = Path(__file__).resolve().parents[2] / "static" / "js"
ORIGIN = "http://modules.test"


@pytest.fixture
def geometry(module: Callable[..., Any]) -> Callable[..., Any]:
    """Call an export of static/js/canvas/geometry.js: `geometry("route", a, b)`."""
    return partial(module, "canvas/geometry.js")


@pytest.fixture
def module(run: Callable[..., Any]) -> Callable[..., Any]:
    """Call an export of any module: `module("core/fuzzy-match.js", "match", "ab", "abc")`."""

    def call(file: str, name: str, *arguments: object) -> Any:
        return run(
            "async ([file, name, args]) => (await import(`/${file}`))[name](...args)",
            [file, name, list(arguments)],
        )

    return call


@pytest.fixture
def run(modules: Page) -> Callable[..., Any]:
    """Run a function that imports modules itself: `run("async (n) => …", 3)`."""
    return modules.evaluate


@pytest.fixture(scope="session")
def modules(browser: Browser) -> Iterator[Page]:
    """A page that can import all modules: what is tested keeps nothing, so that one will do."""
    page = browser.new_page()
    page.route("**/*", _serve)
    page.goto(ORIGIN)
    yield page
    page.close()


def _serve(route: Route) -> None:
    name = route.request.url.removeprefix(ORIGIN).lstrip("/")
    if not name:
        route.fulfill(body="<!doctype html><title>Modules</title>", content_type="text/html")
    else:
        body = (MODULES / name).read_text() if (MODULES / name).is_file() else ""
        route.fulfill(body=body, content_type="text/javascript")

"""Modules that could not be loaded."""

from typing import Any
from uuid import uuid4

from playwright.sync_api import Page, Route

LOADED = """async ([path, times]) => {
  const { load } = await import("/core/offline.js");
  const found = [];
  for (let at = 0; at < times; at += 1)
    found.push(await load(import(path)).then((module) => module.made, () => "failed"));
  return found;
}"""


def test_a_lost_module_is_loaded_with_the_next_use_and_then_once(modules: Page) -> None:
    requests: list[str] = []
    path = f"/late-{uuid4().hex}.js"  # the page remembers the modules of an earlier attempt

    def serve(route: Route) -> None:
        requests.append(route.request.url)
        if len(requests) <= 2:  # the first import, and its repetition
            route.abort()
        else:
            body = "export const made = (globalThis.made = (globalThis.made ?? 0) + 1);"
            route.fulfill(body=body, content_type="text/javascript")

    modules.route(f"**{path}*", serve)
    try:
        found: list[Any] = modules.evaluate(LOADED, [path, 3])
    finally:
        modules.unroute(f"**{path}*")
    assert found == ["failed", 1, 1]
    assert len(requests) == 3


def test_an_error_within_a_module_is_not_repeated(modules: Page) -> None:
    message = modules.evaluate(
        """async () => {
          const { load } = await import("/core/offline.js");
          return load(Promise.reject(new Error("no module"))).catch((error) => error.message);
        }"""
    )
    assert message == "no module"

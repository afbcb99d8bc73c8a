"""Modules that could not be loaded."""

from typing import Any

from playwright.sync_api import Page, Route

LOADED = """async (times) => {
  const { load } = await import("/core/offline.js");
  const found = [];
  for (let at = 0; at < times; at += 1)
    found.push(await load(import("/late.js")).then((module) => module.made, () => "failed"));
  return found;
}"""


def test_a_lost_module_is_loaded_with_the_next_use_and_then_once(modules: Page) -> None:
    requests: list[str] = []

    def serve(route: Route) -> None:
        requests.append(route.request.url)
        if len(requests) <= 2:  # the first import, and its repetition
            route.abort()
        else:
            body = "export const made = (globalThis.made = (globalThis.made ?? 0) + 1);"
            route.fulfill(body=body, content_type="text/javascript")

    modules.route("**/late.js*", serve)
    try:
        found: list[Any] = modules.evaluate(LOADED, 3)
    finally:
        modules.unroute("**/late.js*")
    assert found == ["failed", 1, 1]
    assert len({*requests}) == len(requests) == 3, "each attempt has an address of its own"


def test_an_error_within_a_module_is_not_repeated(modules: Page) -> None:
    message = modules.evaluate(
        """async () => {
          const { load } = await import("/core/offline.js");
          return load(Promise.reject(new Error("no module"))).catch((error) => error.message);
        }"""
    )
    assert message == "no module"

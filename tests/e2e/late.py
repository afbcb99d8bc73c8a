"""Answers that come late."""

from collections.abc import Callable

from playwright.sync_api import Page, Route


def held(page: Page, path: str) -> Callable[[], None]:
    """Hold back the answers to what is asked of a path; the function lets them go."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    def let_go() -> None:
        for route in waiting:
            route.continue_()
        page.unroute(f"**/{path}", hold)

    page.route(f"**/{path}", hold)
    return let_go

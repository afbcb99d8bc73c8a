"""Answers that come late."""

from collections.abc import Callable

from playwright.sync_api import Page, Route


def held(page: Page, path: str) -> Callable[[], None]:
    """Hold back the answers to what is asked of a path; the function lets them go."""
    waiting: list[Route] | None = []

    def hold(route: Route) -> None:
        if waiting is None:  # it was on its way to be held when the others were let go
            route.continue_()
        else:
            waiting.append(route)

    def let_go() -> None:
        nonlocal waiting
        held, waiting = waiting or [], None
        for route in held:
            route.continue_()
        page.unroute(f"**/{path}", hold)

    page.route(f"**/{path}", hold)
    return let_go

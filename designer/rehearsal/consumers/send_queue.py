"""Send queue of a page, with a limit on unconfirmed data."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from django.utils.html import format_html

MARK_EVERY = 64 * 1024
"""Number of characters between two requests for a confirmation."""

MOST = 512 * 1024
"""Maximum number of unconfirmed characters."""


@dataclass
class Outflow:
    """Unconfirmed data of one reader, in characters. Times are in seconds."""

    sent: int = 0
    seen: int = 0
    full_since: float | None = None
    """Time since which nothing is sent; None below the limit."""
    _marks: deque[int] = field(default_factory=deque)

    def mark(self, size: int, now: float) -> str:
        """Count the next data; return a request for a confirmation if one is due."""
        self.sent += size
        last = self._marks[-1] if self._marks else self.seen
        if self.sent - last < MARK_EVERY:
            return ""
        self._marks.append(self.sent)
        if self.sent - self.seen >= MOST and self.full_since is None:
            self.full_since = now
        return render_mark(self.sent)

    def confirm(self, mark: int) -> bool:
        """Record a confirmation of the page; return False if it was not requested."""
        if mark not in self._marks:
            return False
        while self._marks.popleft() != mark:
            pass
        self.seen, self.full_since = mark, None
        return True

    @property
    def is_full(self) -> bool:
        """Report whether sending must wait for a confirmation."""
        return self.full_since is not None

    def is_stuck(self, now: float, timeout: float) -> bool:
        """Report whether the page has confirmed nothing for too long."""
        return self.full_since is not None and now - self.full_since >= timeout


def render_mark(mark: int) -> str:
    """Render a form that the page sends as soon as it has received it."""
    return format_html(
        '<form id="seen" hidden ws-send hx-trigger="load" hx-swap-oob="true">'
        '<input type="hidden" name="op" value="seen">'
        '<input type="hidden" name="n" value="{}"></form>',
        mark,
    )

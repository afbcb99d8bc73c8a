"""Windows of the browser, which one test takes after another."""

from collections.abc import Mapping

from playwright.sync_api import Browser, BrowserContext

REUSED = {"color_scheme", "viewport"}
"""With other options than these, a window is made for one test alone."""

NOBODYS = "/static/js/core/theme.js"
"""The page that stays: plain text, because each page is styled and drawn again for every other."""


class Windows:
    """Windows without cookies, storage and rights; what is kept is the cache of static files.

    Those have hashed names, so that one test's files are the next one's too. A page that nobody
    looks at stays open in each, and with it the process in which the files were read already.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}
        self._keys: dict[BrowserContext, str] = {}

    def take(
        self, usual: Mapping[str, object], options: Mapping[str, object], *, fresh: bool = False
    ) -> BrowserContext:
        """Return a window with these options, which others may have used unless it is `fresh`."""
        wanted = {**usual, **options}
        key = repr(sorted(wanted.items()))
        reused = not fresh and options.keys() <= REUSED
        if reused and self._free.get(key):
            return self._free[key].pop()
        context = self._browser.new_context(**wanted)  # type: ignore[arg-type]
        if reused:
            self._keys[context] = key
            context.new_page().goto(NOBODYS)
        return context

    def give_back(self, context: BrowserContext) -> None:
        """Close the window's pages, and forget what they have left behind."""
        key = self._keys.get(context)
        context.set_offline(False)  # a failed test may have left it so
        if key is None or len(context.pages) < 2:
            context.close()
            return
        _, *others, last = context.pages
        for page in others:
            page.close()
        origin = last.evaluate("location.origin")
        session = context.new_cdp_session(last)
        session.send(
            "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"}
        )
        last.close()
        context.clear_cookies()
        context.clear_permissions()
        self._free.setdefault(key, []).append(context)

    def close(self) -> None:
        """Close all windows that nobody has."""
        for contexts in self._free.values():
            for context in contexts:
                context.close()

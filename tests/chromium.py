"""Headless Chromium or Chrome of the system, for tests and screenshots."""

import os
import shutil
from collections.abc import Sequence

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# For tests: the engine without a user interface, one process for all pages of a site, and drawing
# and network inside the browser's own process. Together this saves a good third of the work.
LIGHT = ("chromium-headless-shell", *NAMES)
TOGETHER = (
    "--process-per-site",
    "--in-process-gpu",
    "--enable-features=NetworkServiceInProcess2,MemoryCacheStrongReference",
)

# Features that Playwright disables (only the last such switch counts), and two pages that each
# window would render for its address bar, at the cost of one of our pages.
WITHOUT = (
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={','.join(WITHOUT)}",
)


def launch(
    playwright: Playwright, names: Sequence[str] = NAMES, more: Sequence[str] = ()
) -> Browser:
    """Start BATON_BROWSER or the first installed browser, or raise `LookupError`."""
    path = os.environ.get("BATON_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        raise LookupError("no browser: install Chromium or set BATON_BROWSER")
    return playwright.chromium.launch(executable_path=path, headless=True, args=[*ARGUMENTS, *more])

"""The system's Chromium or Chrome, headless, for tests and pictures."""

import os
import shutil
from collections.abc import Sequence

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# For tests: the same engine without the windows around it, which nobody sees, and one process for
# all pages of a window that come from one server. Together they do a third less than others.
LIGHT = ("chromium-headless-shell", *NAMES)
TOGETHER = ("--process-per-site",)

# What Playwright turns off, as the last such switch alone counts; and the two pages that every
# window would draw for its address bar, which nobody sees: they take as long as a page of ours.
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
    """Start BATON_BROWSER or the first that is installed; `LookupError` where none is."""
    found = os.environ.get("BATON_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise LookupError("no browser: install Chromium or set BATON_BROWSER")
    return playwright.chromium.launch(
        executable_path=found, headless=True, args=[*ARGUMENTS, *more]
    )

"""Checks of the settings and of the installed versions."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from django.conf import settings
from django.core import checks

from designer.doctor.findings import Finding, error, ok, warning

MIN_PYTHON = (3, 11)


def check_settings() -> Finding:
    """Run Django's system checks, in production with those for deployment."""
    found = checks.run_checks(include_deployment_checks=settings.PRODUCTION)
    problems = [each for each in found if each.level >= checks.WARNING and not each.is_silenced()]
    if not problems:
        mode = "production" if settings.PRODUCTION else "this machine only (no BATON_PRODUCTION)"
        return ok("Settings", f"Django's checks found no problem; mode: {mode}.")
    texts = "; ".join(f"{each.id}: {' '.join(each.msg.split())}" for each in problems)
    hints = " ".join(" ".join(each.hint.split()) for each in problems if each.hint)
    serious = any(each.is_serious() for each in problems)
    return Finding(
        "error" if serious else "warning",
        "Settings",
        f"Django's checks found {len(problems)}: {texts}",
        hints or "See docs/operations.md, section Settings.",
    )


def check_python() -> Finding:
    """Compare the version of Python with the oldest supported one."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < MIN_PYTHON:
        return error("Python", f"Python {found} is too old.", "Install Python 3.11 or newer.")
    return ok("Python", f"Python {found}")


def check_packages() -> Finding:
    """Compare the installed packages with constraints.txt, the versions that were tested."""
    path = settings.BASE_DIR / "constraints.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    pins = [line.split("==") for line in lines if "==" in line and not line.startswith("#")]
    others = [
        f"{name} {found} instead of {pinned}"
        for name, pinned in pins
        if (found := _installed(name)) not in ("", pinned.strip())
    ]
    if others:
        return warning("Packages", "Untested: " + ", ".join(others), "Run scripts/install.")
    return ok("Packages", f"The versions of constraints.txt, with Django {_installed('Django')}")


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

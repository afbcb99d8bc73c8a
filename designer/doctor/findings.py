"""Result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """State of a part of the installation; problems have a fix."""

    level: Level
    subject: str
    text: str
    fix: str = ""


def ok(subject: str, text: str) -> Finding:
    """Return a finding without a problem."""
    return Finding("ok", subject, text)


def warning(subject: str, text: str, fix: str) -> Finding:
    """Return a problem with which Baton works."""
    return Finding("warning", subject, text, fix)


def error(subject: str, text: str, fix: str) -> Finding:
    """Return a problem that must be fixed."""
    return Finding("error", subject, text, fix)

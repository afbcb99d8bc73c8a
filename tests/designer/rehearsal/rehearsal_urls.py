"""Addresses of the pages of a rehearsal."""

from __future__ import annotations

from django.urls import reverse


def url(name: str, *arguments: object) -> str:
    return reverse(name, args=arguments)

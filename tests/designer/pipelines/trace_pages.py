"""Requests with trace files."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.designer.rehearsal.rehearsal_urls import url


def open_file(client: Client, data: bytes, name: str = "talk.trace.jsonl"):
    """Open a trace file, as the dialog does."""
    return client.post(url("trace_open"), {"file": SimpleUploadedFile(name, data)})

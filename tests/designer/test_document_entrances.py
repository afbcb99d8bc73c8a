"""Hostile documents through every entrance: each is refused with a sentence and its path."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from designer.connections.openapi import read_openapi
from designer.core import MalformedError, parse
from designer.models import Conversation, Pipeline
from orchestration.exceptions import DefinitionError
from orchestration.loading import load, load_storable
from orchestration.runtime import read_trace
from tests.designer.connections.pets_document import PETS
from tests.designer.editor_requests import chain, draw, now, send
from tests.long_trace import long_trace

pytestmark = pytest.mark.django_db

Entrance = Callable[[Client, Pipeline, str], tuple[int, str]]
"""Sends a document and returns the status and the text of the answer."""


def _text(response: Any) -> tuple[int, str]:
    return response.status_code, html.unescape(response.content.decode())


def _file(document: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("document", document.encode())


def import_file(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    response = client.post(reverse("pipeline_import"), {"file": _file(document)})
    status, text = _text(response)
    return status, re.sub(r"</?(code|span)[^>]*>", "", text)


def trace_file(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    return _text(client.post(reverse("trace_open"), {"file": _file(document)}))


def openapi_file(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    address = reverse("tools_of_document", args=[pipeline.pk])
    return _text(client.post(address, {"file": _file(document)}))


def openapi_text(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    address = reverse("tools_of_document", args=[pipeline.pk])
    status, text = _text(client.post(address, {"text": document}))
    assert document in text, "the typed document is lost"
    return status, text


def tool_selection(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    return _text(client.post(reverse("tools_take", args=[pipeline.pk]), {"tool": document}))


def clipboard(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    return _text(send(client, pipeline, "paste_parts", text=document))


def form_field(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    return _text(send(client, pipeline, "copy_parts", stages=document))


def socket(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    with pytest.raises(MalformedError) as caught:
        parse(document)
    return 400, str(caught.value)


def library(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
    with pytest.raises(DefinitionError) as caught:
        load(document)
    return 400, str(caught.value)


@pytest.fixture
def command(tmp_path: Path) -> Entrance:
    def rehearse(client: Client, pipeline: Pipeline, document: str) -> tuple[int, str]:
        path = tmp_path / "document.json"
        path.write_text(document, encoding="utf-8")
        with pytest.raises(CommandError) as caught:
            call_command("rehearse", str(path), message=["Hello"], stdout=StringIO())
        return 400, str(caught.value)

    return rehearse


ENTRANCES: dict[str, Entrance] = {
    each.__name__: each
    for each in (
        import_file,
        trace_file,
        openapi_file,
        openapi_text,
        tool_selection,
        clipboard,
        form_field,
        socket,
        library,
    )
}

TOO_LONG = r"(larger|longer) than|at most [\d,]+ (are allowed|characters)"
TOO_MANY = r"more than [\d,]+ values"

HOSTILE = {
    "too many bytes": ('{"x": "' + "a" * (2 * 1024 * 1024) + '"}', TOO_LONG),
    "too deep": ('{"x": ' + "[" * 100 + "]" * 100 + "}", r"nested more than \d+ deep"),
    "deep without end": (
        "[" * 1_000_000,
        rf"{TOO_LONG}|{TOO_MANY}|nested more than|not a pipeline",
    ),
    "too many values": (
        '{"x": [' + "0," * 100_000 + "0]}",
        rf"{TOO_LONG}|{TOO_MANY}",
    ),
    "too many digits": ('{"x": ' + "7" * 5_000 + "}", r"\$\.x: .* is not a number"),
    "a lone surrogate": ('{"x": "\\ud800"}', r"\$\.x: The text contains a lone surrogate"),
    "a surrogate in a key": ('{"x\\udfff": 1}', r"a lone surrogate"),
    "NUL": ('{"x": "\\u0000"}', r"\$\.x: The text contains the character NUL"),
    "a duplicate key": ('{"x": 1, "x": 2}', r"\$\.x: The key 'x' appears more than once"),
    "NaN": ('{"x": [NaN]}', r"\$\.x\[0\]: 'NaN' is not a number"),
    "infinity": ('{"x": 1e999}', r"\$\.x: '1e999' is not a number"),
    "no end": ('{"x": ', r"not JSON"),
}


@pytest.fixture
def pipeline(user: Any) -> Pipeline:
    return draw(user, "intake", "review")


def _check_refusal(
    entrance: Entrance, client: Client, pipeline: Pipeline, document: str, message: str
) -> None:
    before = now(pipeline)
    status, text = entrance(client, pipeline, document)
    assert 400 <= status < 500
    assert re.search(message, text)
    assert now(pipeline) == before
    assert Pipeline.objects.count() == 1
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", ENTRANCES)
def test_a_hostile_document_is_refused_with_its_path(
    client: Client, pipeline: Pipeline, name: str, kind: str
) -> None:
    document, message = HOSTILE[kind]
    _check_refusal(ENTRANCES[name], client, pipeline, document, message)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_command_refuses_a_hostile_document_with_its_path(
    client: Client, pipeline: Pipeline, command: Entrance, kind: str
) -> None:
    document, message = HOSTILE[kind]
    _check_refusal(command, client, pipeline, document, message)


HOSTILE_YAML = {
    "an alias": ("x: &a [1]\ny: *a", r"\$\.y: Line 2 uses a YAML alias"),
    "aliases that expand": (
        "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefg")),
        r"\$\.b\[0\]: Line 2 uses a YAML alias",
    ),
    "a binary value": ("x: !!binary aGk=", r"\$\.x: Line 1 uses the YAML tag '!!binary'"),
    "a timestamp": ("x: !!timestamp 2026-11-24", r"\$\.x: Line 1 uses the YAML tag"),
    "a set": ("x: !!set {a}", r"\$\.x: Line 1 uses the YAML tag '!!set'"),
    "a Python object": ("x: !!python/object/apply:os.system [a]", r"\$\.x: Line 1 uses the"),
    "a key that is no text": ("x: {[1]: 2}", r"Line 1 has a key that is no text"),
    "a duplicate key": ("x: 1\nx: 2", r"\$\.x: The key 'x' appears more than once"),
    "NaN": ("x: .nan", r"\$\.x: '\.nan' is not a number"),
    "too many digits": (f"x: {'7' * 5_000}", r"\$\.x: .* is not a number"),
    "NUL": ('x: "\\0"', r"\$\.x: The text contains the character NUL"),
    "too deep": ("x: " + "[" * 100_000, r"nested more than 64 deep \(line 1\)"),
    "too many values": ("x:\n" + "- 0\n" * 60_000, r"more than 50,000 values"),
    "tag directives": ("%TAG !a! b\n" * 100_000 + "---\nx: 1", r"Line 1 uses a YAML tag"),
    "no end": ("x: [", r"neither JSON nor YAML: .* \(line \d+, column \d+\)"),
}


@pytest.mark.parametrize("kind", HOSTILE_YAML)
@pytest.mark.parametrize("entrance", [openapi_file, openapi_text])
def test_a_hostile_yaml_document_is_refused_with_its_line(
    client: Client, pipeline: Pipeline, entrance: Entrance, kind: str
) -> None:
    document, message = HOSTILE_YAML[kind]
    _check_refusal(entrance, client, pipeline, document, message)


_EVENTS: list[str] = []
_FORBIDDEN = ("subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "socket.")


def _record(event: str, arguments: object) -> None:
    if event.startswith(_FORBIDDEN):
        _EVENTS.append(event)


def test_loading_starts_no_process_and_opens_no_socket() -> None:
    documents: list[tuple[Callable[[Any], object], Any]] = [
        (load_storable, chain("intake", "review").dump()),
        (read_openapi, PETS),
        (read_trace, b"".join(long_trace(20).lines())),
        (read_openapi, "x: !!python/object/apply:subprocess.check_output [['true']]"),
    ]
    sys.addaudithook(_record)  # a hook cannot be removed
    for load_document, document in documents:
        _EVENTS.clear()
        with suppress(ValueError):
            load_document(document)
        assert _EVENTS == []
    subprocess.run([sys.executable, "-c", ""], check=True)
    assert "subprocess.Popen" in _EVENTS, "the hook records nothing"

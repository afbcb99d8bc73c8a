"""Import of a definition file, and its errors."""

import json
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer.models import Pipeline
from orchestration.loading import MAX_BYTES
from tests.designer.editor_requests import chain, now

pytestmark = pytest.mark.django_db


def send_file(client, content, name="wishes.json"):
    file = SimpleUploadedFile(name, content, content_type="application/json")
    return client.post(reverse("pipeline_import"), {"file": file})


def test_an_imported_file_becomes_a_pipeline(client):
    definition = chain("intake", "review", name="From afar")
    response = send_file(client, definition.dump().encode())
    pipeline = Pipeline.objects.get()
    assert response.url == reverse("editor", args=[pipeline.pk])
    assert now(pipeline) == definition


def test_an_import_with_a_used_name_gets_a_number(client):
    file = chain("intake", name="Support desk").dump().encode()
    for _ in range(3):
        send_file(client, file)
    send_file(client, chain("intake", name="Support desk (2)").dump().encode())
    rows = Pipeline.objects.order_by("pk")
    assert [row.name for row in rows] == [
        "Support desk", "Support desk (2)", "Support desk (3)", "Support desk (4)",
    ]  # fmt: skip
    assert [now(row).name for row in rows] == [row.name for row in rows]


def test_errors_are_listed_with_paths_and_the_file_name(client):
    wrong = {"format": "baton.pipeline", "version": 1, "nme": "x", "stages": [{"phase": "A b"}]}
    response = send_file(client, json.dumps(wrong).encode(), name="<wrong>.json")
    html = response.content.decode()
    assert response.status_code == 422
    for path in ("$.name", "$.nme", "$.stages[0].phase"):
        assert f"<code>{path}</code>" in html
    assert "&lt;wrong&gt;.json" in html
    assert "3 errors" in " ".join(html.split())
    assert not Pipeline.objects.exists()


def test_values_that_cannot_be_stored_are_errors(client):
    twice = chain("intake").model_dump(mode="json")
    twice["stages"] *= 2
    note = {"id": "why", "text": "Why?", "x": 1, "y": 2}
    twice["layout"]["notes"] = [note, note]
    html = send_file(client, json.dumps(twice).encode()).content.decode()
    assert "$.stages[1]" in html
    assert "$.layout.notes[1].id" in html


def test_errors_name_their_lines_and_similar_fields(client):
    text = '{"format": "baton.pipeline", "version": 1,\n"name": "N",\n"stagess": [],\n"agents": 1}'
    html = " ".join(unescape(send_file(client, text.encode()).content.decode()).split())
    assert "<b>Line 3</b> <code>$.stagess</code>" in html
    assert "Did you mean 'stages'" in html
    assert "<b>Line 4</b> <code>$.agents</code>" in html
    html = send_file(client, text[:-1].encode()).content.decode()
    assert "(line 4, column" in html


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not JSON"),
        (b"[]", "JSON object"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b'{"a": 1, "a": 2}', "more than once"),
        (b'{"a": NaN}', "not a number"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_a_malformed_file_is_rejected_with_a_message(client, content, told):
    response = send_file(client, content)
    assert response.status_code == 422
    assert told in response.content.decode()


def test_a_file_above_two_mebibytes_is_rejected(client):
    response = send_file(client, b" " * (MAX_BYTES + 1))
    assert response.status_code == 422
    assert "at most 2,097,152 are allowed" in response.content.decode()


def test_a_missing_file_is_reported(client):
    response = client.post(reverse("pipeline_import"))
    assert response.status_code == 422
    assert "Choose a file." in response.content.decode()


def test_a_file_with_problems_is_imported(client):
    send_file(client, chain("intake", entry=None).dump().encode())
    assert Pipeline.objects.get().errors == 1

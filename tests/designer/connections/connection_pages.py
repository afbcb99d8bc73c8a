"""Requests to the connection pages and their content."""

import re

from django.urls import reverse

from designer.models import Connection
from tests.designer.editor_requests import HTMX

FIELDS = {"kind": "openai_compatible", "name": "work", "base_url": "https://api.example/v1"}


def post(client, view, *args, **fields):
    return client.post(reverse(view, args=args), {**FIELDS, **fields}, headers=HTMX)


def save_connection(client, **fields) -> Connection:
    response = post(client, "connection_add", **fields)
    assert response.headers["HX-Redirect"] == "/connections/", response.content
    return Connection.objects.filter(name=fields.get("name", "work")).latest("pk")


def field_error(response, field) -> str:
    found = re.search(rf'id="error-id_{field}"[^>]*>([^<]*)<', response.content.decode())
    assert found, field
    return found[1].replace("&#x27;", "'")


def result_text(response) -> str:
    assert response.status_code == 200
    found = re.search(r'data-ok="(\w+)">\s*<p>(.*?)</div>', response.content.decode(), re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", f"{found[1]}: {found[2]}").split())

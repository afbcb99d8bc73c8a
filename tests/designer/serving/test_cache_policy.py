"""Pages are not stored; static files are. tests/designer/test_access.py visits every address."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_no_response_to_a_form_may_be_stored(client):
    for path in ("/connections/add/", "/nowhere/"):
        assert "no-store" in client.post(path)["Cache-Control"], path


def test_static_files_may_be_stored(anonymous_client: Client):
    response = anonymous_client.get("/static/css/core/tokens.css")
    response.close()
    assert response.status_code == 200
    assert "no-store" not in response.get("Cache-Control", "")

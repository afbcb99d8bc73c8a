"""Responses to requests that reach no view."""

import re
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import server_error

from designer.models import Pipeline
from tests.conftest import signed_in
from tests.designer.editor_requests import draw, now, swapped
from tests.designer.test_access import EVERY, OWNED, at, owned

pytestmark = pytest.mark.django_db
__all__ = ["owned"]

PAGE = "http://testserver/pipelines/7/?select=stage:review"
HTMX = {"HX-Request": "true", "HX-Current-URL": PAGE}


def told(response: Any) -> str:
    """Return the notice of an htmx response, which must contain nothing else."""
    assert swapped(response) == {"notice"}
    assert response["HX-Reswap"] == "none"
    return str(response.text)


def test_a_signed_out_page_gets_a_message_and_a_link_back(
    anonymous_client: Client, owned: tuple[Pipeline, dict[str, int]]
) -> None:
    asks = (anonymous_client.get, anonymous_client.post)
    for (name, path), ask in product(at(EVERY, owned), asks):
        response = ask(path, headers=HTMX)
        assert (name, response.status_code) == (name, 401)
        assert "You are signed out" in told(response)
        back = quote("/pipelines/7/?select=stage:review", safe="")
        assert f'href="/sign-in/?next={back}"' in told(response)


def test_a_signed_out_form_leads_back_to_its_page(
    anonymous_client: Client, owned: tuple[Pipeline, dict[str, int]]
) -> None:
    page = f"/pipelines/{owned[0].pk}/rehearse/?from=list"
    headers = {"Referer": f"http://testserver{page}"}
    for name, path in at(EVERY, owned):
        response = anonymous_client.post(path, headers=headers)
        assert response["Location"] == f"/sign-in/?next={quote(page)}", name
    response = anonymous_client.get(response["Location"])
    assert "You are signed out, so nothing was changed" in response.text


def test_a_deleted_object_is_reported_on_an_open_page(
    client: Client, owned: tuple[Pipeline, dict[str, int]]
) -> None:
    path = f"/pipelines/{owned[0].pk}/inspect/"
    owned[0].delete()
    response = client.get(path, headers=HTMX)
    assert response.status_code == 404
    assert "This no longer exists: it was deleted" in told(response)
    assert "Show your pipelines" in response.text
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "nonsense", ""])
def test_the_link_back_never_leads_to_another_site(
    elsewhere: str, anonymous_client: Client
) -> None:
    response = anonymous_client.get("/", headers=HTMX | {"HX-Current-URL": elsewhere})
    href = re.search(r'href="([^"]*)"', told(response))
    assert href
    assert href[1] == f"/sign-in/?next={quote('/', safe='')}"


def test_every_form_has_csrf_protection(user: Any, owned: tuple[Pipeline, dict[str, int]]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    before = now(owned[0])
    for name, path in at(OWNED, owned):
        assert client.post(path).status_code in {403, 405}, name
        assert client.post(path, headers=HTMX).status_code in {403, 405}, name
        assert now(owned[0]) == before, name


def test_a_page_older_than_the_sign_in_gets_a_message(user: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    path = reverse("undo", args=[draw(user, "intake").pk])
    assert 'href="/pipelines/7/?select=stage:review"' in told(client.post(path, headers=HTMX))

    response = client.post("/pipelines/create/", headers={"Referer": "http://testserver/?a=b"})
    assert response.status_code == 403
    assert "This page has expired" in response.text
    assert 'href="/?a=b"' in response.text
    response = client.post("/pipelines/create/", headers={"Referer": "https://evil.example/x"})
    assert "evil" not in response.text


def test_a_request_that_is_too_large_gets_a_message(client: Client, user: Any) -> None:
    path = reverse("update_note", args=[draw(user, "intake").pk])
    response = client.post(path, {"text": "x" * 4_000_000}, headers=HTMX)
    assert response.status_code == 422
    assert "larger than 3 MiB, the limit of a request" in told(response)


def test_a_missing_page_links_to_the_list(user: Any) -> None:
    response = signed_in(user).get("/nowhere/")
    assert response.status_code == 404
    assert "Page not found" in response.text
    assert 'href="/"' in response.text


def test_the_error_page_needs_no_database(
    django_assert_num_queries: Any,
) -> None:
    request = RequestFactory().get("/")
    with django_assert_num_queries(0):
        response = server_error(request)
    assert response.status_code == 500
    assert "Something went wrong" in response.content.decode()

"""Access to every address of the app without a session and for other users."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from designer.models import Connection, Conversation, Membership, Pipeline, ShareLink
from designer.pipelines.conversation_export import start_export
from designer.pipelines.templates import save_template
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.actions.share_links import create_share_link
from designer.versions import save_version
from tests.conftest import signed_in
from tests.designer.editor_requests import HTMX, draw
from tests.designer.recorded_conversations import record_rehearsal
from tests.e2e.accounts import test_account_pages
from tests.e2e.pages import (
    test_accessibility,
    test_conversation_pages,
    test_difference,
    test_exchange,
)
from tests.e2e.versions import test_version_pages

pytestmark = pytest.mark.django_db

OPEN = {
    "accept_invitation",
    "openid_callback",
    "definition_schema",
    "newest_schema",
    "openid_sign_in",
    "password_reset",
    "password_reset_link",
    "sign_in",
    "sign_in_by_link",
    "sign_out",
}
"""Addresses that need no session."""


WITH_AXE = (
    test_accessibility,
    test_account_pages,
    test_conversation_pages,
    test_difference,
    test_exchange,
    test_version_pages,
)
"""Modules with tests of pages with axe, each with a table `PAGES`."""


def addresses() -> Iterator[tuple[str, str]]:
    """Yield the name and the pattern of every address."""

    def walk(patterns: list[Any], prefix: str) -> Iterator[tuple[str, str]]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver) and pattern.namespace == "admin":
                continue  # tests/designer/administration
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, path)
            elif isinstance(pattern, URLPattern):
                yield pattern.name or path, "/" + path

    yield from walk(get_resolver().url_patterns, "")


ALL = dict(addresses())
SHARED = {name: path for name, path in ALL.items() if path.startswith("/watch/")}
"""Addresses that need a share link."""
WITHOUT_COOKIES = {"watch_agui"}
"""Addresses that accept a POST request for a share link alone, from pages of any origin."""
EVERY = {name: path for name, path in ALL.items() if name not in OPEN | SHARED.keys()}
OWNED = {name: path for name, path in EVERY.items() if "<int:pk>" in path}


@pytest.fixture
def owned(user) -> tuple[Pipeline, dict[str, int]]:
    """Pipeline of the user, and ids of other objects by the first part of their addresses."""
    pipeline = draw(user, "intake")
    save_version(pipeline=pipeline, user=user)
    return pipeline, {
        "conversations": start_conversation(pipeline=pipeline, user=user).pk,
        "connections": Connection.objects.create(owner=user, name="work").pk,
        "jobs": start_export(pipeline=pipeline, user=user).pk,
        "templates": save_template(pipeline=pipeline, user=user, name="Kept", description="").pk,
    }


def at(
    patterns: Mapping[str, str], owned: tuple[Pipeline, dict[str, int]]
) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of each address for objects of the user."""
    assert patterns
    for name, pattern in patterns.items():
        path = filled(pattern, owned)
        assert "<" not in path
        yield name, path


def filled(path: str, owned: tuple[Pipeline, dict[str, int]]) -> str:
    pipeline, others = owned
    pk = others.get(path.split("/")[1], pipeline.pk)
    path = path.replace("<int:pk>", str(pk)).replace("<int:seq>", "1")
    path = path.replace("<int:number>", "1").replace("<int:version>", "1")
    path = path.replace("<int:link>", str(others.get("link", 1)))
    path = path.replace("<slug:code>", "ping-pong").replace("<slug:name>", "openai")
    return path.replace("<str:token>", "guessed").replace("<str:uidb64>", "MQ")


def test_without_a_session_every_page_redirects_to_sign_in(anonymous_client, owned):
    for name, path in at(EVERY, owned):
        for method in (anonymous_client.get, anonymous_client.post):
            response = method(path)
            assert response.status_code == 302, name
            assert response.url.startswith("/sign-in/?next="), name


def test_objects_of_other_users_are_not_found(other_client, owned):
    for name, path in at(OWNED, owned):
        found = {other_client.get(path).status_code, other_client.post(path).status_code}
        assert found <= {404, 405}, name
        assert 404 in found, name
        assert Pipeline.objects.filter(pk=owned[0].pk).exists(), name


def test_without_a_share_link_no_shared_page_is_found(client, anonymous_client, owned):
    for name, path in at(SHARED, owned):
        assert [one.get(path).status_code for one in (client, anonymous_client)] == [404, 404], name
        status = 404 if name in WITHOUT_COOKIES else 405
        assert anonymous_client.post(path).status_code == status, name


def test_every_post_has_csrf_protection(user, owned):
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    for name, path in at(ALL, owned):
        status = 404 if name in WITHOUT_COOKIES else 403
        for headers in ({}, HTMX):
            assert client.post(path, headers=headers).status_code == status, name


def test_axe_checks_every_page(client, user, owned):
    user.is_staff = user.is_superuser = True
    user.save()
    checked = {name for module in WITH_AXE for name in module.PAGES}
    for name, path in at(ALL, owned):
        response = client.get(path)
        is_page = response.content.lstrip().lower().startswith(b"<!doctype html")
        if is_page and response.status_code == 200:
            assert name in checked, "add it to PAGES of a module in WITH_AXE, and to a test"


@pytest.mark.parametrize("module", WITH_AXE)
def test_the_tests_of_the_pages_with_axe_exist(module):
    assert set(module.PAGES.values()) - vars(module).keys() == set()


def test_no_response_for_a_signed_in_user_may_be_stored(client, owned):
    for name, path in at(ALL, owned):
        policy = client.get(path)["Cache-Control"]
        assert "no-store" in policy, name
        assert "public" not in policy, name


VIEWERS_MAY = {
    "get": {
        "conversation_create", "difference", "difference_file", "difference_json",
        "difference_markdown", "difference_meaning", "difference_svg", "edit_history",
        "edit_history_point", "edit_rule", "editor", "exchange", "exchange_download",
        "exchange_file", "import_report", "inspect", "options",
        "pipeline_export", "prompt_names", "pipeline_rename", "pipeline_tags", "search",
        "show_checklist",
        "show_definition", "show_panel",
        "show_tester", "steps", "version_export", "versions",
    },
    "post": {
        "check_expression", "copy_parts", "difference_file", "exchange_difference", "leave",
        "pipeline_duplicate",
        "preview_agent", "preview_payload", "preview_stage", "preview_transition", "search",
        "template_save", "test_rules",
    },
}  # fmt: skip
"""Addresses of a pipeline that viewers may use: none of them changes it."""

FOR_OWNERS_ALONE = {
    "conversations_export",
    "delete_rehearsal",
    "pipeline_delete",
    "pipeline_retention",
    "share",
    "unshare",
    "watch_revoke",
}
"""Addresses that refuse the requests of editors, whose rehearsals belong to the owner here."""


@pytest.fixture
def shared(user) -> tuple[Pipeline, dict[str, int]]:
    """Pipeline with a recorded rehearsal and a share link, which belong to the user."""
    conversation = record_rehearsal(user)
    create_share_link(conversation=conversation, user=user)
    assert conversation.pipeline is not None
    return conversation.pipeline, {
        "conversations": conversation.pk,
        "link": ShareLink.objects.get().pk,
    }


def statuses(
    user: User, role: str, method: str, prefix: str, shared: tuple[Pipeline, dict[str, int]]
) -> dict[str, int]:
    """Return the status of each address that accepts the method, for a member with a role."""
    client, found = signed_in(user), {}
    patterns = {name: path for name, path in OWNED.items() if path.startswith(prefix)}
    for name, path in at(patterns, shared):
        # A member who has left is a member again with the next request.
        Membership.objects.get_or_create(pipeline=shared[0], user=user, role=role)
        found[name] = getattr(client, method)(path).status_code
    return {name: code for name, code in found.items() if code != HTTPStatus.METHOD_NOT_ALLOWED}


@pytest.mark.django_db(transaction=True)
def test_an_editor_may_do_everything_except_the_owners_actions(shared, other_user):
    refused = set()
    for method in ("get", "post"):
        for prefix in ("/pipelines/", "/conversations/"):
            found = statuses(other_user, "editor", method, prefix, shared)
            refused |= {name for name, code in found.items() if code == HTTPStatus.FORBIDDEN}
    assert refused == FOR_OWNERS_ALONE
    assert Conversation.objects.filter(pk=shared[1]["conversations"]).exists()
    assert ShareLink.objects.get(pk=shared[1]["link"]).revoked is None


@pytest.mark.parametrize("method", VIEWERS_MAY)
@pytest.mark.django_db(transaction=True)
def test_a_viewer_may_look_at_the_pipeline_and_not_at_its_rehearsals(shared, other_user, method):
    found = statuses(other_user, "viewer", method, "/pipelines/", shared)
    assert {n for n, code in found.items() if code != HTTPStatus.FORBIDDEN} == VIEWERS_MAY[method]
    found = statuses(other_user, "viewer", method, "/conversations/", shared)
    assert set(found.values()) == {HTTPStatus.NOT_FOUND}
    assert Pipeline.objects.get(pk=shared[0].pk).version == shared[0].version


@pytest.mark.django_db(transaction=True)
def test_an_editor_may_delete_an_own_rehearsal_and_revoke_an_own_link(shared, other_user):
    Membership.objects.create(pipeline=shared[0], user=other_user, role="editor")
    client = signed_in(other_user)
    of_owner = Conversation.objects.get(pk=shared[1]["conversations"])
    create_share_link(conversation=of_owner, user=other_user)
    link = ShareLink.objects.get(created_by=other_user)
    client.post(f"/conversations/{of_owner.pk}/links/{link.pk}/revoke/")
    link.refresh_from_db()
    assert link.revoked is not None
    own = start_conversation(pipeline=shared[0], user=other_user)
    assert "delete-conversation" in client.get(f"/conversations/{own.pk}/").text
    assert client.post(f"/conversations/{own.pk}/delete/").status_code == 302
    assert not Conversation.objects.filter(pk=own.pk).exists()
    page = client.get(f"/conversations/{of_owner.pk}/").text
    assert "rename-conversation" in page
    assert "delete-conversation" not in page

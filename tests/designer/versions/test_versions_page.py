"""The page of versions: list, canvas and changes of two chosen sides."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from designer.models import Membership, Pipeline
from designer.versions import publish, roll_back, save_version
from tests.designer.editor_requests import HTMX, draw, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def versioned(client, user) -> Pipeline:
    """Pipeline with a live version, a checkpoint, and an edited draft."""
    pipeline = draw(user, "intake", "review")
    publish(pipeline=pipeline, user=user, name="First", note="", expected=None)
    send(client, pipeline, "add_agent")
    save_version(pipeline=pipeline, user=user)
    send(client, pipeline, "add_agent")
    return Pipeline.objects.get(pk=pipeline.pk)


def shown(client, pipeline: Pipeline, query: str = "", **headers: str) -> str:
    response = client.get(reverse("versions", args=[pipeline.pk]) + query, headers=headers)
    return unescape(response.text)


def test_the_live_version_is_compared_with_the_draft_at_first(client, versioned):
    html = shown(client, versioned)
    assert html.index('data-letter="B"') < html.index('data-letter="A"')
    assert "v1 (live) First → Draft" in html
    assert 'class="difference-picture"' in html


def test_without_versions_there_is_nothing_to_compare(client, user):
    html = shown(client, draw(user, "intake"))
    assert "Nothing to compare" in html
    assert "There is no version to compare the draft with" in html
    assert "difference__reports" not in html


def test_each_version_and_the_draft_can_be_chosen_in_the_list(client, versioned):
    html = shown(client, versioned)
    address = reverse("versions", args=[versioned.pk])
    for name in ("draft", "2", "1"):
        link = html.partition(f'id="choose-{name}"')[2].partition(">")[0]
        assert 'hx-boost="true"' in link
        query = "?from=1&to=draft" if name == "draft" else f"?from=draft&to={name}"
        assert f'href="{address}{query}"' in link


def test_another_choice_replaces_the_comparison_in_place(client, versioned):
    part = shown(client, versioned, "?from=1&to=2", **HTMX)
    assert "<html" not in part
    assert 'id="comparison"' in part
    assert 'id="version-rows"' in part
    assert part.count("hx-swap-oob") == 2
    assert "1 change from v1 (live) First to v2" in part


def test_going_back_in_the_browser_renders_the_whole_page(client, versioned):
    restored = {"HX-History-Restore-Request": "true"}
    assert "<html" in shown(client, versioned, "?from=1&to=2", **HTMX, **restored)


def test_a_side_outside_of_the_list_is_selected_in_the_bar(client, versioned):
    edit = versioned.history.first()
    html = shown(client, versioned, f"?from=edit-{edit.version}&to=draft")
    assert f'<option value="edit-{edit.version}" selected>' in html


def test_the_live_version_has_an_address_of_its_own(client, versioned):
    assert '<option value="1" selected>' in shown(client, versioned, "?from=live&to=2")


@pytest.mark.parametrize(
    ("query", "actions"),
    [
        ("?from=1&to=draft", ["Restore v1…", "Publish as v3…"]),
        ("?from=draft&to=1", ["Restore v1"]),
        ("?from=1&to=2", []),
    ],
)
def test_the_actions_fit_the_chosen_sides(client, versioned, query, actions):
    html = shown(client, versioned, query).partition('class="difference__actions"')[2]
    known = ["Restore v1…", "Restore v1<", "Publish as v3…", "Replace the draft"]
    assert [each.rstrip("<") for each in known if each in html] == actions


def test_a_draft_that_is_live_is_not_published_again(client, user):
    pipeline = draw(user, "intake")
    assert "Publish as v1…" in shown(client, pipeline)
    publish(pipeline=pipeline, user=user, name="First")
    assert "Publish v" not in shown(client, pipeline)
    assert "Publish as" not in shown(client, pipeline)
    send(client, pipeline, "add_agent")
    publish(pipeline=pipeline, user=user, name="Second", expected=1)
    roll_back(pipeline=pipeline, user=user, expected=2)
    assert "Publish v2…" in shown(client, pipeline), "no new version: v2 is live again"


def test_viewers_choose_sides_but_change_nothing(other_client, other_user, versioned):
    Membership.objects.create(pipeline=versioned, user=other_user, role="viewer")
    html = shown(other_client, versioned)
    assert 'id="choose-2"' in html
    for action in ("Publish as", "Publish v", "Restore", "Promote", "Save version"):
        assert action not in html

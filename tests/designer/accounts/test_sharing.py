"""Sharing of a pipeline, and the permissions of each role."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import Membership, Pipeline
from designer.pipelines.actions import import_definition
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.editor_requests import HTMX, draw, moves, now, send
from tests.designer.subtask_definitions import asking, running
from tests.designer.test_access import OWNED, at

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def share(client, pipeline, **fields):
    return client.post(reverse("share", args=[pipeline.pk]), fields, headers=HTMX)


def roles(pipeline):
    return {member.user.username: member.role for member in pipeline.memberships.all()}


def test_a_member_is_added_changed_and_removed(client, other_client, other_user, pipeline):
    page = reverse("editor", args=[pipeline.pk])
    assert other_client.get(page).status_code == 404
    assert "grace" in share(client, pipeline, username="grace", role="editor").text
    assert roles(pipeline) == {"grace": "editor"}
    assert "shared by ada" in other_client.get(page).text
    assert "Support" in other_client.get("/").text
    html = share(client, pipeline, username="grace", role="viewer").text
    assert 'aria-label="Role of grace"' in html
    assert '<option value="viewer" selected>can view</option>' in html
    assert roles(pipeline) == {"grace": "viewer"}
    for _ in range(2):  # a repeated request has no effect
        path = reverse("unshare", args=[pipeline.pk])
        response = client.post(path, {"user": other_user.pk}, headers=HTMX)
        assert response.status_code == 200
    assert "grace" not in response.text
    assert other_client.get(page).status_code == 404


def test_the_case_of_a_name_counts_only_between_several_users(client, other_user, pipeline):
    share(client, pipeline, username="Grace", role="editor")
    assert roles(pipeline) == {"grace": "editor"}
    User.objects.create_user("GRACE")
    assert share(client, pipeline, username="Grace", role="viewer").status_code == 422
    share(client, pipeline, username="GRACE", role="viewer")
    assert roles(pipeline) == {"grace": "editor", "GRACE": "viewer"}


@pytest.mark.parametrize("role", ["editor", "viewer"])
def test_a_member_leaves_and_the_owner_stays(client, other_client, pipeline, role):
    share(client, pipeline, username="grace", role=role)
    path, page = (reverse(name, args=[pipeline.pk]) for name in ("leave", "editor"))
    for html in (other_client.get("/").text, other_client.get(page).text):
        assert f'action="{path}"' in html
        assert f'data-dialog="leave-{pipeline.pk}"' in html
    answer = other_client.post(path, follow=True)
    assert "You have left “Support”." in answer.text
    assert roles(pipeline) == {}
    assert other_client.post(path).status_code == 404
    assert other_client.get(page).status_code == 404

    assert f'action="{path}"' not in client.get(page).text, "owners cannot leave"
    client.post(path)
    assert client.get(page).status_code == 200


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"username": "nobody", "role": "editor"}, "administrator can invite new users"),
        ({"username": "", "role": "editor"}, "Enter the user name of a person."),
        ({"username": "ada", "role": "editor"}, "“ada” owns this pipeline: choose another user."),
        ({"username": "grace", "role": "owner"}, "has no choice “owner”"),
        ({"username": "gr\x00ce", "role": "editor"}, "must not contain the character NUL"),
    ],
)
def test_an_invalid_share_is_reported_at_the_field(client, other_user, pipeline, fields, sentence):
    response = share(client, pipeline, **fields)
    assert response.status_code == 422
    assert sentence in response.text
    assert roles(pipeline) == {}


def test_the_dialog_names_the_pipelines_that_hide_conversations(client, user, other_user):
    guide = import_definition(user=user, definition=asking("Guide"))
    desk = import_definition(user=user, definition=asking("Desk", running("Guide")))
    sentence = "Guide is not shared with grace, who therefore sees no conversation that runs it"
    html = " ".join(share(client, desk, username="grace", role="editor").text.split())
    page = reverse("editor", args=[desk.pk])
    assert sentence in html
    assert sentence in " ".join(client.get(page).text.split())
    share(client, guide, username="grace", role="viewer")
    assert "is not shared with" not in client.get(page).text


def test_the_dialog_names_pipelines_that_run_through_others(client, user, other_user):
    for name, runs in (("Guide", "Map"), ("Map", "Guide"), ("Sight", "Map")):
        import_definition(user=user, definition=asking(name, running(runs)))
    desk = import_definition(user=user, definition=asking("Desk", running("Guide")))
    html = " ".join(share(client, desk, username="grace", role="editor").text.split())
    assert "Guide, Map are not shared with grace, who therefore sees no conversation" in html


def test_the_number_of_members_is_limited(client, pipeline):
    people = [User(username=f"person-{number}") for number in range(51)]
    User.objects.bulk_create(people)
    rows = [Membership(pipeline=pipeline, user=user) for user in people[:50]]
    Membership.objects.bulk_create(rows)
    response = share(client, pipeline, username="person-50", role="viewer")
    assert response.status_code == 422
    assert "at most 50 people" in response.text
    assert share(client, pipeline, username="person-0", role="viewer").status_code == 200


@pytest.fixture
def member(other_client, other_user, pipeline):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    return other_client


VIEWER_POSTS = {
    "copy_parts",
    "difference_file",
    "exchange_difference",
    "leave",
    "pipeline_duplicate",
    "search",
    "template_save",
    "test_rules",
}
VIEWER_POSTS |= {"preview_agent", "preview_payload", "preview_stage", "preview_transition"}
"""Requests allowed for viewers: they show or copy something, or leave."""


def test_a_viewer_cannot_change_anything(member, user, other_user, pipeline):
    conversation = start_conversation(pipeline=pipeline, user=user)
    owned = pipeline, {"conversations": conversation.pk, "templates": 0}
    before = now(pipeline)
    for name, path in at(OWNED, owned):
        status = member.post(path, headers=HTMX).status_code
        assert status in (403, 404, 405) or (name in VIEWER_POSTS and status < 500), name
        assert member.get(path).status_code in (200, 302, 403, 404, 405), name
        assert now(pipeline) == before, name
        Membership.objects.get_or_create(  # after leaving
            pipeline=pipeline, user=other_user, defaults={"role": "viewer"}
        )


def test_a_gesture_of_a_viewer_is_rejected_with_a_message(member, pipeline):
    response = send(member, pipeline, "move_stages", moves=moves(intake=(1, 1)))
    assert response.status_code == 403
    assert (
        "You have view-only access to this pipeline. Its owner can let you edit it."
        in response.text
    )
    page = member.get(reverse("editor", args=[pipeline.pk])).text
    assert "View only" in page
    assert "share-dialog" not in page
    assert "Rehearse</a>" not in page


def test_an_editor_can_edit_and_rehearse_but_not_share_or_delete(
    member, user, other_user, pipeline
):
    Membership.objects.update(role="editor")
    assert send(member, pipeline, "move_stages", moves=moves(intake=(1, 1))).status_code == 200
    conversation = start_conversation(pipeline=pipeline, user=user)
    assert member.get(reverse("conversation", args=[conversation.pk])).status_code == 200
    assert share(member, pipeline, username="ada", role="viewer").status_code == 403
    assert member.post(reverse("pipeline_delete", args=[pipeline.pk])).status_code == 403
    assert "Only the owner of this pipeline can do this." in (
        member.post(reverse("pipeline_delete", args=[pipeline.pk])).text
    )
    assert Pipeline.objects.filter(pk=pipeline.pk).exists()


def test_a_viewer_can_copy_the_pipeline(member, other_user, pipeline):
    member.post(reverse("pipeline_duplicate", args=[pipeline.pk]))
    assert Pipeline.objects.of(other_user).get().name == "Support (copy)"


def test_sharing_requires_a_sign_in(pipeline):
    response = Client().post(reverse("share", args=[pipeline.pk]))
    assert response.status_code == 302

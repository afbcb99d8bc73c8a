"""The dialog that shares a pipeline."""

import pytest
from django.urls import reverse

from designer.accounts import share_pipeline
from tests.designer.editor_requests import HTMX, draw

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake")


def post(client, view, pipeline, headers=HTMX, **fields):
    return client.post(reverse(view, args=[pipeline.pk]), fields, headers=headers)


def test_an_error_is_shown_in_the_dialog_with_the_typed_name(client, pipeline, other_user):
    response = post(client, "share", pipeline, username="missing", role="editor")
    assert response.status_code == 422
    assert 'value="missing"' in response.text
    assert not pipeline.memberships.exists()
    response = post(client, "share", pipeline, username=other_user.username, role="editor")
    assert response.status_code == 200
    field = response.text.partition('id="id_username"')[0].rpartition("<input")[2]
    assert "value=" not in field, "the typed name is gone from the field"


def test_only_the_owner_shares(other_client, other_user, pipeline):
    share_pipeline(pipeline=pipeline, username=other_user.username, role="editor")
    assert post(other_client, "share", pipeline, username="ada", role="editor").status_code == 403
    assert post(other_client, "unshare", pipeline, user=other_user.pk).status_code == 403
    assert pipeline.memberships.count() == 1


def test_a_repeated_removal_is_harmless(client, other_user, pipeline):
    share_pipeline(pipeline=pipeline, username=other_user.username, role="editor")
    for _ in range(2):
        assert post(client, "unshare", pipeline, user=other_user.pk).status_code == 200
    assert not pipeline.memberships.exists()


def test_without_htmx_the_editor_is_shown_again(client, pipeline, other_user):
    fields = {"username": other_user.username, "role": "viewer"}
    response = post(client, "share", pipeline, headers={}, **fields)
    assert response.url == reverse("editor", args=[pipeline.pk])

"""Sides of a comparison by their names."""

from __future__ import annotations

import pytest

from designer.models import ComparedFile, Membership
from designer.pipelines.actions import rename_pipeline
from designer.versions import address_of_others_edit, publish, save_version
from designer.versions.change_rows import TITLES
from designer.versions.compared_files import replace_draft, store_file
from designer.versions.sides import SideError, find_side, first_side, side_groups
from tests.designer.editor_requests import draw, now
from tests.designer.versions.changed_definitions import changed

pytestmark = pytest.mark.django_db


@pytest.fixture
def compared(user, pipeline) -> ComparedFile:
    """File of `user` with a change of the pipeline."""
    return store_file(pipeline=pipeline, user=user, name="pets.json", definition=changed(pipeline))


@pytest.mark.parametrize("side", ["7", "live", "file-1", "pipeline-{hidden}", "file-x", "\x00", ""])
def test_a_side_that_does_not_exist_is_one_sentence(user, other_user, pipeline, side):
    hidden = draw(other_user, "intake")
    with pytest.raises(SideError) as refused:
        find_side(user, pipeline, side.format(hidden=hidden.pk))
    text = str(refused.value)
    assert text.endswith(".")
    assert text.count(". ") == 0


def test_the_file_of_another_user_is_not_shown(user, other_user, pipeline, compared):
    name = f"file-{compared.pk}"
    found = find_side(user, pipeline, name)
    assert (found.name, found.title, found.definition) == (name, "pets.json", changed(pipeline))
    with pytest.raises(SideError, match="no longer stored"):
        find_side(other_user, pipeline, name)
    with pytest.raises(SideError, match="no longer stored"):
        find_side(user, draw(user, "intake"), name)


def test_a_conflict_leads_to_the_changes_of_the_other_person(client, user, other_user, pipeline):
    rename_pipeline(pipeline=pipeline, user=user, name="Mine")
    assert address_of_others_edit(pipeline, user) == ""
    before = now(pipeline)
    replace_draft(pipeline=pipeline, user=other_user, definition=changed(pipeline), label="Change")
    address = address_of_others_edit(pipeline, user)
    response = client.get(address)
    assert response.status_code == 200
    titles = {group.title for group in response.context["groups"]}
    assert titles == {TITLES[kind] for kind in ("stage", "transition", "agent")}
    assert find_side(user, pipeline, address.split("from=")[1].split("&")[0]).definition == before
    with pytest.raises(SideError, match="no longer in the history"):
        find_side(user, pipeline, "edit-99")


def test_the_first_side_is_the_live_version_or_the_newest_one(user, pipeline):
    assert first_side(pipeline) == "draft"
    save_version(pipeline=pipeline, user=user)
    assert first_side(pipeline) == "1"
    publish(pipeline=pipeline, user=user, name="First")
    replace_draft(pipeline=pipeline, user=user, definition=changed(pipeline), label="Change")
    save_version(pipeline=pipeline, user=user)
    assert first_side(pipeline) == "1"


def test_only_accessible_sides_can_be_chosen(user, other_user, pipeline, compared):
    publish(pipeline=pipeline, user=user, name="First")
    draw(user, "intake", name="Mine")
    shared, _ = (draw(other_user, "intake", name=name) for name in ("Shared", "Theirs"))
    Membership.objects.create(pipeline=shared, user=user, role="viewer")
    shown = {"draft": "Draft", "edit-3": "Draft before edit 3"}
    groups = {
        group.label: [title for _, title in group.sides]
        for group in side_groups(user, pipeline, shown)
    }
    assert set(groups.pop("Other pipelines")) == {"Mine", "Shared"}
    assert groups == {
        "This pipeline": ["Draft", "v1 (live) First"],
        "Files": ["pets.json"],
        "Shown": ["Draft before edit 3"],
    }
    offered = [name for group in side_groups(user, pipeline, {}) for name, _ in group.sides]
    assert all(find_side(user, pipeline, name) for name in offered)

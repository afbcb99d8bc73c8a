"""Actions of templates."""

import pytest
from django.urls import reverse

from designer.definitions import read, write
from designer.definitions.patches import Patch
from designer.models import Pipeline, Template
from designer.pipelines.templates import MAX_TEMPLATES, save_template
from orchestration.definition import Agent, Note, Stage
from tests.designer.editor_requests import chain, draw, now
from tests.designer.pipelines.template_pages import post

pytestmark = pytest.mark.django_db


def test_a_template_becomes_an_own_pipeline(client, user, desk, template):
    response = post(client, "template_use", template.pk)
    made = Pipeline.objects.of(user).get(name="My desk")
    assert response.url == reverse("editor", args=[made.pk])
    was = now(desk)
    named = {"name": "My desk", "description": "For desks."}
    assert now(made) == was.model_copy(update=named)


def test_later_changes_do_not_change_the_template(client, user, desk, template):
    desk.stages.all().delete()
    post(client, "template_use", template.pk)
    made = Pipeline.objects.of(user).get(name="My desk")
    assert len(read(made).stages) == 2


def test_the_number_of_templates_is_limited(client, user, desk, template):
    made = [
        Template(owner=user, name=f"T{number}", definition=template.definition)
        for number in range(MAX_TEMPLATES - 1)
    ]
    Template.objects.bulk_create(made)
    response = post(client, "template_save", desk.pk, htmx=True, name="Too many")
    assert response.status_code == 422
    assert "delete one first" in response.content.decode()


def test_a_design_above_the_file_limit_is_rejected(client, user):
    many = [Agent(id=f"a-{n}", name="A", instructions="x" * 32_000) for n in range(70)]
    large = chain(name="Large").model_copy(update={"agents": tuple(many)})
    pipeline = draw(user, name="Large")
    write(pipeline, Patch.of(large))
    response = post(client, "template_save", pipeline.pk, htmx=True, name="Large")
    assert response.status_code == 422
    assert "larger than 2 MiB" in response.content.decode()


def test_pipelines_of_a_deleted_template_stay(client, user, template):
    post(client, "template_use", template.pk)
    post(client, "template_delete", template.pk)
    assert not Template.objects.of(user).exists()
    assert Pipeline.objects.of(user).filter(name="My desk").exists()


def test_a_template_contains_notes_and_all_stages(client, user):
    noted = chain("a").model_copy(update={"name": "Noted"})
    layout = noted.layout.model_copy(update={"notes": (Note(id="n", text="Why", x=1, y=2),)})
    stages = (*noted.stages, Stage(phase="b", kind="human"))
    pipeline = draw(user, "a", name="Noted")
    write(pipeline, Patch.of(noted.model_copy(update={"layout": layout, "stages": stages})))
    save_template(pipeline=pipeline, user=user, name="Kept", description="")
    post(client, "template_use", Template.objects.get(name="Kept").pk)
    assert now(Pipeline.objects.get(name="Kept")).layout.notes == layout.notes

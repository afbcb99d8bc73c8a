"""Views of templates."""

import pytest
from django.urls import reverse

from designer.models import Pipeline, Template
from designer.pipelines.templates import save_template
from orchestration.definition import PipelineDefinition
from tests.designer.editor_requests import now
from tests.designer.pipelines.template_pages import gallery_cards, post

pytestmark = pytest.mark.django_db


def test_a_second_pipeline_of_a_sample_gets_a_number(client, user):
    for _ in range(2):
        assert post(client, "sample_use", sample="support").status_code == 302
    names = set(Pipeline.objects.of(user).values_list("name", flat=True))
    assert names == {"Customer support", "Customer support (2)"}


def test_a_pipeline_is_saved_as_a_template_from_the_editor(client, user, desk):
    html = client.get(reverse("editor", args=[desk.pk])).content.decode()
    assert 'data-dialog="template-dialog"' in html
    fields = {"name": "Kept", "description": "As it is."}
    response = post(client, "template_save", desk.pk, htmx=True, **fields)
    assert response.status_code == 200
    assert "“Kept” is saved as a template." in response.content.decode()
    assert "baton:done" in response["HX-Trigger-After-Settle"]
    template = Template.objects.get(owner=user)
    assert (template.name, template.description, template.stage_count) == ("Kept", "As it is.", 2)
    definition = PipelineDefinition.model_validate(template.definition)
    assert definition.stages == now(desk).stages


def test_without_script_the_editor_opens(client, desk):
    response = post(client, "template_save", desk.pk, name="Kept", description="")
    assert response.url == reverse("editor", args=[desk.pk])


def test_a_template_is_renamed(client, template):
    response = post(client, "template_rename", template.pk, name="Our desk")
    assert response.url == reverse("pipelines") + "#templates"
    assert "Our desk" in gallery_cards(client)


@pytest.mark.parametrize("name", ["", "Taken"])
def test_an_invalid_new_name_is_reported_in_its_dialog(client, user, desk, template, name):
    save_template(pipeline=desk, user=user, name="Taken", description="")
    response = post(client, "template_rename", template.pk, name=name)
    assert response.status_code == 422
    html = response.content.decode()
    dialog = html[html.index(f'id="rename-template-{template.pk}"') :].partition("</dialog>")[0]
    assert "data-open" in dialog
    assert 'aria-invalid="true"' in dialog
    template.refresh_from_db()
    assert template.name == "My desk"


@pytest.mark.parametrize("view", ["template_use", "template_rename", "template_delete"])
def test_a_template_of_another_user_is_not_found(other_client, template, view):
    assert post(other_client, view, template.pk, name="Mine").status_code == 404
    template.refresh_from_db()
    assert template.name == "My desk"

"""Templates: the gallery, beginning with one, saving, naming and deleting one's own."""

import re
from html import unescape

import pytest
from django.urls import reverse

from designer.definitions import read, write
from designer.definitions.patches import Patch
from designer.models import Pipeline, Template
from designer.pipelines.sample_pipelines import samples
from designer.pipelines.templates import MAX_TEMPLATES, save_template
from orchestration.definition import Agent, Note, PipelineDefinition, Stage
from tests.designer.editor_requests import HTMX, chain, draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", name="Desk", description="Of <b>ours</b>.")


@pytest.fixture
def template(user, pipeline):
    return save_template(pipeline=pipeline, user=user, name="My desk", description="For desks.")


def post(client, view, /, *args, htmx=False, **fields):
    return client.post(reverse(view, args=args), fields, headers=HTMX if htmx else {})


def cards(client):
    """The cards of the gallery, by the names on them."""
    html = client.get(reverse("pipelines")).content.decode()
    html = html[html.index('id="templates"') :]
    found = re.findall(r'<li class="card card--template".*?</li>', html, re.DOTALL)
    titles = re.findall(r'class="card__title">([^<]*)<', "".join(found))
    return dict(zip(map(unescape, titles), found, strict=True))


# The gallery


def test_the_gallery_shows_the_samples_and_ones_own_with_pictures(client, template):
    shown = cards(client)
    assert list(shown) == ["My desk", *(one.name for one in samples().values())]
    assert all('<svg class="picture" role="img"' in card for card in shown.values())
    assert "2 stages: intake (entry), review" in shown["My desk"]
    assert "For desks." in shown["My desk"]
    assert "Rename" in shown["My desk"]
    assert "Rename" not in shown["Customer support"]


def test_the_gallery_shows_nobody_elses(other_client, template):
    assert "My desk" not in cards(other_client)


# Beginning with one


def test_a_template_becomes_a_pipeline_of_ones_own(client, user, pipeline, template):
    response = post(client, "template_use", template.pk)
    made = Pipeline.objects.of(user).get(name="My desk")
    assert response.url == reverse("editor", args=[made.pk])
    was = now(pipeline)
    named = {"name": "My desk", "description": "For desks."}
    assert now(made) == was.model_copy(update=named)


def test_what_is_changed_later_does_not_change_the_template(client, user, pipeline, template):
    pipeline.stages.all().delete()
    post(client, "template_use", template.pk)
    made = Pipeline.objects.of(user).get(name="My desk")
    assert len(read(made).stages) == 2


def test_a_sample_becomes_a_pipeline_and_the_next_one_gets_a_number(client, user):
    for _ in range(2):
        assert post(client, "sample_use", sample="support").status_code == 302
    names = set(Pipeline.objects.of(user).values_list("name", flat=True))
    assert names == {"Customer support", "Customer support 2"}


@pytest.mark.parametrize("sample", ["", "nonsense", "../support", "a" * 100])
def test_there_is_no_other_sample(client, sample):
    assert post(client, "sample_use", sample=sample).status_code == 404


# Saving


def test_a_pipeline_is_saved_as_a_template_from_the_editor(client, user, pipeline):
    html = client.get(reverse("editor", args=[pipeline.pk])).content.decode()
    assert 'data-dialog="template-dialog"' in html
    fields = {"name": "Kept", "description": "As it is."}
    response = post(client, "template_save", pipeline.pk, htmx=True, **fields)
    assert response.status_code == 200
    assert "“Kept” is saved as a template." in response.content.decode()
    assert "baton:done" in response["HX-Trigger-After-Settle"]
    kept = Template.objects.get(owner=user)
    assert (kept.name, kept.description, kept.stage_count) == ("Kept", "As it is.", 2)
    definition = PipelineDefinition.model_validate(kept.definition)
    assert definition.stages == now(pipeline).stages


def test_without_script_the_answer_is_the_editor(client, pipeline):
    response = post(client, "template_save", pipeline.pk, name="Kept", description="")
    assert response.url == reverse("editor", args=[pipeline.pk])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "Give the template a name."),
        ("x" * 121, "at most 120 characters"),
        ("My desk", "You already have a template “My desk”: choose another name."),
    ],
)
def test_a_name_that_cannot_be_is_refused_beside_the_field(
    client, user, pipeline, template, name, sentence
):
    response = post(client, "template_save", pipeline.pk, htmx=True, name=name, description="Mine")
    html = unescape(response.content.decode())
    assert response.status_code == 422
    assert sentence in html
    assert "Mine</textarea>" in html
    assert Template.objects.of(user).count() == 1


def test_one_person_keeps_so_many_and_no_more(client, user, pipeline, template):
    made = [
        Template(owner=user, name=f"T{number}", definition=template.definition)
        for number in range(MAX_TEMPLATES - 1)
    ]
    Template.objects.bulk_create(made)
    response = post(client, "template_save", pipeline.pk, htmx=True, name="Too many")
    assert response.status_code == 422
    assert "delete one first" in response.content.decode()


def test_a_design_that_is_no_file_is_no_template(client, user):
    many = [Agent(id=f"a-{n}", name="A", instructions="x" * 32_000) for n in range(70)]
    large = chain(name="Large").model_copy(update={"agents": tuple(many)})
    pipeline = draw(user, name="Large")
    write(pipeline, Patch.of(large))
    response = post(client, "template_save", pipeline.pk, htmx=True, name="Large")
    assert response.status_code == 422
    assert "larger than 2 MiB" in response.content.decode()


# Naming and deleting


def test_a_template_gets_another_name(client, template):
    response = post(client, "template_rename", template.pk, name="Our desk")
    assert response.url == reverse("pipelines") + "#templates"
    assert "Our desk" in cards(client)


@pytest.mark.parametrize("name", ["", "Taken"])
def test_a_new_name_that_cannot_be_is_refused_in_its_dialog(client, user, pipeline, template, name):
    save_template(pipeline=pipeline, user=user, name="Taken", description="")
    response = post(client, "template_rename", template.pk, name=name)
    assert response.status_code == 422
    html = response.content.decode()
    dialog = html[html.index(f'id="rename-template-{template.pk}"') :].partition("</dialog>")[0]
    assert "data-open" in dialog
    assert 'aria-invalid="true"' in dialog
    template.refresh_from_db()
    assert template.name == "My desk"


def test_a_template_is_deleted_and_what_began_with_it_stays(client, user, template):
    post(client, "template_use", template.pk)
    post(client, "template_delete", template.pk)
    assert not Template.objects.of(user).exists()
    assert Pipeline.objects.of(user).filter(name="My desk").exists()


@pytest.mark.parametrize("view", ["template_use", "template_rename", "template_delete"])
def test_someone_elses_template_is_not_there(other_client, template, view):
    assert post(other_client, view, template.pk, name="Mine").status_code == 404
    template.refresh_from_db()
    assert template.name == "My desk"


# A definition as a template keeps all of it.


def test_a_template_keeps_notes_and_all_else(client, user):
    noted = chain("a").model_copy(update={"name": "Noted"})
    layout = noted.layout.model_copy(update={"notes": (Note(id="n", text="Why", x=1, y=2),)})
    stages = (*noted.stages, Stage(phase="b", kind="human"))
    pipeline = draw(user, "a", name="Noted")
    write(pipeline, Patch.of(noted.model_copy(update={"layout": layout, "stages": stages})))
    save_template(pipeline=pipeline, user=user, name="Kept", description="")
    post(client, "template_use", Template.objects.get(name="Kept").pk)
    assert now(Pipeline.objects.get(name="Kept")).layout.notes == layout.notes

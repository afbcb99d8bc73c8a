"""Views of the list and of whole pipelines."""

import json
from datetime import timedelta
from urllib.parse import urlsplit

import jsonschema_rs
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from designer.core.undo import last_edit
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from designer.pipelines.sample_pipelines import sample_names
from orchestration.definition import Agent, PipelineDefinition
from orchestration.loading import json_schema, load
from tests.designer.editor_requests import draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", description="Who <b>answers</b>.")


def post(client, view, /, *args, **fields):
    return client.post(reverse(view, args=args), fields)


def test_the_list_shows_stages_and_errors_of_each_pipeline(client, user, pipeline):
    draw(user)
    html = client.get(reverse("pipelines")).content.decode()
    assert "2 stages" in html
    assert "0 stages" in html
    assert "1 error" in html
    assert "Who &lt;b&gt;answers" in html
    assert reverse("rehearse", args=[pipeline.pk]) in html


def test_pipelines_of_other_users_are_not_listed(other_client, pipeline):
    html = other_client.get(reverse("pipelines")).content.decode()
    assert reverse("editor", args=[pipeline.pk]) not in html
    assert "No pipelines yet" in html


def test_an_empty_list_offers_a_start_and_names_the_samples(client):
    html = client.get(reverse("pipelines")).content.decode()
    assert all(words in html for words in ("Draw a pipeline", "Import a file", "Add the samples"))
    assert all(name in html for name in sample_names())


def test_a_new_pipeline_is_empty_and_opened(client, user):
    response = post(client, "pipeline_create", name=" Refunds ")
    made = Pipeline.objects.get(owner=user)
    assert response.url == reverse("editor", args=[made.pk])
    assert (made.name, now(made).stages) == ("Refunds", ())


@pytest.mark.parametrize("name", ["", "  ", "x" * 121, "a\x00b"])
def test_an_invalid_name_is_rejected_and_kept(client, name):
    response = post(client, "pipeline_create", name=name)
    assert response.status_code == 422
    assert "data-open" in response.content.decode()
    assert not Pipeline.objects.exists()


def test_a_renamed_pipeline_can_be_undone(client, user, pipeline):
    post(client, "pipeline_rename", pipeline.pk, name="Refunds")
    assert now(pipeline).name == "Refunds"
    edit = last_edit(pipeline=pipeline, user=user)
    assert edit
    assert edit.label == "Change the name"


def test_an_empty_name_is_rejected(client, pipeline):
    response = post(client, "pipeline_rename", pipeline.pk, name="")
    assert response.status_code == 422
    assert now(pipeline).name == "Support"


def test_a_copy_differs_only_in_its_name(client, user, pipeline):
    post(client, "pipeline_duplicate", pipeline.pk)
    copy = Pipeline.objects.exclude(pk=pipeline.pk).get()
    assert copy.name == "Support (copy)"
    assert now(copy).model_copy(update={"name": "Support"}) == now(pipeline)
    assert last_edit(pipeline=copy, user=user) is None


def test_a_pipeline_is_deleted(client, pipeline):
    response = post(client, "pipeline_delete", pipeline.pk)
    assert response.url == reverse("pipelines")
    assert not Pipeline.objects.exists()


def test_the_exported_file_is_the_definition(client, pipeline):
    response = client.get(reverse("pipeline_export", args=[pipeline.pk]))
    assert response["Content-Disposition"] == 'attachment; filename="support.baton.json"'
    assert load(response.content) == now(pipeline)


def test_a_pipeline_with_errors_can_be_exported(client, user):
    pipeline = draw(user, name="Ä")
    response = client.get(reverse("pipeline_export", args=[pipeline.pk]))
    assert 'filename="a.baton.json"' in response["Content-Disposition"]
    assert load(response.content).stages == ()


def test_the_schema_of_each_version_is_served_without_a_login(anonymous_client):
    response = anonymous_client.get(reverse("definition_schema", args=[1]))
    assert json.loads(response.content) == json_schema()
    assert response["Access-Control-Allow-Origin"] == "*"
    assert anonymous_client.get(reverse("definition_schema", args=[2])).status_code == 404
    assert anonymous_client.get("/schema/", follow=True).redirect_chain


def test_an_exported_file_names_its_schema_and_matches_it(client, pipeline):
    exported = json.loads(client.get(reverse("pipeline_export", args=[pipeline.pk])).content)
    assert next(iter(exported)) == "$schema"
    path = urlsplit(exported["$schema"]).path
    schema = json.loads(client.get(path).content)
    assert not list(jsonschema_rs.validator_for(schema).iter_errors(exported))
    assert not jsonschema_rs.validator_for(schema).is_valid(exported | {"agnets": []})


def test_an_exported_pipeline_can_be_imported_unchanged(client, pipeline, tmp_path):
    exported = client.get(reverse("pipeline_export", args=[pipeline.pk])).content
    path = tmp_path / "support.baton.json"
    path.write_bytes(exported)
    with path.open("rb") as file:
        choice = client.post(reverse("pipeline_import"), {"file": file}).url
    client.post(choice)
    copy = Pipeline.objects.exclude(pk=pipeline.pk).get()
    assert now(copy) == now(pipeline).model_copy(update={"name": f"{pipeline.name} (2)"})


@pytest.mark.parametrize("view", ["pipeline_create", "pipeline_import", "pipeline_rename"])
def test_reloading_the_address_of_an_invalid_form_shows_the_list(client, pipeline, view):
    args = [pipeline.pk] if view == "pipeline_rename" else []
    assert post(client, view, *args, name=" ").status_code == 422
    response = client.get(reverse(view, args=args))
    assert (response.status_code, response["Location"]) == (302, reverse("pipelines"))


def test_a_recent_change_is_shown_as_just_now(client, pipeline):
    html = client.get(reverse("pipelines")).content.decode()
    assert "just now" in html
    assert "0\xa0minutes" not in html
    Pipeline.objects.update(updated=timezone.now() - timedelta(minutes=20, seconds=1))
    assert "20\xa0minutes ago" in client.get(reverse("pipelines")).content.decode()


def test_only_the_first_errors_of_a_file_are_listed(client):
    file = json.dumps({"format": "baton.pipeline", "version": 1, "name": "N", "agents": [1] * 101})
    upload = SimpleUploadedFile("a.json", file.encode())
    html = post(client, "pipeline_import", file=upload).content.decode()
    assert "the first 100 errors" in html


def test_an_export_above_the_import_limit_has_a_warning(client, user):
    agents = tuple(Agent(id=f"a{n}", name="A", instructions="x" * 32_000) for n in range(70))
    large = import_definition(user=user, definition=PipelineDefinition(name="L", agents=agents))
    assert client.get(reverse("pipeline_export", args=[large.pk])).status_code == 200
    assert "larger than 2 MiB, so it cannot be imported again" in client.get("/").content.decode()

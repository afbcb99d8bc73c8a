"""The Export dialog: its content, its files, the download and the round trip."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape

import pytest
from django.urls import reverse

from designer.exchange.export_formats import EXPORT_FORMATS, export_format
from designer.exchange.pictures import svg_picture
from designer.models import Checklist, ComparedFile
from designer.pipelines.actions import create_pipeline, import_definition
from designer.versions import publish
from orchestration.definition import Agent, PipelineDefinition, Tool
from orchestration.loading import load
from tests.designer.editor_requests import HTMX, chain, draw, now, send

pytestmark = pytest.mark.django_db


SCHEMA = "http://testserver/schema/baton.pipeline-1.json"


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def get(client, pipeline, view="exchange", *, headers=None, **query):
    return client.get(reverse(view, args=[pipeline.pk]), query, headers=headers or {})


def shown(client, pipeline, **query):
    return unescape(get(client, pipeline, headers=HTMX, **query).text)


@pytest.mark.parametrize("chosen", EXPORT_FORMATS, ids=lambda each: each.key)
def test_every_format_is_shown_and_downloaded(client, pipeline, chosen):
    html = shown(client, pipeline, format=chosen.key)
    heading = "Behaves the same:" if chosen.format.kind == "pipeline" else "Drawn:"
    assert f"<h2>{heading}" in html
    assert html.count('aria-current="true"') == 2  # the format and its first file
    for each in EXPORT_FORMATS:
        assert f"<b>{each.format.title}</b>" in html
    files = chosen.files(now(pipeline), SCHEMA)
    response = get(client, pipeline, "exchange_download", format=chosen.key)
    if len(files) == 1:
        assert response.content == next(iter(files.values()))
        return
    assert response["Content-Disposition"] == f'attachment; filename="support.{chosen.key}.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    assert contents == {f"support/{path}": content for path, content in files.items()}
    assert response.content == get(client, pipeline, "exchange_download", format=chosen.key).content


@pytest.mark.parametrize("chosen", EXPORT_FORMATS, ids=lambda each: each.key)
def test_each_file_is_shown_and_served(client, pipeline, chosen):
    for path, content in chosen.files(now(pipeline), SCHEMA).items():
        query = {"format": chosen.key, "file": path}
        html = shown(client, pipeline, **query)
        assert f'role="region" aria-label="{path}"' in html
        response = get(client, pipeline, "exchange_file", **query)
        assert response.content == content
        assert "attachment" not in response.headers.get("Content-Disposition", "")


def test_without_htmx_it_is_a_page_with_the_same_content(client, pipeline):
    page = get(client, pipeline).text
    assert page.startswith("<!doctype html>")
    assert 'hx-boost="true"' not in page
    assert 'data-dialog="export-dialog"' not in page
    assert "Behaves the same:" in page


@pytest.mark.parametrize("view", ["editor", "versions", "difference", "rehearse"])
def test_pages_of_a_pipeline_have_the_dialog_and_a_link_to_it(client, pipeline, view):
    page = client.get(reverse(view, args=[pipeline.pk])).text
    assert page.count('<dialog id="export-dialog"') == 1
    assert f'href="/pipelines/{pipeline.pk}/exchange/"' in page


def test_the_list_and_each_version_have_a_link(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    assert f'href="/pipelines/{pipeline.pk}/exchange/"' in client.get(reverse("pipelines")).text
    page = client.get(reverse("versions", args=[pipeline.pk])).text
    assert f'href="/pipelines/{pipeline.pk}/exchange/?version=1"' in page


def test_the_draft_the_live_version_or_a_version_is_exported(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    published = now(pipeline)
    send(client, pipeline, "add_agent")
    for version, name in (("1", "support-v1.baton.json"), ("live", "support-v1.baton.json")):
        response = get(client, pipeline, "exchange_download", version=version)
        assert load(response.content) == published
        assert f'filename="{name}"' in response["Content-Disposition"]
    response = get(client, pipeline, "exchange_download", version="draft")
    assert load(response.content) == now(pipeline) != published
    assert 'filename="support.baton.json"' in response["Content-Disposition"]
    html = shown(client, pipeline, version="1")
    assert '<option value="1" selected>' in html
    assert '<option value="live">Live (v1)</option>' in html


def test_a_download_is_the_draft_that_the_page_showed(client, pipeline):
    link = re.search(r'download href="([^"]+)"', shown(client, pipeline, version="draft"))
    assert link
    before = now(pipeline)
    send(client, pipeline, "add_agent")
    send(client, pipeline, "add_agent")
    assert load(client.get(link[1]).content) == before != now(pipeline)
    pipeline.history.all().delete()
    gone = client.get(link[1])
    assert gone.status_code == 404
    assert "The history does not hold this edit any more" in gone.text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"format": "langgrap"}, "No format 'langgrap'. Known: 'baton'"),
        ({"version": "7"}, "has no version “7”"),
        ({"version": "live"}, "has no live version"),
        ({"version": "draft" * 9}, "This address is not valid"),
    ],
)
def test_a_choice_that_does_not_exist_is_named(client, pipeline, query, sentence):
    for headers in (HTMX, {}):
        response = get(client, pipeline, headers=headers, **query)
        assert response.status_code == 404
        assert sentence in unescape(response.text)
    for view in ("exchange_file", "exchange_download"):
        response = get(client, pipeline, view, **query)
        assert (response.status_code, sentence in response.text) == (404, True)


def test_losses_are_listed_with_their_consequence_and_code(client, user):
    pipeline = draw(user, "intake", "review", limits={"max_turns": 3})
    html = shown(client, pipeline, format="docker-agent")
    row = " ".join(html.partition('<th scope="row">Limits')[2].partition("</tr>")[0].split())
    assert "✕ differs" in row
    assert "<code>max_iterations</code>" in row
    assert "Only turns are limited" in row
    assert "<b>As they are:</b> Agents 2 · Agent stages 2 · " in " ".join(html.split())


def test_an_unknown_file_is_not_served_and_the_first_one_is_shown(client, pipeline):
    assert get(client, pipeline, "exchange_file", file="../settings.py").status_code == 404
    assert 'aria-label="pipeline.json"' in shown(client, pipeline, file="../settings.py")


def test_a_download_is_remembered_and_counts_for_the_checklist(client, user, pipeline):
    assert 'id="export-baton"' in shown(client, pipeline)
    response = get(client, pipeline, "exchange_download", format="mermaid")
    assert 'filename="support.mermaid.mmd"' in response["Content-Disposition"]
    assert response.cookies["export_format"]["httponly"]
    assert Checklist.objects.get(user=user).exported_pipeline == pipeline
    assert "flowchart LR" in shown(client, pipeline)
    assert "flowchart LR" not in shown(client, pipeline, format="baton")
    client.cookies["export_format"] = "no-longer-there"
    assert '"baton.pipeline"' in shown(client, pipeline)


@pytest.mark.parametrize(("chosen", "is_shortened"), [("svg", True), ("mermaid", False)])
def test_a_picture_says_that_its_texts_are_shortened(client, pipeline, chosen, is_shortened):
    html = shown(client, pipeline, format=chosen)
    assert ("labels left out, where there is no room." in html) == is_shortened


def test_a_picture_lists_the_parts_that_are_not_drawn(client, user):
    agents = (Agent(id="a", name="A", language="de"),)
    pipeline = import_definition(user=user, definition=PipelineDefinition(name="N", agents=agents))
    html = shown(client, pipeline, format="mermaid")
    assert "Drawn: 1 of 3 parts" in " ".join(html.split())
    assert "<b>Not drawn:</b> Base prompt · Language</p>" in " ".join(html.split())


def test_a_picture_draws_the_names_of_tools(client, user):
    tool = Tool(name="look_up", description="Look it up.")
    agent = Agent(id="agent-intake", name="Intake", tools=("look_up",))
    definition = chain("intake").model_copy(update={"agents": (agent,), "tools": (tool,)})
    pipeline = import_definition(user=user, definition=definition)
    html = " ".join(shown(client, pipeline, format="svg").split())
    assert "Function tools" in html[html.index("<b>Drawn:</b>") :]
    assert "look_up" in svg_picture(now(pipeline), "light")


def test_a_draft_with_errors_is_exported_with_a_note(client, user):
    pipeline = draw(user, "intake", entry=None)
    assert "The draft has 1 error," in " ".join(shown(client, pipeline).split())
    publishable = draw(user, "intake")
    assert "The draft has" not in shown(client, publishable)


def test_an_empty_pipeline_has_nothing_to_export(client, user):
    pipeline = create_pipeline(user=user, name="Empty")
    html = shown(client, pipeline)
    assert "There is nothing to export yet" in html
    assert "Download" not in html


def test_a_long_file_is_shown_in_part(client, user):
    pipeline = draw(user, *(f"stage-{n}" for n in range(60)))
    html = shown(client, pipeline)
    assert "more lines are in the file." in html
    assert '"stage-0"' in html


def test_an_export_of_many_files_has_tabs_for_the_first_and_the_chosen_one(client, user):
    pipeline = draw(user, *(f"stage-{n}" for n in range(40)))
    files = list(export_format("adk").files(now(pipeline)))
    html = shown(client, pipeline, format="adk", file=files[-1])
    assert html.count('id="export-file-') == 31
    assert f"and {len(files) - 31} more in the archive" in html
    assert f'aria-label="{files[-1]}"' in html


def test_a_file_beyond_the_limit_of_imports_has_a_note(client, user):
    agents = tuple(Agent(id=f"a{n}", name="A", instructions="x" * 32_000) for n in range(70))
    large = import_definition(user=user, definition=PipelineDefinition(name="L", agents=agents))
    html = shown(client, large)
    assert "larger than 2 MiB" in html
    assert "Cannot be read back" in html


def test_a_round_trip_is_proved_and_its_difference_shown(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    assert "Round trip proved" in shown(client, pipeline)
    assert "Round trip" not in shown(client, pipeline, format="mermaid")
    address = reverse("exchange_difference", args=[pipeline.pk])
    response = client.post(f"{address}?format=baton&version=1", follow=True)
    file = ComparedFile.objects.get()
    assert response.redirect_chain[0][0].endswith(f"?from=1&to=file-{file.pk}")
    assert file.name == "Baton JSON, read back"
    assert "Both behave the same" in response.text
    refused = client.post(f"{address}?format=mermaid", follow=True)
    assert "Mermaid cannot be read back." in refused.text
    assert client.post(f"{address}?version=9").status_code == 404


def test_names_in_files_are_escaped(client, user):
    pipeline = draw(user, "intake", name='</pre><script>alert("x")</script>')
    html = get(client, pipeline, headers=HTMX).text
    assert "<script>alert" not in html
    assert json.loads(get(client, pipeline, "exchange_download").content)["name"] == pipeline.name

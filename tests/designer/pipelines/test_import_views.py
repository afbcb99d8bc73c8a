"""Import of a definition file: its errors, and the choice if a pipeline has its name."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer.core import undo_edit
from designer.definitions import Settings
from designer.exchange.files import archive
from designer.models import ComparedFile, Membership, Pipeline
from designer.pipelines.settings import update_settings
from orchestration.interchange import export, read
from orchestration.loading import MAX_BYTES
from tests.designer.editor_requests import chain, draw, now
from tests.designer.pipelines.test_unknown_references import FILE

pytestmark = pytest.mark.django_db


def send_file(client, content, name="wishes.json"):
    file = SimpleUploadedFile(name, content, content_type="application/json")
    return client.post(reverse("pipeline_import"), {"file": file})


def test_an_imported_file_becomes_a_pipeline(client):
    definition = chain("intake", "review", name="From afar")
    response = send_file(client, definition.dump().encode())
    pipeline = Pipeline.objects.get()
    assert response.url == reverse("editor", args=[pipeline.pk])
    assert now(pipeline) == definition


def test_an_exported_archive_becomes_a_pipeline(client):
    definition = chain("intake", "review", name="From afar")
    files = {
        name: text.encode() for name, text in export(definition, "openai-agents").files.items()
    }
    content = archive(files, folder="desk")
    send_file(client, content, name="desk.zip")
    assert [stage.phase for stage in now(Pipeline.objects.get()).stages] == ["intake", "review"]


def test_errors_are_listed_with_paths_and_the_file_name(client):
    wrong = {"format": "baton.pipeline", "version": 1, "nme": "x", "stages": [{"phase": "A b"}]}
    response = send_file(client, json.dumps(wrong).encode(), name="<wrong>.json")
    html = response.content.decode()
    assert response.status_code == 422
    for path in ("$.name", "$.nme", "$.stages[0].phase"):
        assert f"<code>{path}</code>" in html
    assert "&lt;wrong&gt;.json" in html
    assert "3 errors" in " ".join(html.split())
    assert not Pipeline.objects.exists()


def test_an_error_in_many_places_is_listed_once(client):
    wrong = chain("intake").model_dump(mode="json")
    wrong["transitions"] = [{"source": "intake", "target": "intake", "kind": "branch"}] * 7
    html = " ".join(send_file(client, json.dumps(wrong).encode()).content.decode().split())
    assert "7 errors" in html
    assert html.count("<code>$.transitions[0].kind</code>") == 1
    assert "$.transitions[1]" not in html
    assert "The same in 6 more places." in html


def test_values_that_cannot_be_stored_are_errors(client):
    twice = chain("intake").model_dump(mode="json")
    twice["stages"] *= 2
    note = {"id": "why", "text": "Why?", "x": 1, "y": 2}
    twice["layout"]["notes"] = [note, note]
    html = send_file(client, json.dumps(twice).encode()).content.decode()
    assert "$.stages[1]" in html
    assert "$.layout.notes[1].id" in html


def test_errors_name_their_lines_and_similar_fields(client):
    text = '{"format": "baton.pipeline", "version": 1,\n"name": "N",\n"stagess": [],\n"agents": 1}'
    html = " ".join(unescape(send_file(client, text.encode()).content.decode()).split())
    assert "<b>Line 3</b> <code>$.stagess</code>" in html
    assert "Did you mean 'stages'" in html
    assert "<b>Line 4</b> <code>$.agents</code>" in html
    html = send_file(client, text[:-1].encode()).content.decode()
    assert "(line 4, column" in html


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "The format is not known"),
        (b"[]", "The format is not known"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b'{"a": 1, "a": 2}', "more than once"),
        (b'{"a": NaN}', "not a number"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_a_malformed_file_is_rejected_with_a_message(client, content, told):
    response = send_file(client, content)
    assert response.status_code == 422
    assert told in response.content.decode()


def test_a_file_above_two_mebibytes_is_rejected(client):
    response = send_file(client, b" " * (MAX_BYTES + 1))
    assert response.status_code == 422
    assert "at most 2,097,152 are allowed" in response.content.decode()


def test_a_missing_file_is_reported(client):
    response = client.post(reverse("pipeline_import"))
    assert response.status_code == 422
    assert "Choose a file, or paste its text." in response.content.decode()


def test_a_file_with_problems_is_imported(client):
    send_file(client, chain("intake", entry=None).dump().encode())
    assert Pipeline.objects.get().errors == 1


@pytest.fixture
def desk(user, other_user) -> Pipeline:
    """Pipeline of the user, which the other user may edit."""
    pipeline = draw(user, "intake", name="Support desk")
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    return pipeline


LONGER = chain("intake", "review", name="Support desk")


def test_a_file_with_a_used_name_offers_both_and_shows_the_difference(client, desk):
    before = now(desk)
    response = send_file(client, LONGER.dump().encode())
    address = reverse("import_choice", args=[desk.pk, ComparedFile.objects.get().pk])
    assert (response.status_code, response.url) == (302, address)
    html = client.get(address).content.decode()
    assert "Replace the draft of Support desk" in html
    assert "New pipeline" in html
    assert 'class="difference-picture"' in html
    assert 'id="change-1"' in html
    assert "What it means" in html
    assert (now(desk), Pipeline.objects.count()) == (before, 1)


def test_the_draft_is_replaced_by_one_edit_that_one_undo_restores(client, user, desk):
    before = now(desk)
    html = client.get(send_file(client, LONGER.dump().encode()).url).content.decode()
    data = dict(re.findall(r'name="(to|draft)" value="([^"]+)"', html))
    response = client.post(reverse("difference_apply", args=[desk.pk]), data)
    assert response.url == reverse("editor", args=[desk.pk])
    assert [stage.phase for stage in now(desk).stages] == ["intake", "review"]
    [entry] = desk.history.all()
    assert entry.label == "Replace the draft by wishes.json"
    undo_edit(pipeline=Pipeline.objects.get(pk=desk.pk), user=user)
    assert now(desk) == before


def test_a_draft_that_was_edited_after_the_look_is_not_replaced(client, other_user, desk):
    html = client.get(send_file(client, LONGER.dump().encode()).url).content.decode()
    data = dict(re.findall(r'name="(to|draft)" value="([^"]+)"', html))
    settings = Settings(description="Edited meanwhile.")
    update_settings(pipeline=desk, user=other_user, settings=settings)
    before = now(desk)
    response = client.post(reverse("difference_apply", args=[desk.pk]), data, follow=True)
    assert "The draft was edited meanwhile, and nothing was changed" in response.content.decode()
    assert 'class="difference-picture"' in response.content.decode()
    assert now(desk) == before


def test_a_new_pipeline_from_the_file_gets_a_number(client, desk):
    for _ in range(2):
        address = send_file(client, LONGER.dump().encode()).url
        response = client.post(address)
    rows = Pipeline.objects.order_by("pk")
    assert [row.name for row in rows] == ["Support desk", "Support desk (2)", "Support desk (3)"]
    assert response.url == reverse("editor", args=[rows[2].pk])
    assert now(rows[2]).stages == LONGER.stages
    assert [row.name for row in rows] == [now(row).name for row in rows]


def test_editors_may_replace_and_viewers_get_a_new_pipeline(other_client, other_user, desk):
    file = LONGER.dump().encode()
    address = send_file(other_client, file).url
    assert address.startswith(f"/pipelines/{desk.pk}/import/")
    Membership.objects.update(role="viewer")
    assert other_client.get(address).status_code == 403
    assert other_client.post(address).status_code == 403
    copy = Pipeline.objects.exclude(pk=desk.pk)
    assert send_file(other_client, file).url == reverse("editor", args=[copy.get().pk])
    assert copy.get().owner == other_user


def test_the_own_pipeline_comes_before_a_shared_one(other_client, other_user, desk):
    own = draw(other_user, "intake", name="Support desk")
    update_settings(pipeline=desk, user=desk.owner, settings=Settings(description="Newer."))
    address = send_file(other_client, LONGER.dump().encode()).url
    assert address.startswith(f"/pipelines/{own.pk}/import/")


def test_the_file_of_another_user_is_not_shown(client, other_client, desk):
    address = send_file(client, LONGER.dump().encode()).url
    for method in (other_client.get, other_client.post):
        response = method(address, follow=True)
        assert (
            "The imported file is no longer stored: import it again." in response.content.decode()
        )
    assert Pipeline.objects.count() == 1


def test_strangers_and_anonymous_users_find_no_choice(client, other_client, anonymous_client, desk):
    address = send_file(client, LONGER.dump().encode()).url
    Membership.objects.all().delete()
    assert other_client.get(address).status_code == 404
    assert anonymous_client.get(address).url.startswith("/sign-in/")


def test_a_draft_is_replaced_by_a_file_with_references_to_missing_parts(client, user):
    desk = draw(user, "intake", name=FILE["name"])
    before = now(desk)
    html = client.get(send_file(client, json.dumps(FILE).encode()).url).content.decode()
    data = dict(re.findall(r'name="(to|draft)" value="([^"]+)"', html))
    assert client.post(reverse("difference_apply", args=[desk.pk]), data).status_code == 302
    stored = now(desk)
    assert (stored.entry, len(stored.transitions)) == ("lobby", len(FILE["transitions"]))
    undo_edit(pipeline=Pipeline.objects.get(pk=desk.pk), user=user)
    assert now(desk) == before


SPEC = Path("tests/orchestration/interchange/agent_spec/documents/swarm.json")
DOCKER = """\
version: "7"
agents:
  root: {model: default, instruction: Find out., handoffs: [bills], hooks: {on_start: <run>}}
  bills: {model: default, instruction: Answer.}
models: {default: {provider: openai, model: any}}
"""


def test_a_file_of_another_framework_is_imported_and_its_stages_are_arranged(client):
    response = send_file(client, SPEC.read_bytes())
    definition = now(Pipeline.objects.get())
    assert definition.agents
    places = {(place.x, place.y) for place in definition.layout.stages.values()}
    assert len(places) == len(definition.stages)
    assert client.get(response.url).status_code == 200


def test_losses_of_an_import_are_shown_with_their_places(client, other_client):
    response = send_file(client, DOCKER.encode(), name="agents.yaml")
    pipeline = Pipeline.objects.get()
    assert response.url == reverse("import_report", args=[pipeline.pk])
    html = unescape(client.get(response.url).text)
    assert "is imported from docker-agent" in html
    assert pipeline.name == "agents", "after the file, because the document has no name"
    assert "$.agents.root.hooks" in html
    assert "left out" in html
    assert reverse("editor", args=[pipeline.pk]) in html
    assert other_client.get(response.url).status_code == 404


def test_the_report_of_an_import_is_that_of_the_last_one(client, user):
    other = draw(user, "intake", name="Other")
    assert client.get(reverse("import_report", args=[other.pk])).url.endswith(f"/{other.pk}/")
    send_file(client, DOCKER.encode())
    assert client.get(reverse("import_report", args=[other.pk])).status_code == 302


def test_an_import_without_a_loss_names_its_format(client, user):
    text = export(chain("intake", "review", name="Spec"), "agent-spec").files["agent-spec.json"]
    response = send_file(client, text.encode(), name="spec.json")
    page = unescape(client.get(response.url).text)
    assert "“spec.json” was read from Oracle Agent Spec." in page


def test_losses_are_shown_before_a_draft_is_replaced(client, user):
    draw(user, "intake", name="Agents")
    named = DOCKER.replace("agents:", "metadata: {readme: '# Agents'}\nagents:", 1)
    pipeline = Pipeline.objects.get()
    result = read(named)
    pipeline.name = result.definition.name
    pipeline.save()
    response = send_file(client, named.encode(), name="agents.yaml")
    assert "/import/" in response.url or "choice" in response.url
    html = unescape(client.get(response.url).text)
    assert "$.agents.root.hooks" in html
    assert "Replace the draft" in html


def test_a_pasted_text_is_imported_and_kept_after_an_error(client):
    response = client.post(reverse("pipeline_import"), {"text": "agents: <none>"})
    assert response.status_code == 422
    html = unescape(response.text)
    assert "agents: <none></textarea>" in html
    assert "The format is not known" in html
    assert "The text</b> was not imported" in html
    client.post(reverse("pipeline_import"), {"text": chain("intake").dump()})
    assert Pipeline.objects.get().stages.count() == 1

"""Import of files with references to parts that do not exist."""

import json
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer import definitions
from designer.canvas import issue_token, list_problems
from designer.core import RefusedError
from designer.core.undo import redo_edit, undo_edit
from designer.definitions import Settings
from designer.definitions.reading import read_rows
from designer.editor.actions.fixes import fix_issue
from designer.models import Pipeline
from designer.pipelines.actions import duplicate_pipeline
from designer.pipelines.settings import update_settings
from orchestration.definition import PipelineDefinition
from orchestration.validation import find_fix, validate
from tests.designer.editor_requests import now
from tests.designer.editor_requests import send as editor_request

pytestmark = pytest.mark.django_db

FILE: dict[str, Any] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Half a file",
    "agents": [
        {
            "id": "agent-triage",
            "name": "Triage",
            "tools": ["lookup"],
            "cues": [{"hand_over": {"target": "attic"}}, {"call": {"tool": "other_tool"}}],
        }
    ],
    "stages": [
        {"phase": "handling", "agent_id": "agent-triag", "description": "Works on it."},
        {"phase": "intake", "agent_id": "agent-triage"},
        {"phase": "team", "kind": "group", "group": {"agents": ["agent-triage", "nobody"]}},
    ],
    "transitions": [
        {"source": "attic", "target": "intake", "kind": "return"},
        {
            "source": "intake",
            "target": "cellar",
            "description": "When it is dark.",
            "input_schema": {"type": "object", "properties": {"why": {"type": "string"}}},
        },
        {"source": "intake", "target": "handling", "kind": "return"},
        {"source": "loft", "target": "roof"},
    ],
    "rules": [
        {
            "id": "billing",
            "agent_id": "agent-bill",
            "priority": 3,
            "conditions": {"phases": ["attic"]},
        }
    ],
    "entry": "lobby",
    "default_agent_id": "agent-nine",
    "supervisor_id": "agent-watch",
}
CODES = {
    "stage-agent-unknown",
    "transition-unknown",
    "rule-agent-unknown",
    "entry-unknown",
    "default-agent-unknown",
    "supervisor-unknown",
}


@pytest.fixture
def imported(client):
    """Pipeline that was imported from `FILE`."""
    response = send(client, FILE)
    pipeline = Pipeline.objects.get()
    assert response.url == reverse("editor", args=[pipeline.pk])
    return pipeline


def send(client, file):
    upload = SimpleUploadedFile("half.json", json.dumps(file).encode())
    return client.post(reverse("pipeline_import"), {"file": upload})


def content(definition):
    """A definition without the positions that an import adds."""
    return definition.without_layout()


def test_unknown_references_are_exported_as_they_were_imported(client, imported):
    exported = json.loads(client.get(reverse("pipeline_export", args=[imported.pk])).content)
    del exported["$schema"]
    assert content(PipelineDefinition.model_validate(exported)) == PipelineDefinition(
        **{name: FILE[name] for name in ("name", "entry", "default_agent_id", "supervisor_id")},
        **{name: FILE[name] for name in ("agents", "stages", "transitions", "rules")},
    )
    assert len(exported["transitions"]) == 4


def test_each_unknown_reference_is_a_problem_in_the_editor(client, imported):
    html = client.get(reverse("editor", args=[imported.pk])).content.decode()
    issues = validate(now(imported))
    assert {issue.code for issue in issues} >= CODES
    assert sum(issue.code == "transition-unknown" for issue in issues) == 4
    for name in ("agent-triag", "attic", "cellar", "loft", "roof", "agent-bill", "lobby", "lookup"):
        assert any(repr(name) in issue.message for issue in issues), name
    assert 'id="stage-handling"' in html
    assert "Unknown agent “agent-triag”" in unescape(html)
    assert "Stage handling, unknown agent agent-triag" in html
    assert "No agent yet" not in html
    places = {
        (problem.kind, problem.key)
        for problem in list_problems(now(imported), issues)
        if problem.code == "transition-unknown"
    }
    assert places == {("stage", "intake"), ("pipeline", "")}
    assert imported.errors == sum(issue.severity == "error" for issue in issues)


@pytest.mark.parametrize("tab", ["stage", "agent", "handoffs"])
def test_parts_with_unknown_references_can_be_selected(client, imported, tab):
    keys = {
        "stage": [stage["phase"] for stage in FILE["stages"]],
        "transition": ["attic>intake", "intake>cellar", "intake>handling", "loft>roof"],
        "agent": ["agent-triage", "agent-triag"],
        "pipeline": [""],
    }
    for kind, names in keys.items():
        for name in names:
            query = {"kind": kind, "key": name, "tab": tab}
            response = client.get(reverse("inspect", args=[imported.pk]), query)
            assert response.status_code == 200, (kind, name)


def test_a_copy_and_the_list_keep_unknown_references(client, imported, user):
    copy = duplicate_pipeline(pipeline=imported, user=user)
    assert content(now(copy)).model_copy(update={"name": "Half a file"}) == content(now(imported))
    assert "Half a file (copy)" in client.get(reverse("pipelines")).content.decode()


def test_every_unknown_reference_can_be_fixed_and_the_fix_undone(imported, user):
    for issue in [each for each in validate(now(imported)) if each.code in CODES]:
        before = now(imported)
        if find_fix(before, issue) is None:
            continue
        fix_issue(pipeline=imported, user=user, is_meant=issue.__eq__)
        after = now(imported)
        assert issue not in validate(after)
        undo_edit(pipeline=imported, user=user)
        assert now(imported) == before
        assert definitions.edition(Pipeline.objects.get()).definition == before
        redo_edit(pipeline=imported, user=user)
        assert now(imported) == after
        undo_edit(pipeline=imported, user=user)


def test_a_fix_is_rendered_for_every_unknown_reference(client, imported):
    for issue in [each for each in validate(now(imported)) if each.code in CODES]:
        if find_fix(now(imported), issue) is not None:
            response = editor_request(client, imported, "fix_problem", issue=issue_token(issue))
            assert response.status_code == 200, issue
            undone = editor_request(client, imported, "undo")
            assert undone.status_code == 200, issue
    assert validate(now(imported)) == validate(
        PipelineDefinition.model_validate_json(now(imported).dump())
    )


def test_edits_leave_the_same_references_and_problems_as_reading_anew(client, imported):
    for view, fields in (
        ("rename_stage", {"phase": "intake", "name": "desk"}),
        ("rename_stage", {"phase": "handling", "name": "attic"}),
        ("connect", {"source": "attic", "target": "team"}),
        ("tidy", {}),
        ("delete_agent", {"agent": "agent-triage"}),
        ("delete_parts", {"stages": json.dumps(["attic"])}),
        ("undo", {}),
        ("undo", {}),
        ("redo", {}),
    ):
        response = editor_request(client, imported, view, **fields)
        assert response.status_code == 200, view
        row = Pipeline.objects.get()
        edition = definitions.edition(row)
        assert edition.definition == read_rows(row), view
        assert edition.issues == validate(edition.definition), view
        assert client.get(reverse("editor", args=[imported.pk])).status_code == 200, view


def test_the_settings_keep_an_unknown_entry_until_another_is_chosen(client, imported, user):
    html = client.get(reverse("inspect", args=[imported.pk])).content.decode()
    assert '<option value="lobby" selected>lobby (does not exist)</option>' in html
    settings = Settings(entry="lobby", description="New")
    update_settings(pipeline=imported, user=user, settings=settings)
    assert (now(imported).entry, now(imported).description) == ("lobby", "New")
    with pytest.raises(RefusedError, match="no longer exists"):
        update_settings(pipeline=imported, user=user, settings=Settings(entry="garage"))
    update_settings(pipeline=imported, user=user, settings=Settings(entry="intake"))
    assert now(imported).entry == "intake"
    assert "entry" not in Pipeline.objects.get().unresolved


def test_the_layout_of_unknown_parts_is_left_out_with_a_message(client):
    layout = {"stages": {"nowhere": {"x": 1, "y": 2}}, "hues": {"agent-nobody": 7}}
    send(client, FILE | {"layout": layout})
    html = client.get(reverse("import_report", args=[Pipeline.objects.get().pk])).content.decode()
    assert "agent-nobody, nowhere" in html
    assert "Positions, frames or colours of parts that do not exist draw nothing." in html


def test_two_parts_with_one_name_are_refused_with_their_line(client):
    response = send(client, FILE | {"stages": FILE["stages"] * 2})
    assert response.status_code == 422
    assert "More than one stage has the name" in response.content.decode()
    assert not Pipeline.objects.exists()

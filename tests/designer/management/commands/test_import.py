"""`manage.py import`: a pipeline from a file, in the terminal."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from designer.models import Pipeline
from orchestration.loading import MAX_BYTES, load
from tests.designer.editor_requests import now
from tests.designer.live_conversations import SAMPLES

pytestmark = pytest.mark.django_db

DESK = SAMPLES / "support-desk.json"
SPEC = "tests/orchestration/interchange/agent_spec/documents/swarm.yaml"
DOCKER = """\
version: "7"
agents:
  root: {model: default, instruction: Find out., handoffs: [bills], hooks: {on_start: run}}
  bills: {model: default, instruction: Answer.}
models: {default: {provider: openai, model: any}}
"""


def run(user, *arguments: str) -> str:
    """Run the command for the user; return its output."""
    printed = StringIO()
    call_command("import", *arguments, "--username", user.username, stdout=printed)
    return printed.getvalue()


def test_a_file_of_baton_becomes_a_pipeline(user):
    printed = run(user, str(DESK))
    pipeline = Pipeline.objects.get()
    assert (pipeline.owner, now(pipeline)) == (user, load(DESK.read_bytes()))
    assert printed.splitlines() == [
        f"Created pipeline {pipeline.pk}, Support desk, for {user.username}.",
        "Behaves the same: 21 of 21 parts.",
    ]
    run(user, str(DESK))
    assert Pipeline.objects.filter(name="Support desk (2)").exists()


def test_a_file_of_another_framework_is_recognised_and_its_stages_arranged(user):
    run(user, SPEC)
    definition = now(Pipeline.objects.get())
    assert definition.agents
    assert set(definition.layout.stages) == {stage.phase for stage in definition.stages}


def test_losses_are_listed_with_their_places(user, tmp_path):
    file = tmp_path / "agents.yaml"
    file.write_text(DOCKER)
    for arguments in ((), ("--format", "docker-agent")):
        printed = run(user, str(file), *arguments)
        assert "$.agents.root.hooks" in printed
        assert "left out" in printed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "JSON"),
        ("print(1)", "format is not known"),
        (json.dumps({"format": "baton.pipeline", "version": 1}), r"\$\.name"),
        (" " * (MAX_BYTES + 1), "larger than 2,097,152 bytes"),
    ],
)
def test_a_file_without_a_pipeline_is_refused(user, tmp_path, content, message):
    file = tmp_path / "file"
    file.write_text(content)
    with pytest.raises(CommandError, match=message) as caught:
        run(user, str(file))
    assert caught.value.returncode == 1
    assert not Pipeline.objects.exists()


def test_a_missing_file_or_user_is_named(user):
    with pytest.raises(CommandError, match=r"nowhere\.json cannot be read") as caught:
        run(user, "nowhere.json")
    assert caught.value.returncode == 2
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command("import", str(DESK), "--username", "nobody")

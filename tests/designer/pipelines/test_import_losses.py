"""Losses of the last import in the session."""

from dataclasses import replace

import pytest
from django.contrib.sessions.backends.signed_cookies import SessionStore

from designer.pipelines.import_losses import MAX_ROWS, keep_losses, losses_of_import
from orchestration.interchange import Import, read

AGENTS = """\
version: "7"
agents:
  root: {model: default, instruction: Find out., hooks: {on_start: <run>}}
models: {default: {provider: openai, model: any}}
"""
PIPELINE, OTHER = 7, 8


@pytest.fixture
def result() -> Import:
    return read(AGENTS)


@pytest.fixture
def session() -> SessionStore:
    return SessionStore()


def test_losses_are_those_of_one_pipeline_and_one_file(session, result):
    assert losses_of_import(session, PIPELINE) is None
    keep_losses(session, PIPELINE, "agents.yaml", result)
    kept = losses_of_import(session, PIPELINE)
    assert kept is not None
    assert (kept["name"], kept["format"], kept["more"]) == ("agents.yaml", "docker-agent", 0)
    assert "$.agents.root.hooks" in str(kept["rows"])
    assert losses_of_import(session, PIPELINE, "agents.yaml") == kept
    assert losses_of_import(session, PIPELINE, "others.yaml") is None
    assert losses_of_import(session, OTHER) is None


def test_an_import_replaces_the_losses_of_the_previous_one(session, result):
    keep_losses(session, PIPELINE, "agents.yaml", result)
    keep_losses(session, OTHER, "others.yaml", result)
    assert losses_of_import(session, PIPELINE) is None
    assert losses_of_import(session, OTHER) is not None
    keep_losses(session, OTHER, "exact.yaml", replace(result, rows=()))
    assert losses_of_import(session, OTHER) is None, "without a loss there is nothing to show"


def test_many_losses_and_a_long_name_are_cut(session, result):
    many = replace(result, rows=result.losses[:1] * (MAX_ROWS + 3))
    keep_losses(session, PIPELINE, "x" * 200, many)
    kept = losses_of_import(session, PIPELINE, "x" * 120)
    assert kept is not None
    assert (len(kept["rows"]), kept["more"]) == (MAX_ROWS, 3)
    session.save()
    assert SessionStore(session.session_key)["import_losses"] == kept

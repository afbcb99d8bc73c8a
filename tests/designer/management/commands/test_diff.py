"""`manage.py diff`: the difference of two definitions in a terminal."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from designer.pipelines.actions import rename_pipeline
from designer.versions import save_version
from tests.designer.live_conversations import SAMPLES, make_pipeline, sample

pytestmark = pytest.mark.django_db

SUPPORT = str(SAMPLES / "support.json")


def diff(*arguments: str) -> tuple[str, int]:
    """Run the command; return its output and exit code."""
    printed = StringIO()
    try:
        call_command("diff", *arguments, stdout=printed)
    except SystemExit as end:
        return printed.getvalue(), int(str(end.code))
    return printed.getvalue(), 0


@pytest.fixture
def changed(tmp_path):
    """Path of the support desk with an agent that says something else, and a moved stage."""
    definition = json.loads((SAMPLES / "support.json").read_text(encoding="utf-8"))
    definition["agents"][0]["instructions"] = "Be brief | and *kind*."
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(definition), encoding="utf-8")
    return str(path)


def test_the_same_behaviour_is_exit_code_0():
    assert diff(SUPPORT, SUPPORT) == ("Both behave the same.\n", 0)


def test_changes_are_listed_as_text(changed):
    printed, code = diff(SUPPORT, changed)
    agent = sample("support").agents[0]
    assert code == 1
    assert printed.startswith("1 change: 1 changed\n")
    assert f"  ~ agent {agent.id} ({agent.name})\n      instructions: " in printed
    assert '→ "Be brief | and *kind*."' in printed


def test_markdown_shows_texts_as_they_are(changed):
    printed, code = diff("--markdown", SUPPORT, changed)
    assert code == 1
    assert r"Be brief \| and \*kind\*." in printed


def test_json_has_the_changes_and_the_effect(changed):
    printed, code = diff("--json", SUPPORT, changed)
    document = json.loads(printed)
    assert (code, document["same"]) == (1, False)
    [change] = document["changes"]
    assert change["values"][0]["path"] == "instructions"
    assert document["effect"]["paths_lost"] == []


def test_a_stored_pipeline_is_compared_with_a_file(user, changed):
    pipeline = make_pipeline(user, sample("support"))
    assert diff(str(pipeline.pk), SUPPORT)[1] == 0
    assert diff(str(pipeline.pk), changed)[1] == 1


def test_git_passes_seven_arguments_and_gets_exit_code_0(changed):
    printed, code = diff("pipe.baton.json", SUPPORT, "1a", "100644", changed, "2b", "100644")
    assert (printed.splitlines()[0], code) == ("1 change: 1 changed", 0)
    added, code = diff("new.json", "/dev/null", ".", ".", SUPPORT, "2b", "100644")
    assert code == 0
    assert "  + agent" in added


@pytest.mark.parametrize("arguments", [(SUPPORT,), (SUPPORT, "missing.json"), (SUPPORT, "none")])
def test_a_usage_error_is_exit_code_2(arguments):
    with pytest.raises(CommandError) as error:
        diff(*arguments)
    assert error.value.returncode == 2


def test_a_picture_of_both_is_svg(changed):
    printed, code = diff("--svg", SUPPORT, changed)
    assert code == 1
    assert printed.startswith("<svg ")
    assert "<title>1 changed</title>" in printed


def test_versions_of_a_pipeline_are_compared(user):
    pipeline = make_pipeline(user, sample("support"))
    save_version(pipeline=pipeline, user=user)
    rename_pipeline(pipeline=pipeline, user=user, name="Renamed")
    assert diff("Renamed@1", "Renamed@draft")[1] == 1
    assert diff("Renamed@1", SUPPORT)[1] == 0
    with pytest.raises(CommandError) as error:
        diff("Renamed@1", "Renamed@9")
    assert error.value.returncode == 2

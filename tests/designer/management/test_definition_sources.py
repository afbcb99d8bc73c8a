"""Definitions by the number, name or file of a pipeline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import CommandError

from designer.management.definition_sources import find_definition, find_selected, read_file
from designer.versions import publish
from tests.designer.editor_requests import draw, now, send
from tests.designer.live_conversations import SAMPLES, make_pipeline, sample
from tests.designer.subtask_definitions import asking, running

pytestmark = pytest.mark.django_db


def test_a_pipeline_is_found_by_number_name_and_slug(user):
    row = make_pipeline(user, sample("support"))
    draw(user, "intake", name="Another")
    for name in (str(row.pk), row.name, "CUSTOMER support", "customer-support"):
        definition, subtasks, found = find_definition(name)
        assert (definition, subtasks, found) == (now(row), [], row), name


def test_an_exact_name_comes_before_the_same_name_in_another_case(user):
    rows = [draw(user, "intake", name=name) for name in ("desk", "Desk")]
    assert [find_definition(row.name)[2] for row in rows] == rows


def test_a_misspelt_name_is_answered_with_suggestions(user):
    row = make_pipeline(user, sample("support"))
    with pytest.raises(CommandError, match=f"'Custmer suport'. Did you mean '{row.name}'"):
        find_definition("Custmer suport")
    with pytest.raises(CommandError, match=r"'support'. Did you mean 'Customer support'"):
        find_definition("support")
    with pytest.raises(
        CommandError, match=r"No such file or directory. Did you mean 'support.json"
    ):
        find_definition(str(SAMPLES / "suport.json"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("999", "There is no pipeline or file '999'. Check the name."),
        ("9" * 30, "There is no pipeline or file '999"),
        ("missing.json", "missing.json cannot be read"),
    ],
)
def test_an_unknown_pipeline_or_file_is_named(name, why):
    with pytest.raises(CommandError, match=re.escape(why)):
        find_definition(name)


def test_an_ambiguous_pipeline_name_is_reported(user, other_user):
    first = make_pipeline(user, sample("support"))
    second = make_pipeline(other_user, sample("support"))
    numbers = f"{first.pk} of ada, {second.pk} of grace"
    with pytest.raises(CommandError, match=rf"several pipelines .*choose a number \({numbers}\)"):
        find_definition(first.name)
    assert find_definition(str(second.pk))[2] == second


def test_an_invalid_definition_file_is_reported_with_its_errors(tmp_path: Path):
    path = tmp_path / "broken.json"
    path.write_text('{"name": 1}', encoding="utf-8")
    with pytest.raises(CommandError, match=r"is not a valid definition:\n  \$\.name"):
        read_file(path)


def test_a_file_comes_before_a_pipeline_and_needs_no_ending(user, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw(user, "intake", name="desk")
    Path("desk").write_text(sample("support").dump(), encoding="utf-8")
    assert find_selected("desk") == (sample("support"), None, None)


def test_a_chosen_version_is_returned_and_the_draft_has_none(client, user):
    row = draw(user, "intake", name="Desk")
    published = now(row)
    version = publish(pipeline=row, user=user, name="First")
    send(client, row, "add_agent")
    for choice in ("live", "1", "v1"):
        assert find_selected(f"desk@{choice}") == (published, row, version)
    assert find_selected("desk@draft") == find_selected("desk") == (now(row), row, None)
    assert now(row) != published


def test_a_pipeline_comes_with_the_pipelines_of_its_subtasks(user):
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    with pytest.raises(CommandError, match="'Inner'"):
        find_definition("Outer")
    inner = make_pipeline(user, asking("Inner"))
    assert find_definition("Outer") == (now(outer), [now(inner)], outer)

"""Entries of the agents of a file: keys, descriptions and instructions that are read back."""

from __future__ import annotations

import pytest

from orchestration.definition import MAX_TEXT
from orchestration.interchange.docker_agent.entries import (
    Readme,
    description,
    entries_of,
    instruction,
    parse_description,
    parse_instruction,
    parse_readme,
    readme,
)
from orchestration.prompts import SEPARATOR
from tests.orchestration.interchange.docker_agent.exported import written
from tests.orchestration.sound_pipeline import sound, with_transition, workflow


def test_the_agents_of_a_workflow_are_told_to_hand_their_result_over() -> None:
    assert "When your result is complete" in written(workflow())["agents"]["root"]["instruction"]


def test_the_condition_of_a_transition_is_in_the_instructions_of_its_source() -> None:
    value = written(with_transition("intake", "handling", description="When it is about money."))
    assert "\n- handling, next: When it is about money." in value["agents"]["root"]["instruction"]


def test_the_entry_is_root_and_other_parts_with_a_taken_name_get_a_number() -> None:
    stages = [
        {"phase": "root", "agent_id": "handler"},
        {"phase": "intake", "agent_id": "triage"},
        {"phase": "watcher", "kind": "human"},
    ]
    entries = entries_of(sound(stages=stages, transitions=[]))
    assert [each.key for each in entries.all] == [
        "root",
        "root-2",
        "watcher",
        "reviewer",
        "watcher-2",
    ]
    assert entries.by_stage == {"intake": "root", "root": "root-2", "watcher": "watcher"}
    assert entries.by_agent["handler"] == "root-2"
    assert entries.by_agent["watcher"] == "watcher-2"


@pytest.mark.parametrize("name", ["Triage", "A (b)", '"A"', '"A" (b): c', "A\\", "(", '"'])
@pytest.mark.parametrize("text", ["", "Takes: all (first)\nof them"])
def test_the_agent_in_a_description_is_read_back(name: str, text: str) -> None:
    agents = [{"id": "triage", "name": name}]
    stages = [{"phase": "intake", "agent_id": "triage", "description": text}]
    definition = sound(agents=agents, stages=stages, transitions=[])
    (entry,) = entries_of(definition).all
    assert parse_description(description(entry)) == ("triage", name, text)


@pytest.mark.parametrize("text", ["", "Takes all", "A (B C)", '"\\x" (a)', "A (a) first"])
def test_another_description_names_no_agent(text: str) -> None:
    assert parse_description(text) is None


@pytest.mark.parametrize("entry", ["intake", "handling", None])
def test_a_readme_names_the_stage_of_root_and_whether_it_is_the_entry(entry: str | None) -> None:
    definition = sound(entry=entry)
    entries = entries_of(definition)
    first = entries.all[0].stage
    assert first is not None
    found = parse_readme(readme(definition, entries))
    assert found == Readme("pipeline", entry or first.phase, has_entry=entry is not None)
    assert parse_readme("# Support\n\nTopology: pipeline.") is None


def test_instructions_are_read_without_the_language_and_the_targets() -> None:
    agents = [
        {"id": key, "name": key, "instructions": "Ask.", "language": language}
        for key, language in {"triage": "French", "handler": "", "reviewer": ""}.items()
    ]
    ways = [
        {"source": "intake", "target": "handling", "description": "About\nmoney: yes"},
        {"source": "intake", "target": "review", "kind": "return"},
    ]
    definition = sound(agents=agents, transitions=ways)
    entries = entries_of(definition)
    texts = {each.key: instruction(definition, each, entries) for each in entries.all}
    assert parse_instruction(texts["root"]) == (
        "Ask.",
        "French",
        {"handling": (True, "About money: yes"), "review": (False, "")},
    )
    assert parse_instruction(texts["handling"]) == ("Ask.", "", {})


@pytest.mark.parametrize(
    "text",
    [
        "Answer in French.",
        f"Help.{SEPARATOR}Answer in.",
        f"Help.{SEPARATOR}Delegate tasks to:\nno list",
        "Delegate tasks to:\n- a",
    ],
)
def test_instructions_that_only_look_like_a_language_or_targets_are_kept(text: str) -> None:
    assert parse_instruction(text) == (text, "", {})


@pytest.mark.parametrize(("length", "has_targets"), [(100, True), (MAX_TEXT - 1_000, False)])
def test_targets_are_left_out_when_the_instructions_would_be_too_long(
    length: int, *, has_targets: bool
) -> None:
    agents = [{"id": "triage", "name": "A", "instructions": "x" * length}]
    definition = sound(agents=agents)
    entries = entries_of(definition)
    text = instruction(definition, entries.all[0], entries)
    assert ("- handling" in text) == has_targets

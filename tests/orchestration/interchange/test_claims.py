"""Each cell of the table: a kept feature changes the exported files, and a lost one does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange import FEATURES, FORMATS, Feature, Format, export

TRIAGE = {"id": "triage", "name": "Triage", "instructions": "Ask {{plan}}."}
BILLING = {"id": "billing", "name": "Billing", "instructions": "Bill.", "tools": ["find"]}
OVERSEER = {"id": "overseer", "name": "Overseer", "instructions": "Watch."}
INTAKE = {"phase": "intake", "agent_id": "triage"}
BILLS = {"phase": "bills", "agent_id": "billing"}
THERE = {"source": "intake", "target": "bills"}
BACK = {"source": "bills", "target": "intake", "kind": "return"}
PAYLOAD = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
RULE = {"id": "money", "agent_id": "billing", "conditions": {"intents": ["bill"]}}
GROUP = {"phase": "bills", "kind": "group", "group": {"agents": ["billing", "triage"]}}

Changes = dict[str, Any]


def desk(**changes: Any) -> PipelineDefinition:
    parts: Changes = {
        "name": "Desk",
        "entry": "intake",
        "agents": [TRIAGE, BILLING],
        "stages": [INTAKE, BILLS],
        "transitions": [THERE, BACK],
        "tools": [{"name": "find"}],
    }
    return PipelineDefinition.model_validate(parts | changes)


def billing(**settings: Any) -> Changes:
    return {"agents": [TRIAGE, BILLING | settings]}


def there(**settings: Any) -> Changes:
    return {"transitions": [THERE | settings, BACK]}


def filtered(keep: str, **settings: Any) -> Changes:
    return there(input_filter={"keep": keep, **settings})


def find(**settings: Any) -> Changes:
    return {"tools": [{"name": "find", **settings}]}


NO_TOOL = {"tools": [], **billing(tools=[])}
WITH: dict[str, tuple[Changes, Changes]] = {
    "agent": ({"agents": [TRIAGE]}, {}),
    "stage": ({"stages": [INTAKE], "transitions": []}, {}),
    "shared_agent": (
        {
            "stages": [INTAKE, BILLS, {"phase": "more", "agent_id": "spare"}],
            "agents": [TRIAGE, BILLING, BILLING | {"id": "spare", "name": "Spare"}],
            "transitions": [THERE, BACK, {"source": "bills", "target": "more"}],
        },
        {
            "stages": [INTAKE, BILLS, {"phase": "more", "agent_id": "billing"}],
            "transitions": [THERE, BACK, {"source": "bills", "target": "more"}],
        },
    ),
    "entry": ({}, {"entry": "bills"}),
    "default_agent": ({"rules": [RULE]}, {"rules": [RULE], "default_agent_id": "billing"}),
    "transition": ({"transitions": [THERE]}, {}),
    "kind": (
        {
            "stages": [INTAKE, BILLS, {"phase": "more", "agent_id": "billing"}],
            "transitions": [THERE | {"kind": "return"}, THERE | {"target": "more"}, BACK],
        },
        {
            "stages": [INTAKE, BILLS, {"phase": "more", "agent_id": "billing"}],
            "transitions": [THERE, THERE | {"target": "more", "kind": "return"}, BACK],
        },
    ),
    "description": ({}, there(description="When it is about money.")),
    "typed": ({}, there(input_schema=PAYLOAD)),
    "filter_no_tools": ({}, filtered("no_tools")),
    "filter_last": ({}, filtered("last", count=3)),
    "filter_summary": ({}, filtered("summary")),
    "filter_cel": ({}, filtered("matching", expression="true")),
    "rule": ({}, {"rules": [RULE]}),
    "rule_cel": (
        {"rules": [RULE]},
        {"rules": [RULE | {"conditions": {"intents": ["bill"], "custom": "event.text == 'a'"}}]},
    ),
    "limits": ({}, {"limits": {"max_turns": 7}}),
    "supervisor": (
        {},
        {
            "agents": [TRIAGE, BILLING, OVERSEER],
            "supervisor_id": "overseer",
            "supervision": {"ask_at": ["handoff"], "may": ["note"]},
        },
    ),
    "group": ({"transitions": [THERE]}, {"stages": [INTAKE, GROUP], "transitions": [THERE]}),
    "human": (
        {},
        {
            "stages": [INTAKE, BILLS, {"phase": "desk", "kind": "human"}],
            "transitions": [THERE, BACK, {"source": "bills", "target": "desk"}],
        },
    ),
    "workflow": ({"transitions": [THERE]}, {"topology": "workflow", "transitions": [THERE]}),
    "team": ({"transitions": [THERE]}, {"topology": "team", "transitions": [THERE]}),
    "swarm": ({}, {"topology": "swarm"}),
    "function_tool": (NO_TOOL, {}),
    "http_tool": (NO_TOOL, find(kind="http", http={"url": "https://a.example/{id}"})),
    "mcp_tool": (NO_TOOL, find(kind="mcp", mcp={"connection": "docs"})),
    "subtask": (NO_TOOL, find(kind="subtask", pipeline="Guide")),
    "user_input": (NO_TOOL, find(kind="user_input")),
    "approval": ({}, find(approval=True)),
    "tool_limits": ({}, find(time_limit=5, max_answer=9, idempotent=True)),
    "model_settings": ({}, billing(temperature=0.5, max_output_tokens=9)),
    "response_schema": ({}, billing(response_schema=PAYLOAD | {"additionalProperties": False})),
    "language": ({}, billing(language="French")),
    "reserve": ({}, billing(fallback="openai", retries=2, time_limit=5)),
    "variables": ({}, {"variables": {"plan": "pro"}}),
    "aliases": ({}, {"aliases": {"money": "billing"}}),
    "on_handoff": ({}, {"on_handoff": "wait"}),
    "handoff_tool": ({}, {"handoff_tool_name": "pass_on"}),
    "call_human": ({"allow_human": False}, {}),
    "cues": ({}, billing(cues=[{"say": "Here you are."}])),
    "examples": ({}, find(examples=[{"result": "42"}])),
    "layout": ({}, {"layout": {"stages": {"bills": {"x": 40, "y": 80}}}}),
    "notes": ({}, {"layout": {"notes": [{"id": "n", "text": "Look.", "x": 0, "y": 0}]}}),
}
"""For each feature a pipeline without it and the same pipeline with it, as changes of the desk."""

NO_TRACE = {
    ("roomkit", "filter_no_tools"): "agents of a room never see the tool calls of others",
    ("roomkit", "group"): "the stage of the first member is that of a stage with one agent",
    ("roomkit", "workflow"): "a step is a handoff",
    ("roomkit", "team"): "a delegation is a handoff",
    ("roomkit", "swarm"): "a swarm has the same handoffs as a pipeline",
    ("adk", "swarm"): "a swarm has the same tree as a pipeline",
    ("adk", "shared_agent"): "every stage has a file of its own",
}
"""Features that a format keeps without anything in the files, by format and feature."""

DERIVED = {"prompt"}
"""Features that consist of other parts, so a pipeline cannot have only these."""

WRITTEN = [each for each in FORMATS if each.write is not None]
PARTS = [each for each in FEATURES if each.key not in DERIVED]


def changed_places(feature: Feature) -> set[str]:
    """The parts that have the feature, or another value of it, in the second pipeline only."""
    before, after = (feature.values(desk(**changes)) for changes in WITH[feature.key])
    return {place for place in after if before.get(place, "none") != after[place]}


def test_every_feature_has_a_pipeline_with_it_and_one_without() -> None:
    assert set(WITH) | DERIVED == {feature.key for feature in FEATURES}
    assert all(changed_places(feature) for feature in PARTS)


def exported(definition: PipelineDefinition, chosen: Format) -> dict[str, str]:
    """The files without the report of the losses."""
    files = export(definition, chosen.key).files
    return {name: text for name, text in files.items() if name != "README.md"}


def without_order(files: Mapping[str, str]) -> dict[str, str]:
    return {name: "\n".join(sorted(text.splitlines())) for name, text in files.items()}


@pytest.mark.parametrize("feature", PARTS, ids=lambda each: each.key)
@pytest.mark.parametrize("chosen", WRITTEN, ids=lambda each: each.key)
def test_a_feature_is_in_the_files_unless_it_is_lost(chosen: Format, feature: Feature) -> None:
    before, after = (desk(**changes) for changes in WITH[feature.key])
    places = changed_places(feature)
    rows = [each for each in chosen.rows(after) if each.part == feature.title]
    [row] = [each for each in rows if places & set(each.places)]
    old, new = exported(before, chosen), exported(after, chosen)
    if row.kept == "lost":  # only the order of lines may differ
        old, new = without_order(old), without_order(new)
    is_traced = row.kept != "lost" and (chosen.key, feature.key) not in NO_TRACE
    assert (old != new) == is_traced


@pytest.mark.parametrize("chosen", WRITTEN, ids=lambda each: each.key)
def test_the_base_prompt_is_in_the_files_if_the_agents_get_it(chosen: Format) -> None:
    support = chosen.support["prompt"]
    text = "The conversation is in stage bills."
    is_written = any(text in each for each in exported(desk(), chosen).values())
    assert is_written == (support.kept == "code")
    assert support.differs == (support.kept not in ("native", "code") and chosen.kind == "pipeline")


def test_members_and_supervisors_in_langgraph_get_their_own_instructions_only() -> None:
    definition = desk(
        agents=[TRIAGE, BILLING, OVERSEER],
        stages=[INTAKE, BILLS, GROUP | {"phase": "checks", "group": {"agents": ["billing"]}}],
        supervisor_id="overseer",
        supervision={"ask_at": ["handoff"]},
    )
    rows = export(definition, "langgraph").rows
    found = {each.kept: each.places for each in rows if each.part == "Base prompt"}
    assert found == {"code": ("triage",), "lost": ("billing", "overseer")}
    uncalled = desk(agents=[TRIAGE, BILLING, OVERSEER], supervisor_id="overseer")
    (row,) = [
        each
        for each in export(uncalled, "langgraph").rows
        if each.part == "Base prompt" and each.kept == "lost"
    ]
    assert (row.places, row.differs) == (("overseer",), False)

"""The rules: what each finds, what it leaves alone, and how it says so."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.validation import RULES, Draft, Issue, errors, validate
from tests.orchestration.strategies import definitions

SOUND: dict[str, Any] = {
    "name": "Support",
    "entry": "intake",
    "supervisor_id": "watcher",
    "aliases": {"desk": "human", "refunds": "handler"},
    "agents": [
        {"id": "triage", "name": "Triage"},
        {"id": "handler", "name": "Handler", "tools": ["lookup"]},
        {"id": "reviewer", "name": "Reviewer"},
        {"id": "watcher", "name": "Watcher"},
    ],
    "stages": [
        {"phase": "intake", "agent_id": "triage"},
        {"phase": "handling", "agent_id": "handler"},
        {"phase": "review", "agent_id": "reviewer"},
        {"phase": "desk", "kind": "human"},
    ],
    "transitions": [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "desk"},
        {"source": "review", "target": "handling", "kind": "return"},
    ],
    "rules": [
        {"id": "billing", "agent_id": "handler", "conditions": {"intents": ["billing"]}},
    ],
    "tools": [{"name": "lookup"}],
}


def sound(**changes: Any) -> PipelineDefinition:
    """A definition without issues, apart from `changes`."""
    return PipelineDefinition.model_validate(SOUND | changes)


def with_more(name: str, *parts: dict[str, Any]) -> PipelineDefinition:
    """A definition without issues, apart from what is added to one of its lists."""
    return sound(**{name: [*SOUND[name], *parts]})


def with_cue(agent_id: str, **cue: Any) -> PipelineDefinition:
    """A definition without issues, apart from a cue of one of its agents."""
    return sound(
        agents=[
            agent | ({"cues": [cue]} if agent["id"] == agent_id else {})
            for agent in SOUND["agents"]
        ]
    )


def only_issue(definition: PipelineDefinition) -> Issue:
    """The one issue of a definition, which must be the only one."""
    (issue,) = validate(definition)
    return issue


def codes(definition: PipelineDefinition) -> list[str]:
    return [issue.code for issue in validate(definition)]


def test_a_sound_pipeline_has_no_issues() -> None:
    assert validate(sound()) == ()


def test_a_pipeline_without_stages_is_told_what_to_do() -> None:
    issue = only_issue(PipelineDefinition(name="Empty"))
    assert (issue.code, issue.severity) == ("stages-missing", "error")
    assert issue.message == (
        "The pipeline has no stages yet: add one and choose the agent who serves it."
    )
    assert issue.where.kind == "pipeline"


def test_a_pipeline_with_stages_needs_an_entry() -> None:
    issue = only_issue(sound(entry=None))
    assert (issue.code, issue.severity, issue.where.path) == ("entry-missing", "error", "$.entry")


def test_the_entry_names_a_stage() -> None:
    issue = only_issue(sound(entry="lobby"))
    assert (issue.code, issue.severity, issue.where.path) == ("entry-unknown", "error", "$.entry")
    assert "'lobby'" in issue.message


@pytest.mark.parametrize(
    ("name", "part", "code", "kind", "key"),
    [
        ("stages", {"phase": "desk", "kind": "human"}, "stage-duplicate", "stage", "desk"),
        ("agents", {"id": "triage", "name": "Again"}, "agent-duplicate", "agent", "triage"),
        ("tools", {"name": "lookup"}, "tool-duplicate", "tool", "lookup"),
        ("rules", {"id": "billing", "agent_id": "triage"}, "rule-duplicate", "rule", "billing"),
    ],
)
def test_a_name_belongs_to_one_thing(
    name: str, part: dict[str, Any], code: str, kind: str, key: str
) -> None:
    issue = only_issue(with_more(name, part))
    assert (issue.code, issue.severity) == (code, "error")
    assert (issue.where.kind, issue.where.keys) == (kind, (key,))
    assert repr(key) in issue.message


@pytest.mark.parametrize(
    ("way", "unknown", "side"),
    [
        ({"source": "desk", "target": "attic"}, "attic", "target"),
        ({"source": "attic", "target": "desk"}, "attic", "source"),
        ({"source": "desk", "target": "attic", "kind": "return"}, "attic", "target"),
    ],
)
def test_next_and_can_return_to_name_stages(way: dict[str, str], unknown: str, side: str) -> None:
    """O-11."""
    definition = with_more("transitions", way)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unknown", "error")
    assert issue.where.keys == (way["source"], way["target"])
    assert value_at(definition, issue.where.path) == unknown
    assert issue.where.path.endswith(side)


def test_a_stage_may_name_itself() -> None:
    """O-11."""
    again = {"source": "handling", "target": "handling", "kind": "return"}
    assert validate(with_more("transitions", again)) == ()


def test_a_stage_has_one_next_and_all_of_several_are_named() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "desk"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("next-duplicate", "error")
    assert issue.where.keys == ("intake",)
    assert "'desk' and 'handling'" in issue.message


def test_one_transition_leads_from_a_stage_to_another_whatever_its_kind() -> None:
    definition = with_more(
        "transitions", {"source": "intake", "target": "handling", "kind": "return"}
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-duplicate", "error")
    assert issue.where.keys == ("intake", "handling")


def test_the_same_next_twice_is_one_fault() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "handling"})
    assert codes(definition) == ["transition-duplicate"]


def test_somebody_serves_every_stage() -> None:
    definition = with_more("stages", {"phase": "closing"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agentless"
    assert issue.where.keys == ("closing",)


def test_a_stage_is_served_by_an_agent_of_the_pipeline() -> None:
    definition = with_more("stages", {"phase": "closing", "agent_id": "stranger"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agent-unknown"
    assert "'closing'" in issue.message
    assert "'stranger'" in issue.message


def test_no_agent_serves_a_human_stage() -> None:
    stages = [*SOUND["stages"][:-1], {"phase": "desk", "kind": "human", "agent_id": "triage"}]
    issue = only_issue(sound(stages=stages))
    assert (issue.code, issue.severity) == ("human-stage-agent", "error")


def test_no_agent_is_called_human() -> None:
    """O-9."""
    definition = with_more("agents", {"id": "human", "name": "Not me"})
    assert codes(definition) == ["agent-reserved", "agent-idle"]


def with_group(*members: str, **group: Any) -> PipelineDefinition:
    """A definition without issues, apart from a group in place of the reviewer."""
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "review"]
    review = {"phase": "review", "kind": "group", "group": {"agents": members, **group}}
    return sound(stages=[*stages, review])


def about_group(definition: PipelineDefinition) -> Issue:
    """The one issue of a definition with a group, beside that it cannot be rehearsed."""
    (issue,) = (issue for issue in validate(definition) if issue.code != "group-unrehearsed")
    return issue


def test_a_group_bars_a_rehearsal_and_its_members_are_not_idle() -> None:
    """H-9."""
    definition = with_group("reviewer", "triage", dependencies={"triage": ["reviewer"]})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-unrehearsed", "error")
    assert (issue.where.kind, issue.where.keys) == ("stage", ("review",))
    assert value_at(definition, issue.where.path)["agents"] == ["reviewer", "triage"]


def test_a_group_stage_without_a_group_is_served_by_nobody() -> None:
    definition = with_more("stages", {"phase": "closing", "kind": "group"})
    issue = errors(validate(definition))[0]
    assert (issue.code, issue.where.keys) == ("stage-agentless", ("closing",))
    assert issue.where.path.endswith(".group")


def test_a_group_stage_has_no_agent_beside_its_group() -> None:
    group = {"phase": "review", "kind": "group", "group": {"agents": ["reviewer"]}}
    definition = sound(stages=[*SOUND["stages"][:2], group | {"agent_id": "triage"}])
    issue = next(issue for issue in validate(definition) if issue.code != "group-unrehearsed")
    assert (issue.code, issue.severity) == ("group-stage-agent", "error")
    assert value_at(definition, issue.where.path) == "triage"


@pytest.mark.parametrize("kind", ["agent", "human"])
def test_only_a_group_stage_has_a_group(kind: str) -> None:
    group = {"kind": kind, "group": {"agents": ["triage"]}}
    stages = [stage | (group if stage["phase"] == "desk" else {}) for stage in SOUND["stages"]]
    issue = next(i for i in validate(sound(stages=stages)) if i.code == "group-misplaced")
    assert (issue.severity, issue.where.keys) == ("error", ("desk",))
    assert f"of the kind {kind!r}" in issue.message


def test_the_members_of_a_group_are_agents_and_all_strangers_are_named() -> None:
    definition = with_group("reviewer", "owl", "cat")
    issue = about_group(definition)
    assert (issue.code, issue.severity) == ("group-agent-unknown", "error")
    assert "names 'owl' and 'cat', and there are no such agents" in issue.message
    assert value_at(definition, issue.where.path) == "owl"


@pytest.mark.parametrize(
    ("dependencies", "named"),
    [
        ({"reviewer": ["handler", "owl"], "cat": ["reviewer"]}, "'cat', 'Handler' and 'owl'"),
        ({"reviewer": ["triage", "owl"]}, "'owl'"),
        ({"owl": []}, "'owl'"),
    ],
)
def test_dependencies_name_members_of_the_group(
    dependencies: dict[str, list[str]], named: str
) -> None:
    """H-9."""
    definition = with_group("reviewer", "triage", dependencies=dependencies)
    issue = about_group(definition)
    assert (issue.code, issue.severity) == ("group-dependency-unknown", "error")
    assert f" name {named}," in issue.message
    value_at(definition, issue.where.path)


def test_no_member_of_a_group_depends_on_itself() -> None:
    """H-9."""
    dependencies = {"reviewer": ["reviewer"], "triage": ["reviewer", "triage"]}
    definition = with_group("triage", "reviewer", dependencies=dependencies)
    issue = about_group(definition)
    assert (issue.code, issue.severity) == ("group-dependency-self", "error")
    assert "'Reviewer' and 'Triage' depend on themselves" in issue.message
    assert value_at(definition, issue.where.path) == "reviewer"


def test_members_of_a_group_that_wait_for_each_other_are_all_named() -> None:
    """H-9."""
    dependencies = {"handler": ["triage"], "triage": ["reviewer"], "reviewer": ["handler"]}
    definition = with_group("triage", "handler", "reviewer", dependencies=dependencies)
    issue = about_group(definition)
    assert (issue.code, issue.severity) == ("group-cycle", "error")
    assert "'Handler', 'Reviewer' and 'Triage' wait for each other" in issue.message
    assert value_at(definition, issue.where.path) == "triage"


def test_a_group_takes_over_as_one_so_no_cue_of_its_members_lacks_a_transition() -> None:
    definition = with_group("reviewer", "triage")
    agents = [
        {"id": "handler", "name": "H", "cues": [{"hand_over": {"target": "review"}}]},
        {
            "id": "reviewer",
            "name": "R",
            "cues": [{"in_phase": "review", "hand_over": {"target": "triage"}}],
        },
    ]
    kept = tuple(agent for agent in definition.agents if agent.id in {"triage", "watcher"})
    more = PipelineDefinition.model_validate({"name": "More", "agents": agents}).agents
    assert codes(definition.model_copy(update={"agents": (*kept, *more), "tools": ()})) == [
        "group-unrehearsed"
    ]


def test_stages_that_cannot_be_reached_are_all_named() -> None:
    definition = with_more(
        "stages",
        {"phase": "attic", "agent_id": "triage"},
        {"phase": "cellar", "agent_id": "triage"},
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("stage-unreachable", "warning")
    assert issue.where.keys == ("attic", "cellar")
    assert value_at(definition, issue.where.path)["phase"] == "attic"
    assert "the stages 'attic' and 'cellar'" in issue.message


def test_a_loop_that_something_leads_out_of_is_fine() -> None:
    ways = {(way["source"], way["target"]) for way in SOUND["transitions"]}
    assert {("handling", "review"), ("review", "handling"), ("review", "desk")} <= ways
    assert validate(sound()) == ()


def test_a_loop_that_nothing_leads_out_of_is_a_warning() -> None:
    ways = [way for way in SOUND["transitions"] if way["target"] != "desk"]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    issues = validate(sound(transitions=ways, stages=stages))
    assert [(issue.code, issue.where.keys) for issue in issues] == [
        ("loop-closed", ("handling", "review")),
        ("dead-end", ("intake",)),
    ]
    assert errors(issues) == ()
    assert "the loop of 'handling' and 'review'" in issues[0].message


def test_a_loop_in_which_the_human_answers_is_fine() -> None:
    definition = with_more("transitions", {"source": "desk", "target": "intake", "kind": "return"})
    assert validate(definition) == ()


def test_a_stage_that_leads_only_to_itself_is_a_loop_without_a_way_out() -> None:
    definition = sound(
        stages=[{"phase": "intake", "agent_id": "triage"}],
        agents=[{"id": "triage", "name": "Triage"}],
        transitions=[{"source": "intake", "target": "intake"}],
        rules=[],
        aliases={},
        supervisor_id=None,
    )
    issue = only_issue(definition)
    assert issue.code == "loop-closed"
    assert "leads only to itself" in issue.message


def test_a_stage_with_no_way_on_is_an_end_and_no_dead_end() -> None:
    definition = sound(stages=[*SOUND["stages"][:3]], transitions=SOUND["transitions"][:2])
    assert validate(definition) == ()


def test_a_dead_end_has_ways_on_that_lead_only_into_loops() -> None:
    definition = sound(
        stages=[
            *SOUND["stages"],
            {"phase": "maze", "agent_id": "triage"},
            {"phase": "spin", "agent_id": "triage"},
        ],
        transitions=[
            *SOUND["transitions"],
            {"source": "intake", "target": "maze", "kind": "return"},
            {"source": "maze", "target": "spin"},
            {"source": "spin", "target": "spin"},
        ],
    )
    assert [(issue.code, issue.where.keys) for issue in validate(definition)] == [
        ("loop-closed", ("spin",)),
        ("dead-end", ("maze",)),
    ]


def test_a_run_may_make_the_handoffs_of_the_shortest_way_to_an_end() -> None:
    assert validate(sound(limits={"max_handoffs": 3})) == ()
    issue = only_issue(sound(limits={"max_handoffs": 2}))
    assert (issue.code, issue.severity) == ("max-handoffs-low", "warning")
    assert "takes 3 handoffs" in issue.message
    assert "may make 2" in issue.message


def test_an_agent_has_something_to_do() -> None:
    issue = only_issue(with_more("agents", {"id": "bored", "name": "Bored"}))
    assert (issue.code, issue.severity) == ("agent-idle", "warning")
    assert issue.where.keys == ("bored",)
    assert issue.message.startswith("The agent 'Bored' serves no stage")


def test_an_agent_is_called_by_its_name_and_by_its_id_where_the_name_is_not_its_own() -> None:
    twins = ({"id": "one", "name": "Twin"}, {"id": "two", "name": "Twin"})
    issues = validate(with_more("agents", *twins))
    assert [issue.message.split(" serves")[0] for issue in issues] == [
        "The agent 'Twin (one)'",
        "The agent 'Twin (two)'",
    ]


@pytest.mark.parametrize(
    "duty",
    [
        {"default_agent_id": "bored"},
        {"supervisor_id": "bored", "agents": [*SOUND["agents"][:3], {"id": "bored", "name": "B"}]},
        {"rules": [*SOUND["rules"], {"id": "night", "agent_id": "bored"}]},
    ],
    ids=["default", "supervisor", "rule"],
)
def test_an_agent_with_a_duty_for_the_whole_pipeline_is_not_idle(duty: dict[str, Any]) -> None:
    definition = sound(**{"agents": [*SOUND["agents"], {"id": "bored", "name": "Bored"}]} | duty)
    assert validate(definition) == ()


def test_an_agent_has_tools_that_the_pipeline_defines() -> None:
    definition = with_more("agents", {"id": "a", "name": "A", "tools": ["hammer", "lookup"]})
    issue = errors(validate(definition))[0]
    assert issue.code == "tool-unknown"
    assert value_at(definition, issue.where.path) == "hammer"


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"supervisor_id": "ghost"}, "supervisor-unknown", "$.supervisor_id"),
        ({"default_agent_id": "ghost"}, "default-agent-unknown", "$.default_agent_id"),
        ({"aliases": {"boo": "ghost"}}, "alias-unknown", "$.aliases.boo"),
        ({"aliases": {"boo-hoo": "ghost"}}, "alias-unknown", "$.aliases['boo-hoo']"),
    ],
)
def test_who_is_named_for_the_whole_pipeline_is_one_of_its_agents(
    changes: dict[str, Any], code: str, path: str
) -> None:
    issue = errors(validate(sound(**changes)))[0]
    assert (issue.code, issue.where.kind, issue.where.path) == (code, "pipeline", path)
    assert "'ghost'" in issue.message


def test_a_routing_rule_picks_an_agent_of_the_pipeline() -> None:
    definition = with_more("rules", {"id": "night", "agent_id": "owl"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-agent-unknown", "error")
    assert value_at(definition, issue.where.path) == "owl"


def test_a_routing_rule_asks_about_stages_of_the_pipeline() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"phases": ["attic", "intake"]}}
    definition = with_more("rules", rule)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-phase-unknown", "error")
    assert value_at(definition, issue.where.path) == "attic"


@pytest.mark.parametrize("field", ["phases", "channel_types", "intents", "source_channel_ids"])
def test_a_routing_rule_that_asks_for_one_of_nothing_never_matches(field: str) -> None:
    """O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {field: []}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("rule-never", "warning")
    assert repr(field) in issue.message


def test_a_routing_rule_without_conditions_matches_anything() -> None:
    """O-4."""
    assert validate(with_more("rules", {"id": "rest", "agent_id": "triage"})) == ()


def test_a_condition_that_does_not_compile_says_at_which_column() -> None:
    """O-4."""
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "state.phase =="}}
    issue = only_issue(with_more("rules", rule))
    assert (issue.code, issue.severity) == ("condition-invalid", "error")
    assert "'night' is wrong at column 15" in issue.message


def test_a_condition_that_is_neither_true_nor_false_is_an_error() -> None:
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": "1 + 1"}}
    assert codes(with_more("rules", rule)) == ["condition-invalid"]


def test_a_condition_that_compiles_is_fine() -> None:
    custom = "event.channel_type == 'email' && state.handoff_count > 2"
    rule = {"id": "night", "agent_id": "triage", "conditions": {"custom": custom}}
    assert validate(with_more("rules", rule)) == ()


def test_a_stage_that_routing_begins_in_needs_no_transition_to_it() -> None:
    definition = with_more("stages", {"phase": "attic", "agent_id": "handler"})
    assert validate(definition) == ()
    assert codes(definition.model_copy(update={"rules": ()})) == ["stage-unreachable"]


@pytest.mark.parametrize("target", ["handler", "refunds", "human", "desk", "handling"])
def test_a_cue_hands_over_to_an_agent_an_alias_a_stage_or_the_human(target: str) -> None:
    assert validate(with_cue("triage", hand_over={"target": target})) == ()


def test_a_cue_that_hands_over_to_nobody_is_a_warning() -> None:
    definition = with_cue("triage", hand_over={"target": "nobody"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("cue-target-unknown", "warning")
    assert issue.where.keys == ("triage",)
    assert value_at(definition, issue.where.path) == "nobody"


def test_a_cue_hands_over_only_where_a_transition_leads() -> None:
    issue = only_issue(with_cue("triage", hand_over={"target": "reviewer"}))
    assert (issue.code, issue.severity) == ("cue-way-missing", "warning")
    assert "'Reviewer'" in issue.message
    assert "'intake'" in issue.message


@pytest.mark.parametrize("target", ["desk", "human"])
def test_in_a_stage_with_no_way_on_a_cue_hands_over_to_nobody(target: str) -> None:
    """O-8."""
    definition = with_cue("reviewer", hand_over={"target": target})
    assert validate(definition) == ()
    definition = definition.model_copy(update={"transitions": definition.transitions[:2]})
    assert "cue-way-missing" in codes(definition)


def test_a_cue_that_names_a_stage_needs_a_transition_to_that_stage() -> None:
    assert validate(with_cue("triage", hand_over={"target": "handler", "phase": "handling"})) == ()
    definition = with_cue("triage", hand_over={"target": "handler", "phase": "review"})
    assert codes(definition) == ["cue-way-missing"]


def test_where_the_human_is_barred_a_cue_needs_a_transition_to_a_human_stage() -> None:
    """O-9."""
    to_human = {"hand_over": {"target": "human"}}
    barred = {"allow_human": False}
    assert codes(with_cue("triage", **to_human).model_copy(update=barred)) == ["cue-way-missing"]
    assert codes(with_cue("reviewer", **to_human).model_copy(update=barred)) == []


def test_of_an_agent_that_routing_may_put_anywhere_no_transition_is_asked() -> None:
    assert validate(with_cue("handler", hand_over={"target": "triage"})) == ()


def test_a_cue_calls_a_tool_that_its_agent_has() -> None:
    assert validate(with_cue("handler", call={"tool": "lookup"})) == ()
    issue = only_issue(with_cue("triage", call={"tool": "lookup"}))
    assert (issue.code, issue.severity) == ("cue-tool-unknown", "warning")


@pytest.mark.parametrize(
    "waits", [{"after_handoff_from": "ghost"}, {"in_phase": "attic"}, {"in_phase": "review"}]
)
def test_a_cue_that_waits_for_what_cannot_happen_is_a_warning(waits: dict[str, str]) -> None:
    issue = only_issue(with_cue("triage", say="Boo.", **waits))
    assert (issue.code, issue.severity) == ("cue-never", "warning")


def test_all_issues_come_at_once_errors_first() -> None:
    definition = sound(
        entry="lobby",
        supervisor_id="ghost",
        transitions=[],
        rules=[{"id": "r", "agent_id": "ghost", "conditions": {"intents": []}}],
    )
    found = [(issue.severity, issue.code) for issue in validate(definition)]
    assert found == [
        ("error", "entry-unknown"),
        ("error", "supervisor-unknown"),
        ("error", "rule-agent-unknown"),
        ("warning", "agent-idle"),
        ("warning", "rule-never"),
    ]


def test_many_offenders_are_counted_and_still_all_pointed_to() -> None:
    more = [{"phase": f"p{number}", "agent_id": "triage"} for number in range(300)]
    issue = only_issue(with_more("stages", *more))
    assert len(issue.where.keys) == 300
    assert issue.message.endswith("and 281 more.")


@given(definitions())
def test_rules_find_what_they_find_and_never_raise(definition: PipelineDefinition) -> None:
    issues = validate(definition)
    assert issues == validate(definition)
    for issue in issues:
        value_at(definition, issue.where.path)
        assert re.fullmatch(r"[A-Z].+\.", issue.message, re.DOTALL) or "condition" in issue.code


@given(definitions())
def test_each_rule_finds_the_same_alone_as_among_the_others(
    definition: PipelineDefinition,
) -> None:
    alone = [issue for rule in RULES for issue in rule(Draft(definition))]
    assert sorted(alone, key=lambda issue: issue.severity) == list(validate(definition))


def value_at(definition: PipelineDefinition, path: str) -> Any:
    """What stands at a JSON path, which has to exist in the definition."""
    value: Any = definition.model_dump(mode="json")
    for step in steps(path):
        value = value[step]
    return value


def steps(path: str) -> Iterator[str | int]:
    """The keys and places of a JSON path."""
    for name, place, key in re.findall(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^']*)'\]", path):
        yield int(place) if place else name or key

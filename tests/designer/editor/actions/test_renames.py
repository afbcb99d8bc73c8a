"""Renaming of parts in all references."""

import pytest

from designer.canvas.layout import with_positions
from designer.core.undo import last_edit, undo_edit
from designer.editor.actions import agents, stages
from designer.editor.actions.renames import with_phase
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    Agent,
    Comparison,
    Conditions,
    Cue,
    CueHandoff,
    Group,
    Rule,
    Stage,
    Transition,
)
from tests.designer.edit_actions import values
from tests.designer.editor_requests import chain, now

pytestmark = pytest.mark.django_db


def test_a_renamed_stage_is_renamed_in_all_references(user):
    definition = chain("intake", "review")
    cue = Cue(say="Hi", in_phase="intake", hand_over=CueHandoff(target="agent-x", phase="intake"))
    hands_back = definition.agents[1].model_copy(update={"cues": (cue,)})
    rows = (
        Comparison(field="state.phase", operator="one_of", value=("intake", "other")),
        Comparison(field="state.phase", operator="is_not", value="intake"),
        Comparison(field="state.phase", operator="starts_with", value="intake"),
        Comparison(field="event.intent", value="intake"),
        Comparison(field="state.handoff_count", value=1),
    )
    conditions = Conditions(phases=("intake", "other"), rows=rows)
    rule = Rule(id="r", agent_id="agent-review", conditions=conditions)
    definition = definition.model_copy(
        update={"agents": (definition.agents[0], hands_back), "rules": (rule,)}
    )
    pipeline = import_definition(user=user, definition=definition)
    changed = values(definition, "intake", phase="triage")
    stages.update_stage(pipeline=pipeline, user=user, phase="intake", values=changed)

    found = now(pipeline)
    assert found.entry == "triage"
    assert found.transitions == (Transition(source="triage", target="review"),)
    assert found.layout.stages.keys() == {"triage", "review"}
    assert found.rules[0].conditions.phases == ("other", "triage")
    compared = [row.value for row in found.rules[0].conditions.rows]
    assert compared == [("other", "triage"), "triage", "intake", "intake", 1]
    renamed = found.agents_by_id["agent-review"].cues[0]
    assert (renamed.in_phase, renamed.hand_over and renamed.hand_over.phase) == ("triage", "triage")
    edit = last_edit(pipeline=pipeline, user=user)
    assert edit
    assert edit.label == "Rename stage intake → triage"
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == definition


def test_a_phase_that_refers_to_a_group_is_renamed_unless_it_is_an_alias(user):
    definition = chain("intake", "panel")
    group = Stage(phase="panel", kind="group", group=Group(agents=("agent-intake",)))
    asks = Comparison(field="state.active_agent_id", value="panel")
    cue = Cue(after_handoff_from="panel", hand_over=CueHandoff(target="panel"))
    agent = definition.agents_by_id["agent-intake"].model_copy(update={"cues": (cue,)})
    rule = Rule(id="r", agent_id="agent-intake", conditions=Conditions(rows=(asks,)))
    stages_of = (definition.stages_by_phase["intake"], group)
    grouped = definition.model_copy(
        update={"stages": stages_of, "agents": (agent,), "rules": (rule,)}
    )

    renamed = with_phase(grouped, "panel", "board")
    assert renamed.agents[0].cues == (
        Cue(after_handoff_from="board", hand_over=CueHandoff(target="board")),
    )
    assert renamed.rules[0].conditions.rows[0].value == "board"

    namesake = grouped.model_copy(update={"aliases": {"panel": "agent-intake"}})
    assert with_phase(namesake, "panel", "board").agents == (agent,)
    assert with_phase(namesake, "panel", "board").rules == (rule,)


def test_a_new_id_of_an_agent_replaces_the_old_one_in_all_references(user):
    definition = chain(
        "intake",
        "review",
        default_agent_id="agent-review",
        supervisor_id="agent-review",
        aliases={"boss": "agent-review"},
    )
    cue = Cue(after_handoff_from="agent-review", hand_over=CueHandoff(target="agent-review"))
    asked = Comparison(field="state.active_agent_id", operator="is_not", value="agent-review")
    asks = Conditions(rows=(asked,))
    hands = definition.agents_by_id["agent-intake"].model_copy(update={"cues": (cue,)})
    definition = definition.model_copy(
        update={
            "agents": (hands, definition.agents_by_id["agent-review"]),
            "rules": (Rule(id="r", agent_id="agent-review", conditions=asks),),
        }
    )
    definition = with_positions(definition)
    pipeline = import_definition(user=user, definition=definition)
    judge = Agent(id="judge", name="Judge", instructions="Judge.")
    agents.update_agent(pipeline=pipeline, user=user, agent_id="agent-review", agent=judge)

    found = now(pipeline)
    assert "agent-review" not in found.dump()
    assert found.agents_by_id["judge"].instructions == "Judge."
    assert found.stages_by_phase["review"].agent_id == "judge"
    assert (found.default_agent_id, found.supervisor_id) == ("judge", "judge")
    assert found.aliases == {"boss": "judge"}
    assert found.rules[0].agent_id == "judge"
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == definition

"""Functions `run` and `first_agent` in the module `agents.py` of a project."""

from __future__ import annotations

from typing import Any

import pytest

from tests.orchestration.interchange.openai_agents.exported import files
from tests.orchestration.sound_pipeline import sound, team, workflow


def test_a_workflow_runs_its_stages_as_a_chain() -> None:
    source = files(workflow())["agents.py"]
    assert "runtime.run_chain(items, STAGES, NEXT, ENTRY, MAX_TURNS, context)" in source
    assert 'NEXT = {"handling": "review", "intake": "handling", "review": "desk"}' in source


def test_each_message_to_a_team_goes_to_its_lead() -> None:
    source = files(team())["agents.py"]
    assert "Runner.run(STAGES[ENTRY], items, max_turns=MAX_TURNS, context=context)" in source
    assert "hooks=" not in source


def test_the_hooks_of_a_run_are_those_of_the_supervisor_if_there_is_one() -> None:
    source = files(sound(limits={"detect_cycles": True}))["agents.py"]
    assert "# The supervisor is watcher.\nclass Supervisor(runtime.PipelineHooks):" in source
    assert "hooks=Supervisor(MAX_HANDOFFS, stops_at_cycle=True)," in source
    without = files(sound(supervisor_id=None))["agents.py"]
    assert "class Supervisor" not in without
    assert "hooks=runtime.PipelineHooks(MAX_HANDOFFS)," in without


@pytest.mark.parametrize(
    ("changes", "stops"),
    [
        ({"topology": "swarm"}, True),
        ({"topology": "swarm", "limits": {"detect_cycles": False}}, False),
        ({"topology": "pipeline"}, False),
    ],
)
def test_only_a_swarm_stops_at_a_cycle_by_default(changes: dict[str, Any], stops: bool) -> None:
    assert ("stops_at_cycle=True" in files(sound(**changes))["agents.py"]) is stops


def test_the_first_agent_is_that_of_the_rules_or_of_the_entry() -> None:
    routed = files(sound())["agents.py"]
    assert "name = route(IncomingMessage(text), State(ENTRY))" in routed
    assert "return STAGES[ENTRY]" not in routed
    plain = files(sound(rules=[]))["agents.py"]
    assert '"""Return the agent that answers the first message of a conversation."""' in plain
    assert "route(" not in plain

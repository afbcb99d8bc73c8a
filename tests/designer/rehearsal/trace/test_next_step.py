"""The step before which a pause takes effect, in words."""

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.next_step import next_step
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import whole_story
from tests.orchestration.conversations import four_stages


def test_a_pause_names_the_agent_or_the_handoff_before_which_it_takes_effect():
    names = Names.of(four_stages())
    steps: dict[type[e.Event], str] = {}
    for event in whole_story():
        steps.setdefault(type(event), next_step(event, names))
    assert steps[e.MessageRouted] == "Triage's turn"
    assert steps[e.TurnStarted] == "the step after Triage's answer"
    assert steps[e.ToolReturned] == "Triage's next turn"
    assert steps[e.HandoffRequested] == "the handoff to Handler"
    assert steps[e.HandoffAccepted] == "Handler's turn"
    assert steps[e.RunCompleted] == ""

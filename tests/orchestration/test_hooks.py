"""Hooks of a session."""

import pytest

from orchestration.definition import Transition
from orchestration.events import HandoffAccepted, HandoffRejected, HookFailed, PhaseChanged
from orchestration.exceptions import HandlerError
from orchestration.hooks import Hooks, HookTrigger
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
)


def recording_hooks(*triggers: HookTrigger) -> tuple[Hooks, list[object]]:
    hooks, subjects = Hooks(), list[object]()
    for trigger in triggers:
        hooks.on(trigger)(lambda subject, context: subjects.append(subject))
    return hooks, subjects


async def test_hooks_are_called_for_a_handoff_and_its_change_of_phase():
    """Contract O-13: with `from_phase`."""
    hooks, subjects = recording_hooks(
        HookTrigger.ON_HANDOFF, HookTrigger.ON_HANDOFF_REJECTED, HookTrigger.ON_PHASE_TRANSITION
    )
    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    await say(session_with(model, hooks=hooks), "hi")
    accepted, changed = subjects
    assert isinstance(accepted, HandoffAccepted)
    assert isinstance(changed, PhaseChanged)
    assert changed.from_phase == "intake"


async def test_a_hook_for_rejected_handoffs_gets_the_reason():
    """Contract O-13."""
    hooks, subjects = recording_hooks(*HookTrigger)
    model = PlayedModel([(handing_over("agent-nobody"),), ("Hello.",)])
    await say(session_with(model, hooks=hooks), "hi")
    _, rejected = subjects
    assert isinstance(rejected, HandoffRejected)
    assert "no agent 'agent-nobody'" in rejected.why


async def test_a_handoff_that_keeps_the_phase_is_no_transition():
    """Contract O-13: only when the phase changes."""
    hooks, subjects = recording_hooks(HookTrigger.ON_HANDOFF, HookTrigger.ON_PHASE_TRANSITION)
    to_itself = Transition(source="intake", target="intake", kind="return")
    model = PlayedModel([(handing_over(TRIAGE),), ("Hello.",)])
    events = await say(session_with(model, four_stages(transitions=[to_itself]), hooks=hooks), "hi")
    assert subjects == [only(HandoffAccepted, events)]
    assert "phase.changed" not in types(events)


async def test_a_hook_before_the_broadcast_gets_the_stamped_message():
    """Contract O-6."""
    hooks, subjects = recording_hooks(HookTrigger.BEFORE_BROADCAST)
    await say(session_with(PlayedModel([("Hello.",)]), hooks=hooks), "hi")
    (message,) = subjects
    assert message.metadata == {"_routed_to": TRIAGE, "_always_process": []}  # type: ignore[attr-defined]


async def test_hooks_are_called_by_priority_and_may_be_async():
    """Contract O-13."""
    hooks, order = Hooks(), list[str]()

    @hooks.on(HookTrigger.ON_HANDOFF, priority=5)
    async def late(subject, context):
        order.append("late")

    @hooks.on("on_handoff")
    def early(subject, context):
        order.append(f"early in {context.session_id}, {context.state.phase}")

    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    await say(session_with(model, hooks=hooks), "hi")
    assert order == ["early in s1, handling", "late"]


async def test_an_error_of_a_hook_is_recorded_without_another_effect():
    """Contract O-13."""
    hooks, calls = Hooks(), list[str]()

    @hooks.on(HookTrigger.ON_HANDOFF)
    def broken(subject, context):
        raise RuntimeError("no connection")

    hooks.on(HookTrigger.ON_HANDOFF)(lambda subject, context: calls.append("second hook"))
    model = PlayedModel([(handing_over(HANDLER),), ("Hello.",)])
    session = session_with(model, hooks=hooks)
    events = await say(session, "hi")
    failed = only(HookFailed, events)
    assert failed.trigger == "on_handoff"
    assert "broken: RuntimeError: no connection" in failed.error
    assert calls == ["second hook"]
    assert types(events)[-1] == "run.completed"
    assert session.state.active_agent_id == HANDLER


def test_an_unknown_trigger_is_refused_with_the_list_of_triggers():
    with pytest.raises(HandlerError, match="no trigger 'handoff'") as error:
        Hooks().on("handoff")
    assert all(trigger.value in str(error.value) for trigger in HookTrigger)

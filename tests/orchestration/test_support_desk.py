"""The support desk, rehearsed from greeting to end by the scripted provider."""

from __future__ import annotations

import pytest

from orchestration import events as e
from tests.orchestration.sample_rehearsals import Rehearsal, assert_smooth, run_of


async def test_the_desk_takes_a_refund_through_review_and_back_to_the_last_stage() -> None:
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(
        [
            "Good morning",
            "I was billed twice in March, my account is 7731.",
            "Yes, please refund it.",
            "I cancelled the second line on 2 March.",
            "No, that is all, thank you.",
            "A 5, that was quick.",
        ]
    )
    front, billing = ("agent-front", "intake"), ("agent-billing", "billing")
    reviewer, resolver = ("agent-reviewer", "review"), ("agent-resolver", "resolution")
    followup = ("agent-followup", "followup")
    assert [run.said for run in runs] == [
        [front],
        [front, billing],
        [billing, reviewer, billing],
        [billing, reviewer, resolver],
        [resolver, followup],
        [followup],
    ]
    assert [run.handoffs for run in runs] == [
        [],
        ["intake > billing"],
        ["billing > review", "review > billing"],
        ["billing > review", "review > resolution"],
        ["resolution > followup"],
        [],
    ]
    assert_smooth(runs)
    assert runs[0].routed.by == "default"
    assert runs[1].routed.by == "affinity"
    due = "Account 7731: billed twice in March, refund of €29.90."
    assert runs[2].told[0] == {"account": "7731", "amount": 29.9, "summary": due}
    cancelled = "Account 7731: the second line was cancelled on 2 March, so €29.90 go back."
    known = {"account": "7731", "amount": 29.9, "due_from": "2 March"}
    assert runs[3].told[0] == known | {"summary": cancelled}
    assert "one for each of two lines" in runs[1].texts[-1]
    assert "reference F-118" in runs[3].texts[-1]
    assert "I have written that down." in runs[5].texts[-1]


async def test_the_desk_tracks_an_order_and_comes_back_for_another_question() -> None:
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(
        ["Where is my parcel?", "Great, thanks", "I have another question", "My internet is slow"]
    )
    assert [run.handoffs for run in runs] == [
        ["intake > orders"],
        ["orders > resolution"],
        ["resolution > intake"],
        ["intake > technical"],
    ]
    assert_smooth(runs)
    assert "arrives on Thursday" in runs[0].texts[-1]
    assert "front desk again" in runs[2].texts[-1]


async def test_the_desk_mends_a_line_and_closes_the_matter() -> None:
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(
        ["The internet is slow", "Yes, please do", "It works now", "No, nothing", "4"]
    )
    assert [run.handoffs for run in runs] == [
        ["intake > technical"],
        [],
        ["technical > resolution"],
        ["resolution > followup"],
        [],
    ]
    assert_smooth(runs)


@pytest.mark.parametrize(
    ("text", "channel", "intent", "rule", "agent", "phase"),
    [
        ("hi, need help", "sms", None, "text-messages", "agent-text", "intake"),
        ("Hello", "web", "billing", "intent-billing", "agent-billing", "billing"),
        ("Hello", "email", "refund", "intent-billing", "agent-billing", "billing"),
        ("My last INVOICE", "email", None, "letters-about-bills", "agent-billing", "billing"),
        ("Hello", "web", "outage", "intent-technical", "agent-technical", "technical"),
        ("hello", "sms", "technical", "intent-technical", "agent-technical", "technical"),
        ("My LAWYER will write.", "web", None, "legal-threat", "agent-duty", "complaints"),
        ("See you in court!", "sms", "billing", "legal-threat", "agent-duty", "complaints"),
    ],
)
async def test_the_desk_routes_by_channel_intent_and_condition(
    text: str, channel: str, intent: str | None, rule: str, agent: str, phase: str
) -> None:
    """Contract O-3, O-4."""
    run = await Rehearsal("support-desk").say(text, channel=channel, intent=intent)
    assert (run.routed.by, run.routed.rule_id) == ("rule", rule)
    assert run.said == [(agent, phase)]
    assert_smooth([run])


async def test_a_message_without_a_matching_rule_goes_to_the_front_desk() -> None:
    """Contract O-3."""
    run = await Rehearsal("support-desk").say("My courtyard has no lawn", channel="email")
    assert run.routed.by == "default"
    assert run.routed.agent_id == "agent-front"


async def test_the_desk_answers_text_messages_briefly_and_hands_them_over() -> None:
    rehearsal = Rehearsal("support-desk")
    runs = [
        await rehearsal.say("hi", channel="sms"),
        await rehearsal.say("bill", channel="sms"),
        await rehearsal.say("yes", channel="sms"),
    ]
    assert [run.handoffs for run in runs] == [
        [],
        ["intake > billing"],
        ["billing > review", "review > billing"],
    ]
    assert_smooth(runs)
    assert len(runs[0].texts[0]) <= 140


async def test_the_desk_hands_an_unsolvable_problem_to_a_person() -> None:
    """Contract O-9."""
    rehearsal = Rehearsal("support-desk")
    fault = await rehearsal.say("My router drops the line", intent="technical")
    restart = await rehearsal.say("Yes, try it")
    assert "a third of what is sent gets lost" in fault.texts[-1]
    assert "Your router has restarted." in restart.texts[-1]
    assert_smooth([fault, restart])
    handed = await rehearsal.say("It still does not work")
    assert handed.handoffs == ["technical > escalation"]
    assert handed.end is e.StopReason.WAITING_FOR_HUMAN
    assert rehearsal.session.state.with_human
    silent = await rehearsal.say("Hello?")
    assert (silent.said, silent.routed.by) == ([], "human")
    assert silent.end is e.StopReason.WAITING_FOR_HUMAN


async def test_the_desk_gives_a_dispute_to_a_person_under_the_alias() -> None:
    """Contract O-7, O-9."""
    rehearsal = Rehearsal("support-desk")
    await rehearsal.say("This is unacceptable, I want the manager")
    run = await rehearsal.say("I would rather talk to a person")
    assert run.handoffs == ["complaints > escalation"]
    assert run.end is e.StopReason.WAITING_FOR_HUMAN


async def test_the_desk_closes_a_complaint_that_was_heard() -> None:
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(["I have a complaint", "All right, thank you"])
    assert runs[1].handoffs == ["complaints > resolution"]
    assert_smooth(runs)


async def test_the_supervisor_receives_every_message_of_the_desk() -> None:
    """Contract O-5."""
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(["Hello", "Where is my parcel?", "Thanks"])
    assert {run.routed.observers for run in runs} == {("agent-supervisor",)}


async def test_the_supervisor_of_the_desk_notes_an_angry_customer_and_escalates() -> None:
    """Contract O-5."""
    rehearsal = Rehearsal("support-desk")
    await rehearsal.say("Good morning")
    events = await rehearsal.events_of("I am furious: nothing works for the third time!")
    noted = next(event for event in events if isinstance(event, e.SupervisorNoted))
    assert (noted.by, noted.to_agent) == ("Supervisor", None)
    assert "angry" in noted.text
    accepted = [event for event in events if isinstance(event, e.HandoffAccepted)]
    assert [event.to_agent for event in accepted] == ["agent-technical", None]
    assert (accepted[1].by, accepted[1].reason) == ("Supervisor", "The customer is angry.")
    assert rehearsal.session.state.with_human
    spoken = run_of(events).said
    assert [agent for agent, _ in spoken] == ["agent-front"]


async def test_the_supervisor_of_the_desk_leaves_a_calm_customer_alone() -> None:
    rehearsal = Rehearsal("support-desk")
    events = await rehearsal.events_of("The internet is slow")
    calls = [event for event in events if isinstance(event, e.SubtaskStarted)]
    assert [(call.kind, call.point) for call in calls] == [
        ("supervision", "handoff"),
        ("supervision", "run_end"),
    ]
    assert not rehearsal.session.state.with_human

"""The sample pipelines: sound, and rehearsed from greeting to end by the scripted provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import designer
from orchestration import events as e
from orchestration.definition import PipelineDefinition
from orchestration.loading import load_storable
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.session import Session
from orchestration.validation import validate

SAMPLES = Path(designer.__file__).parent / "samples"
NAMES = {
    "coding": "Coding",
    "support": "Customer support",
    "support-desk": "Support desk",
}


def sample(name: str) -> PipelineDefinition:
    return load_storable((SAMPLES / f"{name}.json").read_bytes())


@dataclass
class Run:
    """What one user message brought about."""

    said: list[tuple[str | None, str]]
    """Agent and phase of every answer with text, in order."""
    texts: list[str]
    handoffs: list[str]
    rejected: list[str]
    results: list[str]
    errors: list[str]
    routed: e.MessageRouted
    end: e.StopReason | str


class Rehearsal:
    """A conversation with a sample, by the engine that runs it and without pauses."""

    def __init__(self, name: str) -> None:
        self.definition = sample(name)
        self.session = Session(
            self.definition,
            session_id="rehearsal",
            providers={"default": ScriptedProvider(tokens_per_second=None)},
        )
        self.count = 0

    async def say(self, text: str, *, channel: str = "web", intent: str | None = None) -> Run:
        self.count += 1
        message = InboundMessage(
            id=f"message-{self.count}", text=text, channel_type=channel, intent=intent
        )
        return run_of([event async for event in self.session.receive(message)])

    async def say_all(self, texts: Sequence[str]) -> list[Run]:
        return [await self.say(text) for text in texts]


def run_of(events: Sequence[e.Event]) -> Run:
    answers = [event for event in events if isinstance(event, e.MessageCompleted) and event.text]
    results = [event.result for event in events if isinstance(event, e.ToolReturned)]
    last = events[-1]
    return Run(
        said=[(answer.agent_id, answer.phase) for answer in answers],
        texts=[answer.text for answer in answers],
        handoffs=[
            f"{event.from_phase} > {event.to_phase}"
            for event in events
            if isinstance(event, e.HandoffAccepted)
        ],
        rejected=[event.why for event in events if isinstance(event, e.HandoffRejected)],
        results=[result.content for result in results if result.error is None],
        errors=[result.error for result in results if result.error is not None],
        routed=next(event for event in events if isinstance(event, e.MessageRouted)),
        end=last.reason if isinstance(last, e.RunCompleted) else last.type,
    )


@pytest.mark.parametrize(("name", "title"), NAMES.items())
def test_a_sample_has_neither_errors_nor_warnings(name: str, title: str) -> None:
    definition = sample(name)
    assert definition.name == title
    assert validate(definition) == ()


def test_these_are_all_the_samples() -> None:
    assert sorted(path.stem for path in SAMPLES.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_exactly_what_exporting_it_gives(name: str) -> None:
    assert (SAMPLES / f"{name}.json").read_text(encoding="utf-8") == sample(name).dump()


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_drawn_without_cards_on_top_of_each_other(name: str) -> None:
    definition = sample(name)
    layout = definition.layout
    assert set(layout.stages) == set(definition.stages_by_phase)
    assert set(layout.hues) == set(definition.agents_by_id)
    assert len(set(layout.hues.values())) == len(layout.hues)
    corners = [*layout.stages.values()]
    if layout.supervisor is not None:
        corners.append(layout.supervisor)
    for number, one in enumerate(corners):
        for other in corners[number + 1 :]:
            assert abs(one.x - other.x) >= 216 + 24 or abs(one.y - other.y) >= 96 + 24


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_that_speaks_has_cues_and_every_tool_has_examples(name: str) -> None:
    definition = sample(name)
    for agent in definition.agents:
        assert agent.instructions
        assert agent.cues or agent.id == definition.supervisor_id
    used = {tool for agent in definition.agents for tool in agent.tools}
    assert used == set(definition.tools_by_name)
    assert all(tool.examples and tool.description for tool in definition.tools)


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        (
            "support",
            {
                "intake": ["handling"],
                "handling": ["review"],
                "review": ["resolution", "handling"],
            },
        ),
        (
            "coding",
            {"analysis": ["coding"], "coding": ["review"], "review": ["report", "coding"]},
        ),
    ],
)
def test_the_small_samples_are_the_pipelines_of_the_seeds(
    name: str, ways: dict[str, list[str]]
) -> None:
    """O-11."""
    definition = sample(name)
    found = {
        phase: [way.target for way in leading]
        for phase, leading in definition.transitions_from.items()
    }
    assert found == ways
    assert definition.supervisor_id == "agent-supervisor"


async def test_support_goes_through_all_four_agents_and_back_from_review_once() -> None:
    rehearsal = Rehearsal("support")
    runs = await rehearsal.say_all(
        [
            "Hello!",
            "I was charged twice for order A-1043.",
            "Yes, please refund the second payment.",
            "I paid with the card ending in 4242.",
            "No, that is all. Thank you!",
        ]
    )
    triage, handler = ("agent-triage", "intake"), ("agent-handler", "handling")
    reviewer, resolver = ("agent-reviewer", "review"), ("agent-resolver", "resolution")
    assert [run.said for run in runs] == [
        [triage],
        [triage, handler],
        [handler, reviewer, handler],
        [handler, reviewer, resolver],
        [resolver],
    ]
    assert [run.handoffs for run in runs] == [
        [],
        ["intake > handling"],
        ["handling > review", "review > handling"],
        ["handling > review", "review > resolution"],
        [],
    ]
    assert_smooth(runs)
    assert "two payments of €49.00" in runs[1].texts[-1]
    assert "to the card it came from" in runs[3].texts[1]
    assert "reference R-2217" in runs[3].texts[-1]
    assert rehearsal.session.state.phase == "resolution"


async def test_support_asks_for_the_order_where_it_was_not_named() -> None:
    rehearsal = Rehearsal("support")
    runs = await rehearsal.say_all(["My lamp arrived broken, I want my money back", "It is A-1043"])
    assert_smooth(runs)
    assert "number of your order" in runs[0].texts[-1]
    assert runs[1].said == [("agent-handler", "handling")]


async def test_support_fetches_a_person_for_whoever_asks_for_one() -> None:
    """O-9."""
    rehearsal = Rehearsal("support")
    run = await rehearsal.say("Can I talk to a person?")
    assert run.end is e.StopReason.WAITING_FOR_HUMAN
    assert rehearsal.session.state.with_human


async def test_coding_goes_through_all_four_agents_and_back_from_review_once() -> None:
    rehearsal = Rehearsal("coding")
    runs = await rehearsal.say_all(
        [
            "Hello",
            "I need a function that tells leap years from others.",
            "Gregorian only, and a year before 1 is an error.",
            "Yes, send it to review again.",
            "Great, thank you!",
        ]
    )
    analyst, coder = ("agent-discuss", "analysis"), ("agent-coder", "coding")
    reviewer, writer = ("agent-reviewer", "review"), ("agent-writer", "report")
    assert [run.said for run in runs] == [
        [analyst],
        [analyst],
        [analyst, coder, reviewer, coder],
        [coder, reviewer, writer],
        [writer],
    ]
    assert [run.handoffs for run in runs] == [
        [],
        [],
        ["analysis > coding", "coding > review", "review > coding"],
        ["coding > review", "review > report"],
        [],
    ]
    assert_smooth(runs)
    assert "Three tests pass" in runs[2].texts[1]
    assert "Five tests pass: 2023, 2024, 1900, 0 and -4." in runs[2].texts[3]
    assert "The linter finds nothing." in runs[3].texts[1]
    assert rehearsal.session.state.phase == "report"


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
        ("Hello", "web", "outage", "intent-technical", "agent-technical", "technical"),
        ("hello", "sms", "technical", "intent-technical", "agent-technical", "technical"),
        ("My LAWYER will write.", "web", None, "legal-threat", "agent-duty", "complaints"),
        ("See you in court!", "sms", "billing", "legal-threat", "agent-duty", "complaints"),
    ],
)
async def test_the_desk_routes_by_channel_intent_and_condition(
    text: str, channel: str, intent: str | None, rule: str, agent: str, phase: str
) -> None:
    """O-3, O-4."""
    run = await Rehearsal("support-desk").say(text, channel=channel, intent=intent)
    assert (run.routed.by, run.routed.rule_id) == ("rule", rule)
    assert run.said == [(agent, phase)]
    assert_smooth([run])


async def test_the_desk_leaves_what_no_rule_is_for_to_the_front_desk() -> None:
    """O-3."""
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


async def test_the_desk_hands_what_no_agent_can_mend_to_a_person() -> None:
    """O-9."""
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
    """O-7, O-9."""
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
    """O-5."""
    rehearsal = Rehearsal("support-desk")
    runs = await rehearsal.say_all(["Hello", "Where is my parcel?", "Thanks"])
    assert {run.routed.observers for run in runs} == {("agent-supervisor",)}


def assert_smooth(runs: Sequence[Run]) -> None:
    """Every run ended with an answer; nothing was refused and no tool failed."""
    for run in runs:
        assert (run.rejected, run.errors) == ([], [])
        assert run.end is e.StopReason.REPLIED
        assert "{result}" not in "".join(run.texts)

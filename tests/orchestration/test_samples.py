"""The sample pipelines: sound, and the small ones rehearsed by the scripted provider."""

from __future__ import annotations

import pytest

from orchestration import events as e
from orchestration.validation import validate
from tests.orchestration.rehearsals import SAMPLES, Rehearsal, assert_smooth, sample

NAMES = {
    "coding": "Coding",
    "support": "Customer support",
    "support-desk": "Support desk",
}


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

"""The sample pipelines: sound, and the small ones rehearsed by the scripted provider."""

from __future__ import annotations

import pytest

from designer.pipelines.sample_pipelines import ORDER
from orchestration import events as e
from orchestration.control import GoOn
from orchestration.validation import validate
from tests.orchestration.sample_rehearsals import SAMPLES, Rehearsal, assert_smooth, sample

NAMES = {
    "bike-shop": "Bike shop",
    "city-guide": "City guide",
    "coding": "Coding",
    "support": "Customer support",
    "support-desk": "Support desk",
    "weekend-trip": "Weekend trip",
}


@pytest.mark.parametrize(("name", "title"), NAMES.items())
def test_a_sample_has_neither_errors_nor_warnings(name: str, title: str) -> None:
    definition = sample(name)
    assert definition.name == title
    assert validate(definition) == ()


def test_these_are_all_the_samples() -> None:
    assert sorted(path.stem for path in SAMPLES.iterdir()) == sorted(NAMES) == sorted(ORDER)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_equal_to_its_own_export(name: str) -> None:
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
    assert all(tool.description for tool in definition.tools)
    assert all(tool.examples for tool in definition.tools if tool.kind == "function")


@pytest.mark.parametrize("name", NAMES)
def test_cues_give_a_value_to_each_required_field_of_a_typed_handoff(name: str) -> None:
    definition = sample(name)
    for stage in definition.stages:
        for transition in definition.transitions_from.get(stage.phase, ()):
            fields = set((transition.input_schema or {}).get("required", ()))
            target = definition.stages_by_phase[transition.target]
            cues = [
                cue.hand_over
                for agent_id in stage.agent_ids
                for cue in definition.agents_by_id[agent_id].cues
                if cue.hand_over and cue.hand_over.target in (target.agent_id, target.phase)
            ]
            for handoff in cues:
                assert fields <= {*handoff.arguments, "reason", "summary"}


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("bike-shop", ["Do you have a child seat?", "Thanks"]),
        ("bike-shop", ["The gears slip", "Thank you"]),
        ("bike-shop", ["The gears slip", "Yes, and send me the bill", "No, that is all"]),
        ("city-guide", ["Write a guide to Prague."]),
        ("city-guide", ["Write a guide to Atlantis."]),
        (
            "coding",
            ["I need a function that tells leap years from others.", "Go ahead", "Good", "Great!"],
        ),
        (
            "support",
            [
                "I was charged twice for order A-1043.",
                "Yes",
                "The card ends in 4242",
                "No, perfect",
            ],
        ),
        (
            "support-desk",
            ["My internet is slow.", "Yes", "It works", "No, nothing", "5"],
        ),
        ("weekend-trip", ["How will the weather be?", "No, thanks"]),
    ],
)
async def test_the_last_agent_of_a_sample_says_goodbye(name: str, messages: list[str]) -> None:
    runs = await Rehearsal(name).say_all(messages)
    assert_smooth(runs)
    assert "goodbye" in runs[-1].texts[-1].casefold()


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
            {
                "analysis": ["coding"],
                "coding": ["checks"],
                "checks": ["review"],
                "review": ["report", "coding"],
            },
        ),
    ],
)
def test_the_small_samples_are_the_pipelines_of_the_seeds(
    name: str, ways: dict[str, list[str]]
) -> None:
    """Contract O-11, with a group that checks code before its review."""
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


async def test_support_asks_for_a_missing_order_number() -> None:
    rehearsal = Rehearsal("support")
    runs = await rehearsal.say_all(["My lamp arrived broken, I want my money back", "It is A-1043"])
    assert_smooth(runs)
    assert "number of your order" in runs[0].texts[-1]
    assert runs[1].said == [("agent-handler", "handling")]


async def test_support_hands_over_to_a_person_on_request() -> None:
    """Contract O-9."""
    rehearsal = Rehearsal("support")
    run = await rehearsal.say("Can I talk to a person?")
    assert run.end is e.StopReason.WAITING_FOR_HUMAN
    assert rehearsal.session.state.with_human


async def test_coding_is_checked_by_three_at_once_and_goes_back_from_review_once() -> None:
    """Contract H-9."""
    rehearsal = Rehearsal("coding")
    runs = await rehearsal.say_all(
        [
            "Hello",
            "I need a function that tells leap years from others.",
            "Gregorian only, and a year before 1 is an error.",
            "Yes, have it checked again.",
            "Great, thank you!",
        ]
    )
    analyst, coder = ("agent-discuss", "analysis"), ("agent-coder", "coding")
    reviewer, writer = ("agent-reviewer", "review"), ("agent-writer", "report")
    checks = {("agent-tester", "checks"), ("agent-style", "checks"), ("agent-input", "checks")}
    without_checks = [[one for one in run.said if one not in checks] for run in runs]
    assert without_checks == [
        [analyst],
        [analyst],
        [analyst, coder, reviewer, coder],
        [coder, reviewer, writer],
        [writer],
    ]
    assert [set(run.said) >= checks for run in runs] == [False, False, True, True, False]
    assert [run.handoffs for run in runs] == [
        [],
        [],
        ["analysis > coding", "coding > checks", "review > coding"],
        ["coding > checks", "review > report"],
        [],
    ]
    assert_smooth(runs)
    assert "Three tests pass" in runs[2].texts[1]
    assert "A year before 1 goes through" in "".join(runs[2].texts[2:5])
    assert "Five tests pass: 2023, 2024, 1900, 0 and -4." in runs[2].texts[-1]
    assert "Years before 1 are refused now" in "".join(runs[3].texts[1:4])
    assert rehearsal.session.state.phase == "report"


async def test_the_supervisor_of_coding_pauses_the_third_review_round() -> None:
    """Contract O-5."""
    rehearsal = Rehearsal("coding")
    await rehearsal.say_all(
        [
            "I need a function that tells leap years from others",
            "Only Gregorian, and an error please",
            "Yes, and refuse years after 9999 too",
        ]
    )
    run = await rehearsal.say("Yes, once more please")
    paused = rehearsal.session.paused
    assert paused is not None
    assert (run.end, run.handoffs) == ("run.paused", ["coding > checks"])
    assert (paused.by, paused.ahead, paused.target) == ("Supervisor", "turn", "checks")
    assert "third round" in paused.reason
    list(rehearsal.session.steer(GoOn(id="continue", by="Ada")))
    rest = [event async for event in rehearsal.session.resume()]
    assert [event for event in rest if isinstance(event, e.RunPaused)] == []
    assert rehearsal.session.state.phase == "report"
    assert "third version was approved" in rehearsal.session.conversation.output


async def test_each_step_of_the_city_guide_uses_the_previous_output() -> None:
    """Contract H-3."""
    rehearsal = Rehearsal("city-guide")
    runs = await rehearsal.say_all(["A guide to Prague", "A guide to Lisbon", "And Atlantis?"])
    steps = [("agent-researcher", "research"), ("agent-writer", "writing")]
    assert [run.said for run in runs] == [[*steps, ("agent-editor", "editing")]] * 3
    assert_smooth(runs)
    assert [run.texts[-1][:17] for run in runs[:2]] == ["Prague in a day. ", "Lisbon in a day. "]
    assert len(runs[0].texts[2]) < len(runs[0].texts[1])
    assert runs[2].texts[-1] == "I have no guide to this city. I know Lisbon and Prague. Goodbye!"


async def test_the_lead_of_the_weekend_asks_delegates_and_runs_a_subtask() -> None:
    """Contract H-5, T-9, T-10."""
    rehearsal = Rehearsal("weekend-trip")
    asked = await rehearsal.say("Plan a weekend in Lisbon")
    assert asked.end is e.StopReason.WAITING_FOR_USER
    assert rehearsal.session.open_question is not None
    runs = await rehearsal.say_all(
        ["Two of us, from Hamburg.", "Yes, please do", "Will it rain?", "What is there to see?"]
    )
    assert_smooth(runs)
    assert all(run.said == [("agent-planner", "planning")] for run in runs)
    assert runs[0].texts[0].startswith("“Two of us, from Hamburg.”: noted")
    assert [set(run.worked) for run in runs] == [
        set(),
        {"agent-flights", "agent-rooms"},
        {"agent-weather"},
        {"agent-researcher", "agent-writer", "agent-editor"},
    ]
    assert "Dry, 23 degrees" in runs[2].texts[0]
    assert runs[3].texts[0].startswith("I had a page written for you.\n\nLisbon in a day. Morning")


async def test_a_repair_passes_from_peer_to_peer_with_its_payload() -> None:
    """Contract S-2, S-3."""
    rehearsal = Rehearsal("bike-shop")
    runs = await rehearsal.say_all(
        [
            "My gears slip and I need the bike by Friday",
            "Yes, and send me the bill",
            "Do you have a child seat?",
        ]
    )
    assert_smooth(runs)
    assert [run.handoffs for run in runs] == [
        ["sales > workshop"],
        ["workshop > accounts"],
        ["accounts > sales"],
    ]
    gears = "The gears slip; the bike is needed by Friday."
    work = "New cables and an adjustment on Thursday at 8."
    assert [run.told for run in runs] == [
        [{"bike": "Touring 7", "urgent": True, "summary": gears}],
        [{"job": "W-212", "amount": 84.5, "summary": work}],
        [None],
    ]


async def test_peers_that_only_hand_over_to_each_other_are_stopped() -> None:
    """Contract S-5."""
    run = await Rehearsal("bike-shop").say("Who pays for the broken wheel?")
    assert run.end is e.StopReason.CYCLE
    assert run.handoffs == ["sales > accounts", "accounts > sales"]
    [why] = run.rejected
    assert why.startswith("The handoffs form a cycle: agent-sales → agent-accounts")

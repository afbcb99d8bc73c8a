"""Each topology, rehearsed in a browser: speakers, lit parts and events."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import (
    SLOWEST,
    assert_complete,
    converse,
    open_rehearsal,
    say,
    wait_for_the_end,
    wait_for_the_middle_of_an_answer,
)
from tests.e2e.waits import highest_count
from tests.e2e.walkthrough import edge, label, stage
from tests.serving import BatonServer

pytestmark = pytest.mark.browser

THIRD = "#chat-log :nth-child(3 of .voice) .turn"
"""Selector of the answer of a group's third member."""


@pytest.fixture
def environment() -> dict[str, str]:
    """Environment of a server: agents speak at their usual pace, which can be watched."""
    return {}


@pytest.fixture
def server(visit: Callable[..., BatonServer], environment: dict[str, str]) -> BatonServer:
    """Such a server, with the samples."""
    return visit(samples=True, environment=environment)


# The pipelines


def open_pipeline(
    page: Page,
    name: str,
    stages: Mapping[str, str],
    *transitions: Mapping[str, object],
    topology: str = "pipeline",
    group: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Import a pipeline and open its rehearsal.

    Each stage has an agent, given by its name; those in `group` have more agents.
    """
    groups = group or {}
    members = [agent for agents in groups.values() for agent in agents]
    definition = {
        "format": "baton.pipeline",
        "version": 1,
        "name": name,
        "topology": topology,
        "agents": [{"id": agent.lower(), "name": agent} for agent in [*stages.values(), *members]],
        "stages": [
            {"phase": phase, "kind": "group", "group": {"agents": ids(agent, *groups[phase])}}
            if phase in groups
            else {"phase": phase, "agent_id": agent.lower()}
            for phase, agent in stages.items()
        ],
        "transitions": transitions,
        "entry": next(iter(stages)),
    }
    page.goto(bring_in(page, definition) + "rehearse/")
    expect(page.locator("#composer")).to_be_visible()
    page.wait_for_load_state("load")


def ids(*agents: str) -> list[str]:
    return [agent.lower() for agent in agents]


def transition(source: str, target: str, **more: object) -> dict[str, object]:
    return {"source": source, "target": target, **more}


# The page


def speakers(page: Page) -> list[str]:
    """Return the speakers in the chat, in order."""
    names = page.locator("#chat-log .speaker:visible b")
    return names.all_inner_texts()


def answers(page: Page) -> Locator:
    return page.locator("#chat-log .turn:not([data-silent])")


def traced(page: Page, kind: str) -> Locator:
    return page.locator(f"#trace .event[data-type='{kind}']")


def end_of_the_run(page: Page) -> Locator:
    return page.locator("#trace .event[data-type^='run.']:not([data-depth])").last


# The topologies


def test_a_drawn_pipeline_hands_over_with_its_payload(page: Page) -> None:
    """Contract S-3."""
    invoice = {
        "type": "object",
        "properties": {"invoice": {"type": "string"}},
        "required": ["invoice"],
    }
    open_pipeline(
        page,
        "Counter",
        {"intake": "Triage", "billing": "Billing"},
        transition("intake", "billing", input_schema=invoice),
    )
    converse(page, "A question about billing, please")

    assert speakers(page) == ["Billing"]
    line = page.locator("#chat-log .handoff")
    expect(line.locator("b")).to_have_text("Triage → Billing")
    expect(line.locator(".handoff__payload")).to_have_text(
        "invoice A question about billing, please"
    )
    expect(stage(page, "billing")).to_have_attribute("data-live", "")
    expect(edge(page, "intake", "billing")).to_have_attribute("data-traversed", "1")
    expect(end_of_the_run(page)).to_contain_text("replied")
    assert_complete(page)
    accepted = traced(page, "handoff.accepted")
    accepted.locator("summary").click()
    expect(accepted.locator(".event__fields dt")).to_have_text("invoice")


@pytest.mark.long
def test_in_a_workflow_each_stage_s_answer_is_the_next_one_s_input(page: Page) -> None:
    """Contract H-3."""
    open_pipeline(
        page,
        "Article",
        {"research": "Researcher", "writing": "Writer", "editing": "Editor"},
        transition("research", "writing"),
        transition("writing", "editing"),
        topology="workflow",
    )
    converse(page, "Tell me about the tides")

    assert speakers(page) == ["Researcher", "Writer", "Editor"]
    expect(answers(page)).to_have_count(3)
    expect(answers(page).nth(1)).to_contain_text("You wrote “Tell me about the tides”.")
    steps = page.locator("#chat-log .handoff--onward b")
    assert steps.all_inner_texts() == ["Researcher → Writer", "Writer → Editor"]
    for source, target in (("research", "writing"), ("writing", "editing")):
        expect(label(page, source, target)).to_have_text("1 step")
    expect(stage(page, "editing")).to_have_attribute("data-live", "")
    expect(end_of_the_run(page)).to_contain_text("replied")
    assert_complete(page)

    converse(page, "And about the moon")
    assert speakers(page) == ["Researcher", "Writer", "Editor"] * 2
    expect(label(page, "writing", "editing")).to_have_text("2 steps")
    assert_complete(page)


@pytest.mark.long
def test_in_a_team_the_lead_delegates_and_alone_speaks_to_the_user(page: Page) -> None:
    """Contract H-5."""
    open_pipeline(
        page,
        "Trip",
        {"planning": "Planner", "flights": "Flights", "rooms": "Rooms"},
        transition("planning", "flights"),
        transition("planning", "rooms", kind="return"),
        topology="team",
    )
    converse(page, "Good morning")  # and the conversation has a page of its own
    working = highest_count(page, "#stage-flights[data-working]")
    live = highest_count(page, "#stage-planning[data-live]")
    converse(page, "Which flights are there?")
    assert (working(), live()) == (1, 1)

    assert speakers(page) == ["Planner", "Planner"]
    expect(answers(page)).to_have_count(2)
    task = page.locator("#chat-log .task summary")
    expect(task).to_contain_text("Flights")
    expect(task).to_contain_text("done")
    expect(stage(page, "flights")).not_to_have_attribute("data-working", "")
    expect(label(page, "planning", "flights")).to_have_text("1 delegation")
    expect(edge(page, "planning", "rooms")).not_to_have_attribute("data-traversed", "1")
    inside = page.locator("#trace .event[data-depth='1']")
    expect(inside.filter(has_text="calls its model")).to_contain_text("Flights")
    expect(end_of_the_run(page)).to_contain_text("replied")
    assert_complete(page)


@pytest.mark.long
def test_in_a_swarm_peers_hand_over_to_each_other(page: Page) -> None:
    """Contract S-2."""
    open_pipeline(
        page,
        "Shop",
        {"sales": "Sales", "workshop": "Workshop"},
        transition("sales", "workshop"),
        transition("workshop", "sales", kind="return"),
        topology="swarm",
    )
    converse(page, "Is there a place in the workshop?", "What is on sale, dear sales?")

    handoffs = page.locator("#chat-log .handoff b")
    assert handoffs.all_inner_texts() == ["Sales → Workshop", "Workshop → Sales"]
    assert speakers(page) == ["Workshop", "Sales"]
    expect(stage(page, "sales")).to_have_attribute("data-live", "")
    expect(label(page, "workshop", "sales")).to_have_text("1 handoff")
    expect(end_of_the_run(page)).to_contain_text("replied")
    assert_complete(page)


@pytest.mark.parametrize("environment", [SLOWEST])  # their page is there before they are done
@pytest.mark.long
def test_the_members_of_a_group_answer_together_and_the_next_stage_goes_on(page: Page) -> None:
    """Contract H-9."""
    open_pipeline(
        page,
        "Panel",
        {"panel": "Optimist", "verdict": "Judge"},
        transition("panel", "verdict"),
        group={"panel": ["Pessimist", "Realist"]},
    )
    question = "Shall we sail tomorrow, or wait until the wind has turned on Sunday?"
    say(page, question)
    expect(page.locator("#chat-log .voice .turn[data-streaming]")).to_have_count(3)
    expect(stage(page, "panel")).to_have_attribute("data-live", "")
    expect(stage(page, "panel").locator(".avatar[data-working]")).to_have_count(3)
    wait_for_the_end(page)

    assert speakers(page) == ["Optimist", "Pessimist", "Realist", "Judge"]
    for number, name in enumerate(["Optimist", "Pessimist", "Realist"]):
        voice = page.locator("#chat-log .voice").nth(number)
        expect(voice).to_contain_text(f"{name} here. You wrote “{question}”")
    expect(stage(page, "panel").locator(".avatar[data-working]")).to_have_count(0)
    expect(stage(page, "verdict")).to_have_attribute("data-live", "")
    expect(label(page, "panel", "verdict")).to_have_text("1 step")
    expect(traced(page, "subtask.completed")).to_have_count(3)
    expect(end_of_the_run(page)).to_contain_text("replied")
    assert_complete(page)


# Questions, subtasks and groups in the samples


@pytest.mark.long
def test_a_question_waits_for_the_next_message_and_the_agent_goes_on(page: Page) -> None:
    """Contract T-10."""
    open_rehearsal(page, "Weekend trip")
    converse(page, "Plan a weekend in Lisbon")
    asked = page.locator("#composer-asked")
    expect(asked).to_contain_text("Planner waits for your answer: How many are you")
    expect(page.locator("#chat-log .turn--question")).to_contain_text("How many are you")
    expect(page.locator("#chat-log .remark")).to_have_text("Waiting for your next message")
    page.reload()
    expect(asked).to_contain_text("Planner waits for your answer")

    converse(page, "Two of us, from Hamburg.")
    expect(asked).to_be_empty()
    expect(answers(page).last).to_contain_text("“Two of us, from Hamburg.”: noted")
    assert_complete(page)


@pytest.mark.long
def test_another_pipeline_does_a_subtask_and_its_stages_are_not_lit_here(page: Page) -> None:
    """Contract T-9."""
    open_rehearsal(page, "Weekend trip")
    converse(page, "What is there to see?")
    expect(page.locator("#chat-log .task summary")).to_contain_text("City guide")
    expect(answers(page)).to_have_count(1)
    expect(answers(page)).to_contain_text("I had a page written for you.")
    expect(page.locator(".stage[data-seen]")).to_have_count(0)
    rows = page.locator("#trace .event[data-depth='1']")
    expect(rows.filter(has_text="calls its model")).to_have_count(4)
    expect(rows.first).to_contain_text("in City guide")
    assert_complete(page)


def test_handoffs_in_a_circle_end_visibly(page: Page) -> None:
    """Contract S-5."""
    open_rehearsal(page, "Bike shop")
    converse(page, "Who pays for the broken wheel?")
    expect(page.locator("#chat-log .remark")).to_have_text("Stopped: the handoffs form a cycle")
    expect(page.locator("#chat-log .handoff--refused b")).to_have_text("Sales ↛ Accounts")
    expect(traced(page, "cycle.detected")).to_contain_text("Sales → Accounts → Sales")
    expect(end_of_the_run(page)).to_contain_text("cycle")
    assert_complete(page)
    converse(page, "Do you have a child seat?")
    expect(answers(page).last).to_contain_text("A child seat")


@pytest.mark.long
def test_all_of_a_group_speak_and_the_reviewer_sends_it_back(page: Page) -> None:
    open_rehearsal(page, "Coding")
    converse(page, "Gregorian only")
    assert speakers(page)[-6:] == ["Coder", "Tests", "Style", "Input", "Reviewer", "Coder"]
    assert_complete(page)


@pytest.mark.parametrize("environment", [SLOWEST])
@pytest.mark.long
def test_a_reload_while_all_of_a_group_speak_shows_each_and_stopped_each_keeps_it(
    page: Page,
) -> None:
    open_rehearsal(page, "Coding")
    say(page, "Gregorian only")
    wait_for_the_middle_of_an_answer(page, THIRD)
    page.reload(wait_until="commit")
    expect(page.locator(f"{THIRD}[data-streaming]")).to_contain_text("A year")
    page.get_by_role("button", name="Stop").click()
    wait_for_the_end(page)
    assert speakers(page)[-4:] == ["Coder", "Tests", "Style", "Input"]
    expect(page.locator(THIRD)).to_contain_text(re.compile(r"A year .*cut off"))
    expect(page.locator("#chat-log .remark").last).to_have_text(re.compile(r"^Stopped by ada"))
    expect(page.locator(".avatar[data-working]")).to_have_count(0)
    assert_complete(page)


def test_a_pipeline_whose_subtask_has_none_is_not_rehearsed_and_says_why(page: Page) -> None:
    page.goto("/")
    card = page.locator(".card", has=page.get_by_role("link", name="City guide", exact=True))
    card.locator("summary", has_text="More").click()
    card.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("link", name="City guide", exact=True)).to_have_count(0)
    page.get_by_role("link", name="Weekend trip", exact=True).click()
    page.get_by_role("link", name="Rehearse").click()
    sentence = "The tool 'write_guide' runs the pipeline 'City guide', but you have none of that"
    why = page.get_by_role("link", name=sentence)
    expect(why).to_be_visible()
    why.click()
    expect(page.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("write_guide")


@pytest.mark.long
def test_axe_finds_nothing_where_members_helpers_and_questions_are_shown(page: Page) -> None:
    open_rehearsal(page, "Weekend trip")
    converse(page, "What is there to see?", "Plan a weekend in Lisbon")
    page.locator("#chat-log .task summary").click()
    page.locator("#trace .event[data-depth] summary").first.click()
    expect(page.locator("#trace .event__body pre").first).to_be_visible()
    assert in_both_themes(page) == []
    open_rehearsal(page, "Bike shop")
    converse(page, "My gears slip")
    traced(page, "handoff.accepted").locator("summary").click()
    expect(page.locator("#trace .event__fields")).to_be_visible()
    assert in_both_themes(page) == []


@pytest.mark.parametrize("environment", [SLOWEST])
@pytest.mark.long
def test_axe_finds_nothing_while_all_of_a_group_speak(page: Page) -> None:
    open_rehearsal(page, "Coding")
    say(page, "Gregorian only")
    wait_for_the_middle_of_an_answer(page, THIRD)
    assert in_both_themes(page) == []


@pytest.mark.long
def test_on_a_phone_the_answers_of_several_members_fit_the_screen(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    open_rehearsal(page, "Weekend trip")
    converse(page, "Yes, please do")
    expect(page.locator("#chat-log .task summary")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("navigation", name="Panels").get_by_role("button", name="Supervisor").click()
    expect(page.locator("#trace .event[data-depth='2']").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") == 390

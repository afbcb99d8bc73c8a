"""Shared parts of the tests of the whole path: pipeline, dialogue, and mouse or keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from orchestration.definition import Agent, PipelineDefinition, Stage, Transition
from tests.e2e.boxes import middle_of
from tests.e2e.rehearsing import wait_for_the_middle_of_an_answer

STAGES = {
    "intake": ("Triage", "You find out what the customer needs."),
    "handling": ("Handler", "You work on the customer's request."),
    "review": ("Reviewer", "You check the work before the customer hears of it."),
    "resolution": ("Resolver", "You tell the customer the outcome and say goodbye."),
}
WAYS: set[tuple[str, str, Literal["next", "return"]]] = {
    ("intake", "handling", "next"),
    ("handling", "review", "next"),
    ("review", "handling", "return"),
    ("review", "resolution", "next"),
}
# Message of the customer, the resulting handoff, and its target stage.
DIALOGUE = [
    ("Hello, can the handler look at my invoice?", "Triage → Handler", "handling"),
    ("Please let the reviewer check that.", "Handler → Reviewer", "review"),
    ("Send it back to the handler, the date is missing.", "Reviewer → Handler", "handling"),
    ("Now the reviewer again, please.", "Handler → Reviewer", "review"),
    ("Then the resolver may tell me the outcome.", "Reviewer → Resolver", "resolution"),
]
RELOADED = 3  # in the middle of the answer to this message the page is loaded anew

DRAWN = PipelineDefinition(
    name="Customer support",
    agents=tuple(
        Agent(id=f"agent-{name.lower()}", name=name, instructions=prompt)
        for name, prompt in STAGES.values()
    ),
    stages=tuple(
        Stage(phase=phase, agent_id=f"agent-{name.lower()}") for phase, (name, _) in STAGES.items()
    ),
    transitions=tuple(
        Transition(source=source, target=target, kind=kind) for source, target, kind in WAYS
    ),
    entry="intake",
)


# Hands

# Scripts that report whether an element comes before the focus, and whether it has the focus.
IS_BEHIND = "element => !!(element.compareDocumentPosition(document.activeElement) & 4)"
HAS_FOCUS = "element => (element.isConnected ? element === document.activeElement : null)"


class Mouse:
    """Points and clicks; the keyboard writes text and nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, element: Locator) -> None:
        element.click()

    def write(self, field: Locator, text: str) -> None:
        """Replace the text of the field, and save."""
        field.click(click_count=3)
        self.page.keyboard.type(text)
        self.page.locator("#save-status").click()

    def choose(self, picker: Locator, label: str) -> None:
        picker.select_option(label=label)

    def say(self, text: str) -> None:
        self.page.get_by_label("Message as the customer").click()
        self.page.keyboard.type(text)
        self.page.get_by_role("button", name="Send").click()


class Keyboard:
    """Uses no mouse: Tab moves the focus, Enter presses."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def reach(self, element: Locator) -> None:
        """Press Tab, or Shift+Tab if that is nearer, until the element has the focus."""
        expect(element).to_be_visible()
        key = "Shift+Tab" if element.evaluate(IS_BEHIND) else "Tab"
        handle = element.element_handle()
        for _ in range(300):
            there = handle.evaluate(HAS_FOCUS)
            if there:
                return
            if there is None:  # drawn anew meanwhile
                handle = element.element_handle()
            else:
                self.page.keyboard.press(key)
        pytest.fail(f"Tab never reaches {element}")

    def press(self, element: Locator) -> None:
        self.reach(element)
        self.page.keyboard.press("Enter")

    def write(self, field: Locator, text: str) -> None:
        """Replace the text of the field, and save by leaving it."""
        self.reach(field)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")

    def choose(self, picker: Locator, label: str) -> None:
        self.reach(picker)
        self.page.keyboard.type(label)
        self.page.keyboard.press("Tab")

    def say(self, text: str) -> None:
        self.reach(self.page.get_by_label("Message as the customer"))
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")


Hands = Mouse | Keyboard


# Drawing


def stage(page: Page, phase: str) -> Locator:
    return page.locator(f"#stage-{phase}")


def edge(page: Page, source: str, target: str) -> Locator:
    return page.locator(f"#edge-{source}--{target}")


def label(page: Page, source: str, target: str) -> Locator:
    """Return the label of an edge, in the layer over all lines."""
    return page.locator(f'.label[data-edge="edge-{source}--{target}"]')


def port(page: Page, phase: str) -> tuple[float, float]:
    stage(page, phase).hover()
    return centre(stage(page, phase).locator(".port"))


def centre(element: Locator) -> tuple[float, float]:
    return middle_of(element)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 12, start[1] + 6, steps=3)
    page.mouse.move(*end, steps=8)
    page.mouse.up()


def describe_stage(hands: Hands, new: str, phase: str) -> None:
    """Name the stage that was just added, and its new agent as in `STAGES`."""
    name_stage(hands, new, phase, STAGES[phase][0])


def name_stage(hands: Hands, new: str, phase: str, agent: str) -> None:
    """Name the stage that was just added, and a new agent that serves it."""
    page, field = hands.page, hands.page.get_by_label("Stage name")
    expect(field).to_have_value(new)
    expect(page.locator("#problems .issue").first).to_be_visible()
    hands.write(field, phase)
    expect(stage(page, phase)).to_be_visible()
    name_agent(hands, agent)
    expect(stage(page, phase).get_by_text(agent, exact=True)).to_be_visible()


def name_agent(hands: Hands, agent: str) -> None:
    """Let a new agent serve the stage that is shown."""
    page = hands.page
    name = page.get_by_label("Name of the new agent")
    expect(name).to_be_hidden()
    # Keys cannot type “…”: it would go into the last edited field.
    label = "New agent" if isinstance(hands, Keyboard) else "New agent…"
    hands.choose(page.locator("#inspector").get_by_label("Agent", exact=True), label)
    hands.write(name, agent)


def add_supervisor(hands: Hands) -> None:
    """Create an agent without a stage; the caller makes it the supervisor."""
    hands.press(hands.page.get_by_role("button", name="New agent"))
    name = hands.page.locator("#inspector").get_by_label("Name", exact=True)
    hands.write(name, "Supervisor")
    expect(hands.page.locator("#agents").get_by_text("Supervisor")).to_be_visible()


def write_prompts(hands: Hands, named: Callable[[Page, str], Locator] = stage) -> None:
    """Select each stage in turn by its `named` element, and write its agent's instructions."""
    page = hands.page
    for phase, (agent, prompt) in STAGES.items():
        hands.press(named(page, phase))
        # Text typed before the inspector shows the stage would change the previous stage.
        expect(page.get_by_role("navigation", name=f"Stage {phase}")).to_be_visible()
        tab = page.locator("#inspector").get_by_role("link", name="Agent", exact=True)
        if not tab.get_attribute("aria-current"):
            hands.press(tab)
        name = page.locator("#inspector").get_by_label("Name", exact=True)
        expect(name).to_have_value(agent)
        hands.write(page.get_by_label("Instructions"), prompt)
        expect(page.locator("#save-state")).to_have_text("Saved")


# Rehearsing


def rehearse(hands: Hands) -> None:
    """Talk to all four agents, back from review to handling once, and reload in mid-answer."""
    page = hands.page
    log, trace = page.locator("#chat-log"), page.locator("#trace")
    for count in range(1, len(DIALOGUE) + 1):
        say_and_watch(hands, count)
    expect(log.locator(".said-by-user p")).to_have_text([text for text, *_ in DIALOGUE])
    expect(log.locator(".handoff b")).to_have_text([handoff for _, handoff, _ in DIALOGUE])
    answers = trace.locator("[data-type='message.completed']:not([data-depth])").count()
    expect(log.locator(".turn")).to_have_count(answers)
    for source, target, _ in WAYS:
        twice = "2" if source == "handling" else "1"
        expect(edge(page, source, target)).to_have_attribute("data-traversed", twice)
    ids = trace.locator(".event").evaluate_all("rows => rows.map(row => row.id)")
    assert [int(one.rpartition("-")[2]) for one in ids] == list(range(1, len(ids) + 1))


def say_and_watch(hands: Hands, count: int) -> None:
    """Send the message with this number of the dialogue, and wait for the answer.

    Its handoff is checked in the chat, on the canvas and in the supervisor pane.
    """
    page = hands.page
    log, trace = page.locator("#chat-log"), page.locator("#trace")
    text, handoff, phase = DIALOGUE[count - 1]
    hands.say(text)
    if count == RELOADED:
        wait_for_the_middle_of_an_answer(page)
        page.reload()
    expect(log.locator(".handoff")).to_have_count(count)
    expect(log.locator(".handoff b").last).to_have_text(handoff)
    expect(stage(page, phase)).to_have_attribute("data-live", "")
    expect(page.locator(".stage[data-live]")).to_have_count(1)
    expect(trace.locator("[data-type='handoff.accepted']")).to_have_count(count)
    expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=20_000)
    expect(log.locator(".said-by-user p").last).to_have_text(text)


# Export and import


def export(hands: Hands, path: Path) -> Path:
    """Export the pipeline that is open."""
    hands.press(hands.page.get_by_role("link", name="Export", exact=True))
    dialog = hands.page.get_by_role("dialog")
    with hands.page.expect_download() as waiting:
        hands.press(dialog.get_by_role("link", name="Download"))
    waiting.value.save_as(path)
    hands.press(dialog.get_by_role("button", name="Close"))
    return path


def import_file(hands: Hands, path: Path, *, is_known: bool = False) -> None:
    """Import a file through the dialog that is open; as a new pipeline, if its name is known."""
    dialog = hands.page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(path)
    hands.press(dialog.get_by_role("button", name="Import"))
    if is_known:
        hands.press(hands.page.get_by_role("button", name="New pipeline"))
    expect(hands.page.locator("#canvas")).to_be_visible()

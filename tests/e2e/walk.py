"""What tests of the whole path share: the pipeline, the dialogue, and the hands that do it."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from orchestration.definition import Agent, PipelineDefinition, Stage, Transition

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
# What the customer says, and the handoff that follows from it.
DIALOGUE = [
    ("Hello, can the handler look at my invoice?", "Triage → Handler"),
    ("Please let the reviewer check that.", "Handler → Reviewer"),
    ("Send it back to the handler, the date is missing.", "Reviewer → Handler"),
    ("Now the reviewer again, please.", "Handler → Reviewer"),
    ("Then the resolver may tell me the outcome.", "Reviewer → Resolver"),
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


# Drawing


def stage(page: Page, phase: str) -> Locator:
    return page.locator(f"#stage-{phase}")


def port(page: Page, phase: str) -> tuple[float, float]:
    stage(page, phase).hover()
    return centre(stage(page, phase).locator(".port"))


def centre(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 12, start[1] + 6, steps=3)
    page.mouse.move(*end, steps=8)
    page.mouse.up()


def draw_next(page: Page, *, source: str, new: str, phase: str, to: tuple[float, float]) -> None:
    """Drag from a stage's port to a blank place, and describe the stage that comes of it."""
    box = page.locator("#canvas").bounding_box()
    assert box
    drag(page, port(page, source), (box["x"] + to[0], box["y"] + to[1]))
    expect(page.locator(f"#edge-{source}--{new}")).to_have_attribute("data-kind", "next")
    describe_stage(page, new, phase)
    expect(page.locator(f"#edge-{source}--{phase}")).to_have_attribute("data-kind", "next")


def describe_stage(page: Page, new: str, phase: str) -> None:
    """Name the stage that was just added, and the agent that serves it."""
    field = page.get_by_label("Phase")
    expect(field).to_have_value(new)
    tab_to(page, field)
    retype(page, phase)
    page.keyboard.press("Tab")
    expect(stage(page, phase)).to_be_visible()
    agent = STAGES[phase][0]
    tab_to(page, page.get_by_label("Or a new agent"))
    page.keyboard.type(agent)
    page.keyboard.press("Tab")
    expect(stage(page, phase).get_by_text(agent, exact=True)).to_be_visible()


def write_prompt(
    page: Page, agent: str, prompt: str, *, open_tab: Callable[[Locator], None]
) -> None:
    tab = page.locator("#inspector").get_by_role("link", name="Agent", exact=True)
    if not tab.get_attribute("aria-current"):
        open_tab(tab)
    expect(page.get_by_label("Name", exact=True)).to_have_value(agent)
    field = page.get_by_label("Instructions")
    tab_to(page, field)
    page.keyboard.type(prompt)
    page.keyboard.press("Tab")
    expect(page.locator("#inspector")).to_contain_text("Saved")


# Rehearsing


def rehearse(page: Page, *, send: Callable[[], None]) -> None:
    """Talk to all four agents, back from review to handling once, and reload in mid-answer."""
    log, trace = page.locator("#chat-log"), page.locator("#trace")
    for count, (text, handoff) in enumerate(DIALOGUE, start=1):
        box = page.get_by_label("Message as the customer")
        tab_to(page, box)
        page.keyboard.type(text)
        send()
        expect(log.locator(".handoff")).to_have_count(count)
        expect(log.locator(".handoff b").last).to_have_text(handoff)
        if count == RELOADED:
            expect(log.locator(".turn").last).to_contain_text(" ")
            assert page.get_by_role("button", name="Stop").is_visible(), "no longer in mid-answer"
            page.reload()
        expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=20_000)
        expect(log.locator(".said-by-user p").last).to_have_text(text)
    expect(log.locator(".said-by-user p")).to_have_text([text for text, _ in DIALOGUE])
    expect(log.locator(".handoff b")).to_have_text([handoff for _, handoff in DIALOGUE])
    expect(trace.locator("[data-type='handoff.accepted']")).to_have_count(len(DIALOGUE))
    answers = trace.locator("[data-type='message.completed']").count()
    expect(log.locator(".turn")).to_have_count(answers)
    expect(page.locator("#stage-resolution")).to_have_attribute("data-live", "")
    for source, target, _ in WAYS:
        edge = page.locator(f"#edge-{source}--{target}")
        expect(edge).to_have_attribute("data-traversed", "2" if source == "handling" else "1")
    ids = trace.locator(".event").evaluate_all("rows => rows.map(row => row.id)")
    assert [int(one.rpartition("-")[2]) for one in ids] == list(range(1, len(ids) + 1))


# Export and import


def export(page: Page, path: Path, press_link: Callable[[Locator], None]) -> Path:
    with page.expect_download() as waiting:
        press_link(page.get_by_role("link", name="Export"))
    waiting.value.save_as(path)
    return path


def import_file(page: Page, path: Path, press_button: Callable[[Locator], None]) -> None:
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(path)
    press_button(dialog.get_by_role("button", name="Import"))
    expect(page.locator("#canvas")).to_be_visible()


# The keyboard


def tab_to(page: Page, element: Locator) -> None:
    """Press Tab until the element has the focus."""
    expect(element).to_be_visible()
    for _ in range(300):
        if element.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never reaches {element}")


def press(page: Page, element: Locator) -> None:
    """Go to a button or link by Tab, and press Enter."""
    tab_to(page, element)
    page.keyboard.press("Enter")


def retype(page: Page, text: str) -> None:
    page.keyboard.press("Control+a")
    page.keyboard.type(text)

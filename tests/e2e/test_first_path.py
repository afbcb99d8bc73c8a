"""The whole path, once with the mouse and once without: draw, rehearse, export, import."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download, Locator, Page, expect

from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from orchestration.validation import validate
from tests.serving import BatonServer

pytestmark = pytest.mark.browser

STAGES = {
    "intake": ("Triage", "You find out what the customer needs."),
    "handling": ("Handler", "You work on the customer's request."),
    "review": ("Reviewer", "You check the work before the customer hears of it."),
    "resolution": ("Resolver", "You tell the customer the outcome and say goodbye."),
}
WAYS = {
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


@pytest.fixture
def server(start_server: Any) -> BatonServer:
    """A server whose scripted agents speak slowly enough to reload in the middle of an answer."""
    return start_server(environment={"BATON_TOKENS_PER_SECOND": "25"})


def test_a_pipeline_is_drawn_with_the_mouse_rehearsed_exported_and_imported(
    page: Page, tmp_path: Path
) -> None:
    page.goto("/")
    expect(page.get_by_text("No pipelines yet").first).to_be_visible()
    page.get_by_role("button", name="Draw a pipeline").click()
    page.get_by_label("Name", exact=True).fill("Customer support")
    page.get_by_role("button", name="Create").click()

    page.get_by_role("button", name="Add the first stage").click()
    describe_stage(page, "stage-1", "intake")
    draw_next(page, source="intake", new="stage-1", phase="handling", to=(620, 110))
    draw_next(page, source="handling", new="stage-1", phase="review", to=(620, 520))
    draw_next(page, source="review", new="stage-1", phase="resolution", to=(130, 540))
    drag(page, port(page, "review"), centre(stage(page, "handling")))
    expect(page.locator("#edge-review--handling")).to_have_attribute("data-kind", "return")

    page.get_by_role("button", name="New agent").click()
    page.get_by_label("Name", exact=True).fill("Supervisor")
    page.get_by_label("Name", exact=True).blur()
    expect(page.locator("#agents").get_by_text("Supervisor")).to_be_visible()
    page.locator("#canvas").click(position={"x": 8, "y": 8})
    page.get_by_label("Supervisor", exact=True).select_option(label="Supervisor")
    expect(page.locator("#supervisor-card")).to_be_visible()
    for phase, (agent, prompt) in STAGES.items():
        stage(page, phase).click()
        expect(page.get_by_role("navigation", name=f"Stage {phase}")).to_be_visible()
        write_prompt(page, agent, prompt, open_tab=lambda tab: tab.click())

    expect(page.locator("#problems .issue")).to_have_count(0)
    expect(page.get_by_text("No problems")).to_be_visible()

    page.get_by_role("link", name="Rehearse").click()
    rehearse(page, send=lambda: page.get_by_role("button", name="Send").click())

    page.get_by_role("link", name="Design").click()
    exported = export(page, tmp_path / "first.json", lambda link: link.click())
    page.get_by_role("link", name="Pipelines").click()
    page.get_by_role("button", name="Import").click()
    import_file(page, exported, lambda button: button.click())
    again = export(page, tmp_path / "second.json", lambda link: link.click())
    assert_is_the_pipeline_of_the_seeds(exported, again)


def test_the_same_is_done_without_a_mouse(page: Page, tmp_path: Path) -> None:
    page.goto("/")
    press(page, page.get_by_role("button", name="Draw a pipeline"))
    page.keyboard.type("Customer support")
    page.keyboard.press("Enter")

    tab_to(page, page.locator("#canvas"))
    page.keyboard.press("a")
    describe_stage(page, "stage-1", "intake")
    for source, phase in [("intake", "handling"), ("handling", "review"), ("review", "resolution")]:
        tab_to(page, stage(page, source))
        page.keyboard.press("c")
        page.keyboard.press("a")
        describe_stage(page, "stage-1", phase)
        expect(page.locator(f"#edge-{source}--{phase}")).to_have_attribute("data-kind", "next")
    tab_to(page, stage(page, "review"))
    page.keyboard.press("c")
    tab_to(page, stage(page, "handling"))
    page.keyboard.press("Enter")
    expect(page.locator("#edge-review--handling")).to_have_attribute("data-kind", "return")

    press(page, page.get_by_role("button", name="New agent"))
    name = page.get_by_label("Name", exact=True)
    tab_to(page, name)
    retype(page, "Supervisor")
    page.keyboard.press("Tab")
    expect(page.locator("#agents").get_by_text("Supervisor")).to_be_visible()
    tab_to(page, page.locator("#canvas"))
    page.keyboard.press("Escape")
    supervisor = page.get_by_label("Supervisor", exact=True)
    tab_to(page, supervisor)
    page.keyboard.type("Supervisor")
    page.keyboard.press("Tab")
    expect(page.locator("#supervisor-card")).to_be_visible()
    for phase, (agent, prompt) in STAGES.items():
        tab_to(page, stage(page, phase))
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name=f"Stage {phase}")).to_be_visible()
        write_prompt(page, agent, prompt, open_tab=lambda tab: press(page, tab))

    expect(page.get_by_text("No problems")).to_be_visible()
    press(page, page.get_by_role("link", name="Rehearse"))
    rehearse(page, send=lambda: page.keyboard.press("Enter"))

    press(page, page.get_by_role("link", name="Design"))
    exported = export(page, tmp_path / "first.json", lambda link: press(page, link))
    press(page, page.get_by_role("link", name="Pipelines"))
    press(page, page.get_by_role("button", name="Import"))
    import_file(page, exported, lambda button: press(page, button))
    again = export(page, tmp_path / "second.json", lambda link: press(page, link))
    assert_is_the_pipeline_of_the_seeds(exported, again)


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


def write_prompt(page: Page, agent: str, prompt: str, *, open_tab: Any) -> None:
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


def rehearse(page: Page, *, send: Any) -> None:
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


def export(page: Page, path: Path, press_link: Any) -> Path:
    with page.expect_download() as waiting:
        press_link(page.get_by_role("link", name="Export"))
    download: Download = waiting.value
    download.save_as(path)
    return path


def import_file(page: Page, path: Path, press_button: Any) -> None:
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(path)
    press_button(dialog.get_by_role("button", name="Import"))
    expect(page.locator("#canvas")).to_be_visible()


def assert_is_the_pipeline_of_the_seeds(exported: Path, again: Path) -> None:
    first, second = load(exported.read_bytes()), load(again.read_bytes())
    assert first == second
    assert json.loads(exported.read_text()) == json.loads(again.read_text())
    assert ways(first) == WAYS
    agents = {agent.id: agent for agent in first.agents}
    for one in first.stages:
        assert one.agent_id is not None
        serving = agents[one.agent_id]
        assert (serving.name, serving.instructions) == STAGES[one.phase]
    assert first.entry == "intake"
    assert first.supervisor_id is not None
    assert agents[first.supervisor_id].name == "Supervisor"
    assert validate(first) == ()


def ways(definition: PipelineDefinition) -> set[tuple[str, str, str]]:
    return {(way.source, way.target, way.kind) for way in definition.transitions}


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

"""The whole path, once with the mouse and once without: draw, rehearse, export, import."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from orchestration.validation import validate
from tests.e2e.boxes import box_of
from tests.e2e.walkthrough import (
    STAGES,
    WAYS,
    Hands,
    Keyboard,
    Mouse,
    add_supervisor,
    centre,
    describe_stage,
    drag,
    edge,
    export,
    import_file,
    port,
    rehearse,
    say_and_watch,
    stage,
    write_prompts,
)

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_pipeline_is_drawn_with_the_mouse_rehearsed_exported_and_imported(
    page: Page, tmp_path: Path
) -> None:
    mouse = Mouse(page)
    draw_with_the_mouse(mouse)
    open_rehearsal(mouse)
    rehearse(mouse)
    take_away(mouse, tmp_path)


def test_the_same_is_done_without_a_mouse(page: Page, tmp_path: Path) -> None:
    keyboard = Keyboard(page)
    draw_by_keys(keyboard)
    open_rehearsal(keyboard)
    say_and_watch(keyboard, 1)
    take_away(keyboard, tmp_path)


def test_the_same_is_drawn_in_the_outline_without_a_mouse(page: Page, tmp_path: Path) -> None:
    keyboard = Keyboard(page)
    page.goto("/")
    keyboard.press(page.get_by_role("button", name="Draw a pipeline"))
    page.keyboard.type("Customer support")
    page.keyboard.press("Enter")
    keyboard.press(page.locator("#tab-outline"))
    add, connect = page.locator("#outline-add"), page.locator("#outline-connect")

    for source, phase in pairwise(["", *STAGES]):
        name, _ = STAGES[phase]
        for label, text in [("Stage name", phase), ("Served by", name), ("Reached from", source)]:
            keyboard.reach(add.get_by_label(label))
            page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator(f"#outline-{phase}")).to_contain_text(name)
        expect(stage(page, phase)).to_contain_text(name)
    keyboard.press(page.locator("#outline summary", has_text="Connect two stages"))
    for label, text in [("From", "review"), ("To", "handling")]:
        keyboard.reach(connect.get_by_label(label, exact=True))
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(edge(page, "review", "handling")).to_have_attribute("data-kind", "return")
    expect(page.locator("#outline-review").get_by_role("cell").nth(3)).to_contain_text("handling")

    add_supervisor(keyboard)
    write_prompts(keyboard, in_outline)
    keyboard.reach(page.locator("#canvas"))
    page.keyboard.press("Escape")
    keyboard.choose(page.get_by_label("Supervising agent"), "Supervisor")
    expect(page.locator("#supervisor-card")).to_be_visible()

    exported = export(keyboard, tmp_path / "outlined.json")
    assert_is_the_pipeline_of_the_seeds(exported)


def draw_with_the_mouse(mouse: Mouse) -> None:
    page = mouse.page
    page.goto("/")
    expect(page.get_by_text("No pipelines yet").first).to_be_visible()
    mouse.press(page.get_by_role("button", name="Draw a pipeline"))
    page.keyboard.type("Customer support")
    mouse.press(page.get_by_role("button", name="Create"))

    mouse.press(page.get_by_role("button", name="Add the first stage"))
    mouse.press(page.get_by_role("option", name="Stage agent chosen later"))
    describe_stage(mouse, "stage-1", "intake")
    for source, phase, x, y in [
        ("intake", "handling", 620, 110),
        ("handling", "review", 620, 520),
        ("review", "resolution", 130, 540),
    ]:
        canvas = box_of(page.locator("#canvas"))
        drag(page, port(page, source), (canvas["x"] + x, canvas["y"] + y))
        mouse.press(page.get_by_role("option", name="Stage agent chosen later"))
        describe_stage(mouse, "stage-1", phase)
        expect(edge(page, source, phase)).to_have_attribute("data-kind", "next")
    drag(page, port(page, "review"), centre(stage(page, "handling")))
    expect(edge(page, "review", "handling")).to_have_attribute("data-kind", "return")
    add_supervisor(mouse)
    page.locator("#canvas").click(position={"x": 8, "y": 8})
    mouse.choose(page.get_by_label("Supervising agent"), "Supervisor")
    expect(page.locator("#supervisor-card")).to_be_visible()
    write_prompts(mouse)


def draw_by_keys(keyboard: Keyboard) -> None:
    page = keyboard.page
    page.goto("/")
    keyboard.press(page.get_by_role("button", name="Draw a pipeline"))
    page.keyboard.type("Customer support")
    page.keyboard.press("Enter")

    keyboard.reach(page.locator("#canvas"))
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    describe_stage(keyboard, "stage-1", "intake")
    for source, phase in [("intake", "handling"), ("handling", "review"), ("review", "resolution")]:
        keyboard.reach(stage(page, source))
        page.keyboard.press("c")
        page.keyboard.press("a")
        expect(page.get_by_role("dialog", name="Part to create")).to_be_visible()
        page.keyboard.press("Enter")
        describe_stage(keyboard, "stage-1", phase)
        expect(edge(page, source, phase)).to_have_attribute("data-kind", "next")
    keyboard.reach(stage(page, "review"))
    page.keyboard.press("c")
    keyboard.press(stage(page, "handling"))
    expect(edge(page, "review", "handling")).to_have_attribute("data-kind", "return")
    add_supervisor(keyboard)
    keyboard.reach(page.locator("#canvas"))
    page.keyboard.press("Escape")
    keyboard.choose(page.get_by_label("Supervising agent"), "Supervisor")
    expect(page.locator("#supervisor-card")).to_be_visible()
    write_prompts(keyboard)


def in_outline(page: Page, phase: str) -> Locator:
    """Return the button that selects a stage in its row of the outline."""
    return page.locator(f"#outline-{phase}").get_by_role("button", name=phase).first


def open_rehearsal(hands: Hands) -> None:
    """Check that the drawn pipeline is valid, and open its rehearsal."""
    page = hands.page
    expect(page.locator("#problems .issue")).to_have_count(0)
    expect(page.get_by_text("No problems", exact=True)).to_be_visible()
    hands.press(page.get_by_role("link", name="Rehearse"))


def take_away(hands: Hands, folder: Path) -> None:
    """Export the pipeline, import it and export it again."""
    page = hands.page
    hands.press(page.get_by_role("link", name="Design"))
    exported = export(hands, folder / "first.json")
    hands.press(page.get_by_role("link", name="Pipelines"))
    hands.press(page.get_by_role("button", name="Import"))
    import_file(hands, exported, is_known=True)
    again = export(hands, folder / "second.json")
    assert_is_the_pipeline_of_the_seeds(exported)
    first, second = load(exported.read_bytes()), load(again.read_bytes())
    assert second == first.model_copy(update={"name": f"{first.name} (2)"})
    told = [json.loads(file.read_text()) for file in (exported, again)]
    assert told[1] == told[0] | {"name": second.name}


def assert_is_the_pipeline_of_the_seeds(exported: Path) -> None:
    first = load(exported.read_bytes())
    assert transitions(first) == WAYS
    agents = {agent.id: agent for agent in first.agents}
    for one in first.stages:
        assert one.agent_id is not None
        serving = agents[one.agent_id]
        assert (serving.name, serving.instructions) == STAGES[one.phase]
    assert first.entry == "intake"
    assert first.supervisor_id is not None
    assert agents[first.supervisor_id].name == "Supervisor"
    assert validate(first) == ()


def transitions(definition: PipelineDefinition) -> set[tuple[str, str, str]]:
    return {(way.source, way.target, way.kind) for way in definition.transitions}

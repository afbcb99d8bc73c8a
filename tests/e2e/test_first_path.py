"""The whole path, once with the mouse and once without: draw, rehearse, export, import."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from orchestration.validation import validate
from tests.e2e.walk import (
    STAGES,
    WAYS,
    centre,
    describe_stage,
    drag,
    draw_next,
    export,
    import_file,
    port,
    press,
    rehearse,
    retype,
    stage,
    tab_to,
    write_prompt,
)
from tests.serving import BatonServer

pytestmark = pytest.mark.browser


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

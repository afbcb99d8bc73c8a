"""A model is connected on the page, tried, and then answers a rehearsal."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.e2e.conftest import Console
from tests.e2e.rehearsing import AT_ONCE
from tests.e2e.sections import unfold
from tests.openai_server import HOLD, OpenAIServer, echo
from tests.serving import BatonServer

pytestmark = pytest.mark.browser

AMBER = "rgb(183, 121, 31)"


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A server that connects nothing by itself, whose operator allows loopback."""
    return visit(environment=AT_ONCE, samples=True)


def fill(page: Page, openai_server: OpenAIServer) -> None:
    page.get_by_label("Base URL").fill(openai_server.base_url)
    page.get_by_label("Key", exact=True).fill(openai_server.api_key)


@pytest.mark.long
def test_a_model_is_connected_tried_and_answers(page: Page, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: [HOLD, "Hello ", "there!"]
    page.goto("/")
    page.get_by_role("link", name="Connections").click()
    page.get_by_role("link", name="Add a connection").click()
    fill(page, openai_server)
    page.get_by_role("button", name="Fetch models").click()
    expect(page.get_by_text("It has 2 models")).to_be_visible()
    options = page.locator("datalist option")
    assert options.evaluate_all("all => all.map(one => one.value)") == ["large", "small"]
    page.get_by_role("group", name="Available models").get_by_role("button", name="small").click()
    expect(page.get_by_label("Default model")).to_have_value("small")
    expect(page.get_by_label("Default model")).to_be_focused()

    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("Waiting for an answer…")).to_be_visible()
    openai_server.release()
    expect(page.get_by_text("“small” answered in")).to_be_visible()
    expect(page.get_by_text("Hello there!")).to_be_visible()
    expect(page.get_by_text("Waiting for an answer…")).to_be_hidden()
    openai_server.script = lambda _: [" "]
    page.get_by_role("button", name="Test connection").click()
    unexpected = page.locator(".trial__result", has_text="It answers, but the answer is unexpected")
    expect(unexpected).to_have_css("border-inline-start-color", AMBER)

    page.get_by_role("button", name="Add connection").click()
    expect(page.get_by_text("The connection “default” is saved.")).to_be_visible()
    openai_server.script = lambda _: ["Good ", "day."]
    page.goto("/")
    page.get_by_role("link", name="Customer support", exact=True).first.click()
    page.get_by_role("link", name="Rehearse").click()
    page.get_by_role("textbox", name="Message").fill("Hi")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Good day.").first).to_be_visible()
    assert openai_server.requests[-1]["model"] == "small"


def test_nothing_that_was_typed_is_lost_when_something_is_wrong(
    page: Page, openai_server: OpenAIServer, console: Console
) -> None:
    console.allow("422")
    page.goto("/connections/add/")
    fill(page, openai_server)
    page.get_by_label("Name").fill("")
    page.get_by_label("Name").press("Enter")  # which saves, and fetches no models
    expect(page.get_by_text("Give the connection a name.")).to_be_visible()
    expect(page.get_by_label("Key", exact=True)).to_have_value(openai_server.api_key)
    expect(page.get_by_label("Base URL")).to_have_value(openai_server.base_url)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Connections").first.click()
    expect(page.get_by_label("Base URL")).to_have_value(openai_server.base_url)
    assert asked == ["beforeunload"]
    page.get_by_label("Name").fill("work")
    page.get_by_label("Name").press("Enter")
    expect(page.get_by_text("The connection “work” is saved.")).to_be_visible()
    page.get_by_role("link", name="work").click()
    expect(page.get_by_label("Key", exact=True)).to_have_value("")


def test_cancel_and_delete_of_a_connection_discard_typed_text_unasked(page: Page) -> None:
    asked: list[str] = []

    def go(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", go)
    page.goto("/connections/add/")
    page.get_by_label("Base URL").fill("https://models.example/v1")
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", name="No connections yet")).to_be_visible()
    page.goto("/connections/add/")
    page.get_by_label("Name").fill("work")
    page.get_by_label("Base URL").fill("https://models.example/v1")
    page.get_by_role("button", name="Add connection").click()
    page.get_by_role("link", name="work").click()
    page.get_by_label("Base URL").fill("https://other.example/v1")
    page.get_by_role("button", name="Delete connection").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The connection “work” is deleted.")).to_be_visible()
    assert asked == []


def test_a_verdict_goes_when_something_else_is_asked_or_written(
    page: Page, openai_server: OpenAIServer, console: Console
) -> None:
    console.allow("422")
    page.goto("/connections/add/")
    fill(page, openai_server)
    test = page.get_by_role("button", name="Test connection")
    verdict = page.get_by_text("It works.")
    test.click()
    expect(verdict).to_be_visible()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Headers").fill("X-Team")
    expect(verdict).to_have_count(0)
    page.get_by_label("Headers").fill("")
    test.click()
    expect(verdict).to_be_visible()
    page.evaluate("document.querySelector('[name=base_url]').value = '127.0.0.1:99'")
    test.click()
    expect(page.get_by_text("An address must begin with https:// or http://")).to_be_visible()
    expect(verdict).to_have_count(0)


def test_an_empty_answer_is_shown_in_amber(page: Page, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: []
    page.goto("/connections/add/")
    fill(page, openai_server)
    page.get_by_label("Default model", exact=True).fill("small")
    page.get_by_role("button", name="Test connection").click()
    verdict = page.locator(".trial__result")
    expect(verdict).to_contain_text("It answers, but the answer is unexpected.")
    expect(verdict).to_have_attribute("data-ok", "doubtful")
    colour = "box => getComputedStyle(box).borderInlineStartColor"
    doubtful = verdict.evaluate(colour)
    openai_server.script = echo
    page.get_by_role("button", name="Test connection").click()
    expect(verdict).to_contain_text("It works.")
    assert verdict.evaluate(colour) != doubtful


def test_the_first_field_in_error_is_shown_and_has_the_focus(page: Page, console: Console) -> None:
    console.allow("422")
    page.set_viewport_size({"width": 390, "height": 600})
    page.goto("/connections/add/")
    limits = page.get_by_text("Advanced", exact=True)
    expect(limits).to_have_css("list-style-type", "none")  # the marker is ours
    limits.click()
    page.get_by_label("Name").fill("work")
    page.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    tries = page.locator("[name=tries]")
    tries.fill("99")
    limits.click()
    expect(tries).to_be_hidden()
    state = page.locator("#save-status")
    expect(state).to_have_text("Not saved yet")
    page.get_by_role("button", name="Add connection").click()
    expect(state).to_have_text("Not saved: Attempts")
    expect(tries).to_be_focused()
    expect(tries).to_be_in_viewport()
    expect(tries).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Base URL").fill("nowhere")
    page.get_by_role("button", name="Add connection").click()
    expect(page.get_by_label("Base URL")).to_be_focused()
    expect(page.get_by_label("Base URL")).to_have_attribute("aria-invalid", "true")


def test_a_kind_of_connection_shows_its_own_fields_only(page: Page) -> None:
    page.goto("/connections/add/")
    model, key = page.get_by_label("Default model"), page.get_by_label("Key", exact=True)
    for kind, has_model in (("Anthropic", True), ("An HTTP API, for tools", False)):
        page.get_by_label("Type", exact=True).select_option(label=kind)
        expect(model).to_be_visible(visible=has_model)
        expect(page.get_by_role("button", name="Fetch models")).to_be_visible(visible=has_model)
        expect(key).to_be_visible()


def test_an_agent_is_offered_the_models_of_the_provider_that_was_chosen(
    page: Page, openai_server: OpenAIServer, console: Console
) -> None:
    console.allow("422")
    page.goto("/connections/add/")
    fill(page, openai_server)
    page.get_by_label("Name").fill("work")
    page.get_by_role("button", name="Add connection").click()
    page.get_by_role("link", name="work").click()

    # A stored connection has no button that saves it: it saves itself, with one visible state.
    state = page.locator("#save-status")
    expect(page.locator("[type=submit]:visible")).to_have_count(0)
    expect(page.get_by_label("Extra headers")).to_be_hidden()
    expect(state).to_have_text("Saved")
    key = page.get_by_label("Key", exact=True)
    page.get_by_label("Base URL").fill("http://127.0.0.1:9/v1")
    page.get_by_label("Base URL").press("Tab")
    expect(state).to_have_text("Not saved: Key")
    expect(page.get_by_text("enter the key for http://127.0.0.1:9")).to_be_visible()
    page.get_by_label("Base URL").fill(openai_server.base_url)
    key.fill(openai_server.api_key)
    key.press("Tab")
    expect(key).to_have_value("")
    expect(state).to_have_text("Saved")  # otherwise its request takes the name along
    page.get_by_label("Name").fill("models")
    expect(state).to_have_text("Not saved yet")
    page.get_by_label("Name").press("Enter")
    expect(state).to_have_text("Saved")
    expect(page.get_by_role("heading", name="models")).to_be_visible()
    page.get_by_label("Name").fill("work")
    page.get_by_role("button", name="Fetch models").click()
    expect(page.get_by_text("It has 2 models")).to_be_visible()
    expect(state).to_have_text("Saved")
    page.goto("/")
    page.get_by_role("link", name="Customer support", exact=True).first.click()
    page.locator("#canvas[data-ready]").wait_for()
    page.get_by_role("button", name="Triage").first.click()
    form = page.locator("#agent-form")
    form.get_by_label("Provider", exact=True).fill("work")
    form.get_by_label("Provider", exact=True).press("Tab")
    offered = form.locator("datalist[id$='-model-list'] option")
    expect(offered).to_have_count(2)
    unfold(page, "Answer")
    form.get_by_label("Reasoning effort").select_option("high")
    expect(page.locator("#save-status")).to_have_text("Saved")
    page.reload()
    expect(form.get_by_label("Reasoning effort")).to_have_value("high")
    page.keyboard.press("Control+z")
    expect(form.get_by_label("Reasoning effort")).to_have_value("")

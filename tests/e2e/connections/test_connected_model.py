"""The conversation of the whole path, with a model behind real HTTP instead of the script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walkthrough import DIALOGUE, DRAWN, Mouse, import_file, rehearse
from tests.openai_server import Call, OpenAIServer
from tests.serving import BatonServer

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture
def server(start_server: Callable[..., BatonServer], openai_server: OpenAIServer) -> BatonServer:
    """A server connected to a model that answers in small pieces."""
    openai_server.script, openai_server.delay = answer, 0.12
    return start_server(environment={**openai_server.environment, "OPENAI_MODEL": "tiny"})


def test_the_same_conversation_runs_against_a_server_of_the_chat_completions_protocol(
    page: Page, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    page.goto("/")
    page.get_by_role("button", name="Import a file").click()
    file = tmp_path / "drawn.json"
    file.write_text(DRAWN.dump())
    import_file(Mouse(page), file)
    page.get_by_role("link", name="Rehearse", exact=True).click()

    rehearse(Mouse(page))

    assert len(openai_server.requests) == 2 * len(DIALOGUE), (
        "one call before each handoff, one after"
    )
    assert all(request["stream"] for request in openai_server.requests)
    assert {request["model"] for request in openai_server.requests} == {"tiny"}
    assert [offered(request) for request in openai_server.requests[:3]] == [
        ["agent-handler", "human"],
        ["agent-reviewer", "human"],
        ["agent-reviewer", "human"],
    ]
    assert offered(openai_server.requests[-1]) == [], "a terminal stage hands over to nobody"
    usage = page.locator("#trace [data-type='message.completed']").first
    expect(usage).to_contain_text("out")


def answer(request: dict[str, Any]) -> list[Any]:
    """Hand over to the agent that the customer names, where the tool allows it; else answer."""
    texts = [m["content"] for m in request["messages"] if m["role"] == "user"]
    lines = [line for text in texts for line in text.splitlines()]
    said = [line for line in lines if line and not line.startswith("[")][-1].lower()
    for target in offered(request):
        if target.removeprefix("agent-") in said:
            arguments = {"target": target, "reason": "The customer asked.", "summary": said}
            return ["I pass ", "you on.", Call("handoff_conversation", arguments)]
    return ["I have ", "looked, ", "and ", "all ", "of it ", "is ", "now ", "in ", "order."]


def offered(request: dict[str, Any]) -> list[str]:
    """The targets of the handoff tool that the request offers."""
    tools = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", ())}
    handoff = tools.get("handoff_conversation")
    return handoff["parameters"]["properties"]["target"]["enum"] if handoff else []

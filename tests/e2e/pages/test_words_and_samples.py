"""The words on the cards, the samples as a user meets them, and their files in the terminal."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.navigation import address_of, bring_in
from tests.e2e.rehearsing import AT_ONCE, converse, open_rehearsal, wait_for_the_end
from tests.e2e.walkthrough import stage
from tests.serving import ROOT, BatonServer

DESK = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Desk",
    "agents": [
        {"id": "agent-clerk", "name": "Clerk", "tools": ["look_up", "refund"]},
        {"id": "agent-boss", "name": "Boss"},
    ],
    "tools": [{"name": "look_up"}, {"name": "refund"}],
    "stages": [
        {"phase": "intake", "agent_id": "agent-clerk"},
        {"phase": "review", "agent_id": "agent-boss"},
    ],
    "transitions": [{"source": "intake", "target": "review"}],
    "entry": "intake",
}


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A server whose agents answer at once, and someone with the samples."""
    return visit(samples=True, environment=AT_ONCE)


def test_a_card_says_its_stage_its_agent_and_its_tools_once(page: Page) -> None:
    page.goto(bring_in(page, DESK) + "?select=stage:intake")
    expect(page.get_by_label("Stage name")).to_have_value("intake")
    texts = "card => card.innerText.split(/\\s*\\n\\s*|\\s·\\s/).filter((text) => text)"
    assert stage(page, "intake").evaluate(texts) == ["intake", "C", "Clerk", "look_up, refund"]
    assert stage(page, "review").evaluate(texts) == ["review", "B", "Boss"], "no chip of a default"
    assert not re.search(r"\bphases?\b", page.locator("body").inner_text(), re.IGNORECASE)


@pytest.mark.long
def test_a_sample_is_rehearsed_with_its_starters_up_to_the_goodbye(page: Page) -> None:
    for name in ("Customer support", "Support desk", "Bike shop"):
        open_rehearsal(page, name)
        starters = page.locator("[data-starter]")
        assert starters.count() > 1
        assert all(re.search(r"[.?!…]$", text.strip()) for text in starters.all_inner_texts())
    starters.filter(has_text="The gears of my Touring 7 slip").click()
    expect(page.locator(".handoff b")).to_have_text("Sales → Workshop")
    wait_for_the_end(page)
    converse(page, "Yes, and send me the bill.", "No, that is all.")
    expect(page.locator(".handoff b")).to_have_text(["Sales → Workshop", "Workshop → Accounts"])
    expect(page.locator(".handoff").first).to_contain_text("Touring 7")
    expect(page.locator(".handoff").last).to_contain_text("W-212")
    expect(page.locator(".turn").last).to_contain_text("You are welcome. Goodbye!")
    title = box_of(page.locator("#chat-title"))
    assert title["height"] < 24, "“Rehearsal 1” is in one line"


@pytest.mark.long
def test_the_file_of_a_sample_is_rehearsed_in_the_terminal(
    page: Page, server: BatonServer, tmp_path: Path
) -> None:
    definition, messages = tmp_path / "shop.json", tmp_path / "messages.txt"
    definition.write_bytes(page.request.get(address_of(page, "Bike shop") + "export/").body())

    def run(*arguments: str) -> tuple[int, str]:
        """Return the exit code, and the errors or else the output."""
        command = [sys.executable, "manage.py", "rehearse", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=server.environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr or done.stdout

    messages.write_text('Do you have a child seat?\n{"text": "Thanks"\n', encoding="utf-8")
    code, text = run(str(definition), "--file", str(messages))
    assert code
    assert "messages.txt, line 2: This is not JSON" in text
    code, text = run(str(definition), "--message", "Hello", "--channel", "emial")
    assert code
    assert "no channel 'emial'" in text
    assert "Did you mean 'email'" in text
    code, text = run()
    assert (code, len(text.splitlines())) == (2, 3)
    code, text = run(str(definition), "--message", "Do you have a child seat?", "--channel", "WEB")
    assert code == 0, text
    code, text = run("BIKE shopp", "--message", "Hello")
    assert code
    assert "Did you mean 'Bike shop'" in text

"""The list of problems: its groups, its filter, and buttons that fix one or all."""

from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.canvas.conftest import FILE
from tests.e2e.canvas.editor import Editor
from tests.e2e.navigation import bring_in

CUES = [
    {"say": "One moment.", "hand_over": {"target": "ansewr"}},
    {"say": "Hello.", "call": {"tool": "unknown"}},
]
CUT_OFF = """() => [...document.querySelectorAll("#problems, #problems *")].filter(
  (one) => (one.clientWidth && one.scrollWidth > one.clientWidth)
    || (one.matches("code") && one.getClientRects().length > 1)
).map((one) => one.textContent.trim())"""
"""Texts of the list that are wider than their place, and names of rules that a line end breaks."""
LONG_NAME = "averyveryveryverylongnamewithoutanyhyphen"
STAGES = [{"phase": "step"}, {"phase": LONG_NAME}]


def test_problems_are_grouped_filtered_and_fixed_by_every_click(page: Page) -> None:
    triage = {"id": "agent-triage", "name": "Triage", "cues": CUES, "instructions": "Greet."}
    agents = [triage, FILE["agents"][1]]
    spare = {"id": "agent-spare", "name": "Spare", "instructions": "Help."}
    stages = [*FILE["stages"], *STAGES]
    editor = Editor(page, bring_in(page, FILE | {"agents": [*agents, spare], "stages": stages}))
    problems = page.locator("#problems")
    shown = problems.locator(".issue").filter(visible=True)
    group = problems.get_by_role("button", name="A stage without an agent")
    expect(group).to_contain_text("3")
    expect(group).to_have_attribute("aria-expanded", "false")
    expect(problems.locator("[data-code=stage-agentless]").first).to_be_hidden()
    group.click()
    expect(problems.locator("[data-code=stage-agentless]").first).to_be_visible()
    assert in_both_themes(page) == []

    severity = problems.get_by_role("group", name="Severity")
    severity.get_by_role("button", name="Errors 3").click()
    expect(shown).to_have_count(3)
    severity.get_by_role("button", name="Warnings").click()
    expect(problems.locator("[data-code=stage-agentless]").first).to_be_hidden()
    severity.get_by_role("button", name="All").click()

    # Clicks that follow each other at once are all carried out, and a repeated one only once.
    names = ["Use “answer”", "Remove the call", "Add the stage “spare”"]
    buttons = [problems.get_by_role("button", name=name) for name in names]
    for button in buttons:
        expect(button).to_be_attached()
    page.evaluate(
        """names => { for (const name of [...names, names[0]])
          [...document.querySelectorAll("#problems .button")]
            .find(({ textContent }) => textContent.trim() === name).click(); }""",
        names,
    )
    for button in buttons:
        expect(button).to_have_count(0)
    editor.saved_as(4)
    expect(page.locator("#notice")).not_to_contain_text("no longer exists")

    # A problem that only a person can fix leads to its field.
    uninstructed = problems.locator("[data-code=agent-uninstructed]").first
    uninstructed.get_by_role("button", name="Edit instructions").click()
    field = page.get_by_label("Instructions")
    expect(field).to_be_focused()
    field.fill("Answer briefly.")
    field.press("Tab")
    expect(problems.locator("[data-code=agent-uninstructed]")).to_have_count(0)

    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Overview").click()
    unreachable = problems.locator("[data-code=stage-unreachable]").first
    if not unreachable.is_visible():
        problems.locator("#group-stage-unreachable").click()
    sentence = unreachable.locator("button").first.bounding_box()
    fix = unreachable.locator(".button").bounding_box()
    assert sentence
    assert fix
    assert fix["y"] >= sentence["y"] + sentence["height"] - 1
    assert fix["height"] >= 44
    assert page.evaluate(CUT_OFF) == []
    problems.get_by_role("button", name="Fix all 3").first.click()
    expect(problems.locator("[data-code=stage-agentless]")).to_have_count(0)
    editor.saved_as(6)

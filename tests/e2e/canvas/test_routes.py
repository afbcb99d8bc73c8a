"""Edges at rest keep clear of cards after every change; their labels lie over all lines."""

from itertools import product

from playwright.sync_api import Page, Route, expect

from tests.e2e.boxes import box_of, middle_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.waits import wait_until

ROW = {
    phase: {"x": 320 * place, "y": 0} for place, phase in enumerate(("intake", "answer", "review"))
}
WAYS = [
    {"source": "intake", "target": "answer"},
    {"source": "answer", "target": "review"},
    {"source": "intake", "target": "review", "kind": "return"},
    {"source": "review", "target": "intake", "kind": "return"},
]

CROSSED = """() => {
  const of = (selector) => [...document.querySelectorAll(selector)];
  const box = (element, by = 0) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left: left + by, right: right - by, top: top + by, bottom: bottom - by };
  };
  const inside = ({ left, right, top, bottom }, { x, y }) => x > left && x < right && y > top && y < bottom;
  const found = [];
  for (const edge of of(".edge")) {
    const line = edge.querySelector(".line");
    const seen = line.getScreenCTM();
    const points = Array.from({ length: 201 }, (_, at) => line.getPointAtLength((line.getTotalLength() * at) / 200).matrixTransform(seen));
    const { source, target } = edge.dataset;
    for (const card of of(".stage, .supervisor")) {
      if ([source, target].includes(card.dataset.phase)) continue;
      if (points.some((point) => inside(box(card), point))) found.push(`${edge.id} runs through ${card.id}`);
    }
    for (const label of of(".label")) {
      if (label.dataset.edge === edge.id) continue;
      if (points.some((point) => inside(box(label.querySelector("rect"), 1), point))) found.push(`${edge.id} crosses the label of ${label.dataset.edge}`);
    }
  }
  for (const label of of(".label")) {
    for (const card of of(".stage, .supervisor")) {
      const [a, b] = [box(label, 1), box(card)];
      if (a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top) found.push(`the label of ${label.dataset.edge} lies under ${card.id}`);
    }
  }
  return found;
}"""  # noqa: E501


def transitions(editor: Editor) -> dict[str, str]:
    """Return the path of each edge, once all are at rest."""
    expect(editor.canvas).to_have_attribute("data-routed", "")
    lines = editor.page.locator(".edge").evaluate_all(
        "edges => edges.map(edge => [edge.id, edge.querySelector('.line').getAttribute('d')])"
    )
    return dict(sorted(lines))


def test_edges_go_around_the_cards_they_do_not_join(page: Page) -> None:
    editor = draw(page, layout={"stages": ROW}, transitions=WAYS)
    before = transitions(editor)
    assert "L" in before["edge-intake--review"], "around the card between"
    assert editor.page.evaluate(CROSSED) == []
    assert editor.page.evaluate(
        "() => document.querySelector('#edges').nextElementSibling.id === 'labels'"
    )

    x, y = editor.middle("answer")
    editor.drag((x, y), (x + 20, y + 260))
    editor.saved_as(2)
    after = transitions(editor)
    assert "L" not in after["edge-intake--review"], "straight on, now that nothing is between"
    assert editor.page.evaluate(CROSSED) == []
    held: list[Route] = []  # the module that finds detours, which may take a while
    editor.page.route("**/path-search*.js", lambda route: held.append(route))  # noqa: PLW0108
    editor.page.reload()
    assert transitions(editor) == after

    editor.canvas.focus()
    editor.keyboard.press("Control+z")
    editor.saved_as(3)
    line = editor.edge("intake", "answer").locator(".line")
    expect(line).not_to_have_attribute("d", after["edge-intake--answer"])
    assert held, "until a way is found, an edge goes along with its cards"
    for route in held:
        route.continue_()
    assert transitions(editor) == before

    expect(editor.label("intake", "answer")).to_have_text("next")
    editor.mouse.click(*centre(editor, "review", "intake"))
    assert editor.selected() == {"edge-review--intake"}, "what a label lies on is its edge"

    # A longer text needs another place than the short one between the cards.
    editor.mouse.click(*centre(editor, "intake", "answer"))
    expect(page.locator("#inspector")).to_contain_text("intake → answer")
    page.get_by_label("When to take it").fill("the customer asks for an answer")
    editor.keyboard.press("Tab")
    editor.saved_as(4)
    expect(editor.label("intake", "answer")).to_contain_text("the customer asks")
    assert editor.page.evaluate(CROSSED) == []


def test_edges_leave_the_titles_of_frames_free_and_tab_follows_the_pipeline(page: Page) -> None:
    places = {
        "review": {"x": 0, "y": 0},
        "intake": {"x": 800, "y": 0},
        "answer": {"x": 400, "y": 78},
    }
    frame = {"id": "frame-1", "title": "The desk with the long name", "stages": ["answer"]}
    between = [
        {"source": "intake", "target": "review"},
        {"source": "review", "target": "answer"},
        {"source": "review", "target": "intake", "kind": "return"},
    ]
    layout = {"stages": places, "frames": [frame]}
    editor = draw(page, layout=layout, transitions=between, entry="intake")
    transitions(editor)
    crossed = CROSSED.replace(".stage, .supervisor", ".frame__title")
    assert page.locator(".frame__title").is_visible()
    assert editor.page.evaluate(crossed) == []

    expected = [
        "stage-intake",
        "stage-review",
        "stage-answer",
        "edge-intake--review",
        "edge-review--answer",
        "edge-review--intake",
    ]
    editor.focus_in_order()
    assert focused_by_tab(editor, 7)[1:] == expected
    editor.keyboard.press("Shift+Tab")
    assert editor.focused() == "edge-review--answer"

    for place in ("#agents button", "#tab-outline", "#undo-button"):
        editor.canvas.focus()
        editor.keyboard.press("Control+a")
        expect(page.locator("#several")).to_be_visible()
        page.locator(place).first.focus()
        editor.keyboard.press("Escape")
        expect(page.locator("#several")).to_have_count(0)
        assert editor.selected() == set()


def focused_by_tab(editor: Editor, count: int) -> list[str]:
    """Press Tab on the canvas, and return the ids of the focused elements."""
    editor.canvas.focus()
    focused = []
    for _ in range(count):
        editor.keyboard.press("Tab")
        focused.append(editor.focused())
    return focused


def centre(editor: Editor, source: str, target: str) -> tuple[float, float]:
    return middle_of(editor.label(source, target))


def test_the_minimap_moves_the_window_by_mouse_and_by_key(page: Page) -> None:
    phases = [f"stage-{row}-{column}" for row, column in product(range(4), range(4))]
    editor = draw(
        page,
        stages=[{"phase": phase} for phase in phases],
        transitions=[],
        entry=phases[0],
        layout={
            "stages": {
                phase: {"x": place % 4 * 600, "y": place // 4 * 400}
                for place, phase in enumerate(phases)
            }
        },
    )
    minimap = page.get_by_label("Minimap")
    expect(minimap).to_have_count(0)
    editor.canvas.focus()
    editor.keyboard.press("m")
    expect(minimap).to_be_visible()
    box = box_of(minimap)
    left, top = box["x"], box["y"]
    editor.canvas.focus()
    editor.keyboard.press("0")
    expect(editor.stage("stage-3-3")).not_to_be_in_viewport()
    editor.mouse.click(left + 140, top + 100)
    expect(editor.stage("stage-3-3")).to_be_in_viewport()
    editor.drag((left + 140, top + 100), (left + 40, top + 20))
    expect(editor.stage("stage-0-0")).to_be_in_viewport()
    expect(editor.stage("stage-3-3")).not_to_be_in_viewport()

    editor.stage("stage-2-3").focus()
    editor.keyboard.press("Alt+ArrowDown")
    expect(editor.stage("stage-3-3")).to_be_focused()
    card = box_of(editor.stage("stage-3-3"))
    assert card["y"] + card["height"] <= top or card["x"] + card["width"] <= left, "under the map"

    minimap.focus()
    before = editor.place_in_window("stage-0-0")
    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("ArrowDown")
    after = editor.place_in_window("stage-0-0")
    assert after[0] < before[0]
    assert after[1] < before[1]

    drawn = "() => document.querySelector('.minimap').toDataURL()"
    before_switch = page.evaluate(drawn)
    page.get_by_label("Account: ").click()
    page.get_by_role("button", name="Switch between light and dark").click()
    wait_until(page, f"before => ({drawn})() !== before", before_switch)

    minimap.focus()
    editor.keyboard.press("m")
    expect(minimap).to_have_count(0)
    expect(editor.canvas).to_be_focused()
    page.reload()
    expect(editor.canvas).to_have_attribute("data-routed", "")
    expect(minimap).to_have_count(0)
    editor.canvas.focus()
    editor.keyboard.press("m")
    expect(minimap).to_be_visible()
    page.reload()
    expect(minimap).to_be_visible()

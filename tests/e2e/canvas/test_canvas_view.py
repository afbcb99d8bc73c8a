"""Pan, zoom, fit and touch."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.boxes import box_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor, Point


def test_the_paper_pans_by_drag_wheel_and_space(editor: Editor) -> None:
    seen = [editor.view()]
    x, y = editor.middle("intake")
    editor.drag((x, y + 220), (x + 40, y + 250))
    seen.append(editor.view())
    editor.mouse.wheel(0, 80)
    expect(editor.page.locator(".viewport")).not_to_have_attribute(
        "style", re.compile(re.escape(seen[-1]))
    )
    seen.append(editor.view())
    editor.stage("intake").focus()
    editor.keyboard.down("Space")
    start = editor.middle("intake")
    editor.drag(start, (start[0] + 60, start[1]))
    editor.keyboard.up("Space")
    seen.append(editor.view())
    expect(editor.stage("intake")).not_to_have_attribute("aria-current", "true")
    assert len(set(seen)) == 4
    editor.stands("intake", (0, 0))
    editor.saved_as(1)


def test_no_frame_of_a_pan_or_a_drag_has_the_browser_go_through_the_drawing(
    editor: Editor,
) -> None:
    x, y = editor.middle("answer")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.mouse.move(x + 20, y + 150, steps=2)
    expect(editor.page.locator(".drag-layer")).to_be_visible()
    assert _layered(editor, lambda step: editor.mouse.move(x + 20 + step, y + 150)) <= 3
    editor.keyboard.press("Escape")
    editor.mouse.up()

    editor.keyboard.down("Space")
    editor.mouse.down()
    editor.mouse.move(x, y, steps=2)
    expect(editor.canvas).to_have_attribute("data-panning", "pan")
    assert _layered(editor, lambda step: editor.mouse.move(x + step, y)) <= 3
    editor.mouse.up()
    editor.keyboard.up("Space")

    assert editor.canvas.evaluate(_ROLL), "the wheel is a pan as well"
    expect(editor.canvas).not_to_have_attribute("data-rolls", "")

    plainly = _layered(editor, lambda step: editor.page.evaluate(_PLACE, step))
    assert plainly >= 8, "which is what moving a card costs else"


def test_a_dragged_part_stays_under_the_pointer_while_the_view_moves(editor: Editor) -> None:
    x, y = editor.middle("answer")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.keyboard.down("Alt")  # it lines up with nothing
    editor.mouse.move(x + 10, y + 60, steps=2)
    _until(lambda: _near(editor.middle("answer"), (x + 10, y + 60)), editor)
    for keys, by in (((), (40, 0)), (("Control",), (0, -120))):
        seen = editor.view()
        for key in keys:
            editor.keyboard.down(key)
        editor.mouse.wheel(*by)
        for key in keys:
            editor.keyboard.up(key)
        _until(partial(_has_moved, editor, seen), editor)
        _until(lambda: _near(editor.middle("answer"), (x + 10, y + 60)), editor)

    box = box_of(editor.canvas)
    (far, _), width = editor.place("answer"), box["width"]
    editor.mouse.move(box["x"] + width - 3, y + 60, steps=3)
    _until(lambda: editor.place("answer")[0] > far + width, editor)
    editor.keyboard.press("Escape")
    editor.mouse.up()
    editor.keyboard.up("Alt")

    editor.mouse.move(x, y)
    editor.mouse.down(button="middle")
    editor.mouse.move(x + 40, y, steps=2)
    before_wheel = editor.view()
    editor.mouse.wheel(0, 200)
    _until(partial(_has_moved, editor, before_wheel), editor)
    rolled = _offset(editor)
    editor.mouse.move(x + 41, y)
    _until(lambda: _offset(editor) == (rolled[0] + 1, rolled[1]), editor)
    editor.mouse.up(button="middle")


def _until(holds: Callable[[], bool], editor: Editor) -> None:
    """Wait for what some frame brings about."""
    for _ in range(600):
        if holds():
            return
        editor.page.evaluate(_FRAME)
    raise AssertionError("no frame brought it about")


def _has_moved(editor: Editor, seen: str) -> bool:
    return editor.view() != seen


def _near(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) < 2 and abs(one[1] - other[1]) < 2


def _offset(editor: Editor) -> tuple[int, int]:
    """By how much the paper is moved, in the window's pixels."""
    x, y, *_ = re.findall(r"-?\d+", editor.view())
    return int(x), int(y)


def _layered(editor: Editor, move: Callable[[int], None]) -> int:
    """In how many of ten frames the browser goes through all that is drawn, to layer it."""
    cdp = editor.page.context.new_cdp_session(editor.page)
    heard: list[dict[str, Any]] = []
    cdp.on("Tracing.dataCollected", lambda some: heard.extend(some["value"]))
    ended: list[bool] = []
    cdp.on("Tracing.tracingComplete", lambda _: ended.append(True))
    cdp.send("Tracing.start", {"traceConfig": {"includedCategories": ["blink"]}})
    for step in range(10):
        move(step)
        editor.page.evaluate(_FRAME)
    cdp.send("Tracing.end")
    while not ended:
        editor.page.evaluate(_FRAME)
    cdp.detach()
    return sum(one["name"] == "PaintArtifactCompositor::Update" for one in heard)


_FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

_ROLL = """canvas => {
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 10, cancelable: true }));
  return canvas.hasAttribute("data-rolls") && canvas.querySelector(".viewport").getAnimations().length === 1;
}"""  # noqa: E501

_PLACE = """x => {
  document.querySelector("#stage-answer").style.transform = `translate(${x}px, 0)`;
}"""


def test_zoom_keeps_the_point_under_the_pointer_and_fit_shows_all(editor: Editor) -> None:
    start = editor.middle("answer")
    editor.mouse.move(*start)
    editor.keyboard.down("Control")
    editor.mouse.wheel(0, -200)
    editor.keyboard.up("Control")
    expect(editor.page.locator(".zoom__scale")).not_to_have_text("100 %")
    assert editor.middle("answer") == pytest.approx(start, abs=2)

    editor.mouse.wheel(4000, 4000)
    expect(editor.stage("intake")).not_to_be_in_viewport()
    editor.page.get_by_role("button", name="Fit").click()
    for phase in ("intake", "answer", "review"):
        expect(editor.stage(phase)).to_be_in_viewport(ratio=0.99)
    editor.page.get_by_role("button", name="Zoom to 100 %").click()
    expect(editor.page.locator(".zoom__scale")).to_have_text("100 %")


def test_from_afar_a_card_has_its_name_and_colour_and_no_words(editor: Editor) -> None:
    card, words = editor.stage("intake"), editor.stage("intake").locator(".stage__words > *")
    name = card.get_attribute("aria-label") or ""
    expect(words.first).to_be_visible()
    look_from_afar(editor)
    expect(card).to_be_visible()
    for one in words.all():
        expect(one).to_be_hidden()
    expect(card).to_have_accessible_name(name)
    assert name.startswith("Stage intake, ")
    editor.page.get_by_role("button", name="Zoom to 100 %").click()
    expect(words.first).to_be_visible()


def test_from_afar_the_phase_is_told_of_the_card_that_is_pointed_at_or_has_the_focus(
    editor: Editor,
) -> None:
    tip = editor.page.locator(".tip")
    look_from_afar(editor)
    editor.mouse.move(*editor.middle("answer"))
    expect(tip).to_have_text("answer · Writer")
    expect(tip).to_be_visible()
    editor.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    paper = editor.page.locator(".canvas__background")
    before = paper.get_attribute("style") or ""
    editor.mouse.wheel(0, 5)
    expect(paper).not_to_have_attribute("style", before)
    expect(tip).to_be_hidden()  # whoever put it away looks around without it
    editor.mouse.move(5, 300)
    expect(tip).to_be_hidden()
    editor.canvas.focus()
    editor.keyboard.press("Tab")
    expect(tip).to_be_visible()
    expect(editor.stage("intake")).to_be_focused()
    box = box_of(tip)
    assert 16 < box["height"] < 40, "as large as ever, however far the paper is"
    editor.keyboard.press("0")
    expect(tip).to_be_hidden()


def test_the_hit_area_of_an_edge_is_made_after_its_routing(editor: Editor) -> None:
    expect(editor.canvas).to_have_attribute("data-routed", "")
    edges = editor.page.locator("#edges > .edge")
    assert edges.count() > 0
    expect(edges.locator(".hit")).to_have_count(edges.count())
    assert 'class="hit"' not in editor.page.request.get(editor.page.url).text()


def test_a_long_name_gives_way_to_the_rest_of_the_bar(editor: Editor) -> None:
    name = "Refunds " * 15
    field = editor.page.locator("#inspector").get_by_label("Name", exact=True)
    field.fill(name.strip())
    field.press("Tab")
    expect(editor.page.locator("#pipeline-name")).to_have_attribute("title", name.strip())
    expect(editor.page).to_have_title(f"{name.strip()} · Baton")
    bar = editor.page.locator(".top").bounding_box()
    for button in editor.page.locator(".top :is(a, button):visible").all():
        box = button.bounding_box()
        assert bar
        assert box
        assert bar["y"] <= box["y"] < box["y"] + box["height"] <= bar["y"] + bar["height"]
    assert editor.page.evaluate("document.documentElement.scrollWidth") == 1440


def test_the_view_is_kept_while_the_tab_is_open_and_fitted_in_anew_if_it_was(
    editor: Editor,
) -> None:
    scale, phone = editor.page.locator(".zoom__scale"), ViewportSize(width=390, height=844)
    editor.page.set_viewport_size(phone)
    expect(scale).not_to_have_text("100 %")
    editor.page.set_viewport_size({"width": 1440, "height": 900})
    expect(scale).to_have_text("100 %")
    expect(editor.stage("intake")).to_be_in_viewport(ratio=0.99)
    editor.page.get_by_role("button", name="Zoom out").click()
    expect(scale).to_have_text("83 %")
    before = editor.middle("intake")
    editor.page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert editor.middle("intake") == pytest.approx(before, abs=2)
    editor.page.set_viewport_size(phone)
    editor.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(scale).to_have_text("83 %")


def test_a_fitted_view_includes_the_headings_of_frames(page: Page) -> None:
    column = {phase: {"x": 0, "y": y} for phase, y in (("intake", 0), ("answer", 300))}
    frames = [{"id": "frame-1", "title": "Desk", "stages": ["intake", "answer"]}]
    layout = {"stages": column | {"review": {"x": 400, "y": 464}}, "frames": frames}
    editor = draw(page, layout=layout)
    title = page.locator("#frame-frame-1 .frame__title")
    expect(title).to_be_in_viewport(ratio=0.99)
    for phase in ("intake", "answer"):
        editor.stage(phase).click(modifiers=["Shift"])
    editor.canvas.hover(position={"x": 5, "y": 5})
    for _ in range(2):  # all of its stages are selected, and then it is
        editor.mouse.wheel(0, 4000)
        expect(title).not_to_be_in_viewport()
        editor.keyboard.press("2")
        expect(title).to_be_in_viewport(ratio=0.99)
        title.click()


def test_two_fingers_pinch_and_one_pans(open_page: Callable[..., Page], editor: Editor) -> None:
    phone_size = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}
    page = open_page(**phone_size)
    phone = Editor(page, editor.page.url)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: Point) -> None:
        fingers = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    scale = page.locator(".zoom__scale")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        before, shown = phone.view(), scale.inner_text()
        touch("touchStart", (200, 600))
        for step in range(1, 5):
            touch("touchMove", (200 + 10 * step, 600 - 10 * step))
        touch("touchEnd")
        expect(page.locator(".viewport")).not_to_have_attribute(
            "style", re.compile(re.escape(before))
        )
        touch("touchStart", (150, 600), (250, 600))
        for step in range(1, 5):
            touch("touchMove", (150 - 10 * step, 600), (250 + 10 * step, 600))
        touch("touchEnd")
        expect(scale).not_to_have_text(shown)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_first_view_on_a_phone_cuts_no_card(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    phases = [f"stage-{place}" for place in range(8)]
    file = {
        "stages": [{"phase": phase} for phase in phases],
        "transitions": [{"source": "stage-0", "target": "stage-1"}],
        "entry": "stage-0",
        "layout": {"stages": {phase: {"x": 288 * n, "y": 0} for n, phase in enumerate(phases)}},
    }
    editor = draw(page, **file)
    names = float(editor.page.locator(".zoom__scale").inner_text().removesuffix("%"))
    assert 40 <= names <= 60
    boxes = [editor.stage(phase).bounding_box() for phase in phases]
    seen = [box for box in boxes if box and box["x"] + box["width"] > 0 and box["x"] < 390]
    assert len(seen) >= 2
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in seen)


WIDE = {
    "agents": [{"id": f"agent-{n}", "name": f"Agent {n}"} for n in range(40)],
    "stages": [{"phase": f"s{n}", "agent_id": f"agent-{n}"} for n in range(40)],
    "transitions": [{"source": f"s{n}", "target": f"s{n + 1}"} for n in range(39)],
    "entry": "s0",
    "layout": {"stages": {f"s{n}": {"x": n * 400, "y": 0} for n in range(40)}},
}
"""A pipeline so wide that its first view shows colours and no words."""


def test_from_afar_words_and_edges_follow_the_first_picture(page: Page) -> None:
    editor = draw(page, **WIDE)
    expect(editor.canvas).to_have_attribute("data-far", "colours")
    expect(editor.canvas).to_have_attribute("data-routed", "")
    expect(page.locator("#edges > .edge")).to_have_count(39)
    expect(page.locator(".stage__agent")).to_have_count(40)
    expect(page.locator("#agents > li")).to_have_count(40)
    expect(page.locator(".simple-lines")).to_have_count(0)
    assert "<!--" not in page.locator("body").inner_html()


def test_deferred_elements_exist_at_the_first_key_and_the_first_response(
    page: Page,
) -> None:
    page.add_init_script("window.requestIdleCallback = () => 0")  # a page that is never idle
    editor = draw(page, **WIDE)
    edges, lines = page.locator("#edges > .edge"), page.locator(".simple-lines > path")
    assert edges.count() == 0
    drawn = lines.evaluate_all("all => all.map(line => line.getAttribute('d')).join('')")
    assert drawn.count("M") == 39, "each edge is in the picture"
    page.keyboard.press("Shift+Tab")
    assert (edges.count(), lines.count()) == (39, 0)

    page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert edges.count() == 0
    page.evaluate(
        "() => { const form = document.getElementById('gesture-connect');"
        " form.source.value = 's39'; form.target.value = 's0'; form.requestSubmit() }"
    )
    expect(editor.edge("s39", "s0")).to_be_attached()
    assert edges.count() == 40


def look_from_afar(editor: Editor) -> None:
    """Zoom out until cards have no room for words."""
    out = editor.page.get_by_role("button", name="Zoom out")
    while editor.canvas.get_attribute("data-far") != "colours":
        out.click()

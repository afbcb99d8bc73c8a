"""Drawing on the canvas with a real mouse and a real keyboard, against a real server."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from tests.e2e.conftest import Console, sign_in
from tests.serving import BatonServer

Point = tuple[float, float]


class Editor:
    """The editor of one pipeline, and where things are on its canvas."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.mouse, self.keyboard = page, page.mouse, page.keyboard
        page.goto(url)
        self.canvas = page.locator("#canvas")
        expect(self.canvas).to_have_attribute("data-ready", "")

    def stage(self, phase: str) -> Locator:
        return self.page.locator(f"#stage-{phase}")

    def edge(self, source: str, target: str) -> Locator:
        return self.page.locator(f"#edge-{source}--{target}")

    def place(self, phase: str) -> Point:
        """Where the card stands, in the canvas's own pixels, by what is drawn."""
        x, y = re.findall(r"-?[\d.]+", self.stage(phase).evaluate("card => card.style.transform"))
        return float(x), float(y)

    def kept(self, phase: str) -> Point:
        """Where the card stands by what the server said last."""
        x, y = self.stage(phase).evaluate("card => [card.dataset.x, card.dataset.y]")
        return float(x), float(y)

    def middle(self, phase: str) -> Point:
        box = self.stage(phase).bounding_box()
        assert box
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def port(self, phase: str) -> Point:
        self.stage(phase).hover()
        box = self.stage(phase).locator(".port").bounding_box()
        assert box
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def between(self, source: str, target: str) -> Point:
        """A point of the edge between two stages that stand side by side."""
        a, b = self.middle(source), self.middle(target)
        return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2

    def drag(self, start: Point, end: Point) -> None:
        self.mouse.move(*start)
        self.mouse.down()
        self.mouse.move(*end, steps=6)
        self.mouse.up()

    def selected(self) -> set[str]:
        marked = self.canvas.locator('[aria-current="true"]')
        return set(marked.evaluate_all("all => all.map(element => element.id)"))

    def view(self) -> str:
        return str(self.page.locator(".viewport").evaluate("element => element.style.transform"))

    def saved_as(self, version: int) -> None:
        expect(self.page.locator("#version-chip")).to_contain_text(f"v{version} ")

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id"))

    def definition(self) -> dict[str, object]:
        answer = self.page.request.get(re.sub(r"\?.*", "", self.page.url) + "export/")
        return dict(json.loads(answer.text()))


FILE = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Refunds",
    "agents": [{"id": "agent-triage", "name": "Triage"}, {"id": "agent-writer", "name": "Writer"}],
    "stages": [
        {"phase": "intake", "agent_id": "agent-triage"},
        {"phase": "answer", "agent_id": "agent-writer"},
        {"phase": "review"},
    ],
    "transitions": [{"source": "intake", "target": "answer"}],
    "entry": "intake",
    "layout": {
        "stages": {
            "intake": {"x": 0, "y": 0},
            "answer": {"x": 320, "y": 0},
            "review": {"x": 320, "y": 240},
        }
    },
}


@pytest.fixture(scope="module")
def server(static_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BatonServer]:
    """One running server for all tests here: each draws on a pipeline of its own."""
    server = BatonServer(tmp_path_factory.mktemp("canvas"), static_root=static_root)
    server.start()
    yield server
    server.stop()
    assert server.errors() == ""


@pytest.fixture(scope="module")
def storage(browser: Browser, server: BatonServer) -> StorageState:
    """What a browser keeps of someone who signed in."""
    context = browser.new_context(base_url=server.url)
    sign_in(context.new_page(), server)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def page(open_page: Callable[..., Page], storage: StorageState) -> Page:
    """A page of someone who is signed in."""
    return open_page(signed_in=False, storage_state=storage)


@pytest.fixture
def editor(page: Page) -> Editor:
    """The editor of a small pipeline: intake → answer, and review beside them."""
    file = {
        "name": "refunds.json",
        "mimeType": "application/json",
        "buffer": json.dumps(FILE).encode(),
    }
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    page.locator("dialog[open] input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.locator("dialog[open]").get_by_role("button", name="Import").click()
    page.wait_for_url(re.compile(r"/pipelines/\d+/"))
    return Editor(page, page.url)


def test_a_dragged_stage_stays_where_it_is_dropped(editor: Editor) -> None:
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 90, y + 40))
    editor.saved_as(2)
    assert editor.place("review") == editor.kept("review") == (410, 280)

    editor.page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert editor.place("review") == (410, 280)


def test_only_the_edges_of_a_dragged_stage_are_drawn_anew(editor: Editor) -> None:
    line = editor.edge("intake", "answer").locator(".line")
    before = line.get_attribute("d")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 50, y))
    assert line.get_attribute("d") == before
    x, y = editor.middle("answer")
    editor.drag((x, y), (x, y - 60))
    assert line.get_attribute("d") != before


def test_several_selected_stages_move_as_one_edit(editor: Editor) -> None:
    editor.stage("intake").click()
    editor.stage("answer").click(modifiers=["Shift"])
    assert editor.selected() == {"stage-intake", "stage-answer"}
    x, y = editor.middle("answer")
    editor.drag((x, y), (x + 30, y - 50))
    editor.saved_as(2)
    assert editor.place("intake") == (30, -50)
    assert editor.place("answer") == (350, -50)
    assert editor.place("review") == (320, 240)

    editor.keyboard.press("Control+z")
    editor.saved_as(3)
    assert editor.place("intake") == (0, 0)
    assert editor.place("answer") == (320, 0)


def test_a_box_selects_what_it_touches(editor: Editor) -> None:
    left, _ = editor.middle("answer")
    _, top = editor.middle("answer")
    _, bottom = editor.middle("review")
    editor.keyboard.down("Shift")
    editor.drag((left - 130, top - 80), (left, bottom))
    editor.keyboard.up("Shift")
    assert editor.selected() == {"stage-answer", "stage-review"}


def test_a_click_shows_the_stage_in_the_inspector(editor: Editor) -> None:
    editor.stage("answer").click()
    expect(editor.page.locator("#inspector").get_by_label("Phase")).to_have_value("answer")
    expect(editor.page).to_have_url(re.compile("select=stage:answer"))
    editor.page.reload()
    expect(editor.stage("answer")).to_have_attribute("aria-current", "true")


def test_a_click_on_an_edge_shows_the_transition(editor: Editor) -> None:
    editor.mouse.click(*editor.between("intake", "answer"))
    assert editor.selected() == {"edge-intake--answer"}
    expect(editor.page).to_have_url(re.compile("select=transition:intake(>|%3E)answer"))


def test_a_port_dragged_to_a_stage_connects_them(editor: Editor) -> None:
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_have_class("edge next")
    expect(editor.edge("answer", "review").locator(".line")).to_have_attribute(
        "d", re.compile("^M")
    )

    editor.drag(editor.port("answer"), editor.middle("intake"))
    expect(editor.edge("answer", "intake")).to_have_class("edge return")
    expect(editor.edge("answer", "intake")).to_contain_text("return")


def test_another_way_onward_reads_as_a_branch_until_it_leads_back(editor: Editor) -> None:
    editor.drag(editor.port("intake"), editor.middle("review"))
    way = editor.edge("intake", "review")
    expect(way).to_have_attribute("data-kind", "return")
    expect(way.locator(".label")).to_have_text("branch")
    x, y = editor.middle("review")
    editor.drag((x, y), (x - 300, y + 40))
    expect(way.locator(".label")).to_have_text("return")
    editor.saved_as(3)
    editor.page.reload()
    expect(way.locator(".label")).to_have_text("return")


def test_a_port_dragged_onto_its_own_card_leads_the_stage_to_itself(editor: Editor) -> None:
    x, y = editor.port("answer")
    editor.drag((x, y), (x - 8, y + 6))  # an unsteady press is none
    editor.drag(editor.port("answer"), editor.middle("answer"))
    loop = editor.edge("answer", "answer")
    expect(loop.locator(".line")).to_have_attribute("d", re.compile("^M"))
    editor.saved_as(2)
    assert editor.definition()["transitions"][-1]["target"] == "answer"  # type: ignore[index]

    editor.stage("review").focus()
    editor.keyboard.press("c")
    editor.keyboard.press("Enter")
    expect(editor.edge("review", "review")).to_be_attached()


def test_a_port_dragged_to_blank_makes_a_connected_stage_there(editor: Editor) -> None:
    x, y = editor.port("review")
    editor.drag((x, y), (x + 120, y + 60))
    expect(editor.stage("stage-1")).to_have_attribute("aria-current", "true")
    expect(editor.edge("review", "stage-1")).to_be_attached()
    expect(editor.page.locator("#inspector").get_by_label("Phase")).to_have_value("stage-1")
    assert editor.place("stage-1") == (656, 300)


def test_stages_that_are_connected_already_are_not_connected_again(editor: Editor) -> None:
    editor.drag(editor.port("intake"), editor.middle("answer"))
    expect(editor.page.locator("#notice")).to_contain_text("intake already leads to answer")
    editor.saved_as(1)


def test_a_double_click_on_blank_paper_adds_a_stage_there(editor: Editor) -> None:
    x, y = editor.middle("intake")
    editor.mouse.dblclick(x, y + 240)
    expect(editor.stage("stage-1")).to_have_attribute("aria-current", "true")
    assert editor.middle("stage-1") == pytest.approx((x, y + 240), abs=2)


def test_stages_are_added_from_the_panel_by_click_and_by_drag(editor: Editor) -> None:
    human = editor.page.get_by_role("button", name="Human", exact=True)
    human.click()
    expect(editor.stage("stage-1")).to_contain_text("Human")

    box = human.bounding_box()
    assert box
    x, y = editor.middle("intake")
    editor.drag((box["x"] + 20, box["y"] + 10), (x, y + 200))
    expect(editor.stage("stage-2")).to_be_attached()
    assert editor.middle("stage-2") == pytest.approx((x, y + 200), abs=2)


def test_delete_takes_a_stage_and_its_edges_and_undo_brings_them_back(
    editor: Editor, console: Console
) -> None:
    console.allow("409")
    editor.stage("answer").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("answer")).to_have_count(0)
    expect(editor.edge("intake", "answer")).to_have_count(0)

    editor.keyboard.press("Control+z")
    expect(editor.edge("intake", "answer").locator(".line")).to_have_attribute(
        "d", re.compile("^M")
    )
    editor.keyboard.press("Control+Shift+z")
    expect(editor.stage("answer")).to_have_count(0)
    editor.page.get_by_role("button", name="Undo").click()
    expect(editor.stage("answer")).to_be_visible()
    editor.page.get_by_role("button", name="Redo").click()
    expect(editor.stage("answer")).to_have_count(0)
    editor.keyboard.press("Control+y")
    expect(editor.page.locator("#notice")).to_contain_text("nothing to redo")


def test_what_comes_back_is_selected_again_and_has_the_focus(editor: Editor) -> None:
    editor.stage("review").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("review")).to_have_count(0)
    expect(editor.page).not_to_have_url(re.compile("select="))
    editor.keyboard.press("Control+z")
    expect(editor.stage("review")).to_be_focused()
    assert editor.selected() == {"stage-review"}
    expect(editor.page.locator("#inspector").get_by_label("Phase")).to_have_value("review")


def test_an_edge_is_deleted_alone(editor: Editor) -> None:
    editor.mouse.click(*editor.between("intake", "answer"))
    editor.keyboard.press("Backspace")
    expect(editor.edge("intake", "answer")).to_have_count(0)
    expect(editor.stage("answer")).to_be_visible()


def test_escape_puts_a_dragged_stage_back(editor: Editor) -> None:
    before = editor.place("review")
    x, y = editor.middle("review")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.mouse.move(x + 80, y + 80, steps=4)
    expect(editor.stage("review")).to_have_attribute("data-moving", "")
    editor.keyboard.press("Escape")
    editor.mouse.up()
    assert editor.place("review") == before
    editor.saved_as(1)


def test_escape_lets_go_of_a_pulled_edge(editor: Editor) -> None:
    editor.mouse.move(*editor.port("review"))
    editor.mouse.down()
    editor.mouse.move(*editor.middle("intake"), steps=4)
    expect(editor.page.locator(".ghost")).to_be_visible()
    editor.keyboard.press("Escape")
    editor.mouse.up()
    expect(editor.page.locator(".ghost")).to_be_hidden()
    editor.saved_as(1)


@pytest.mark.parametrize("status", [422, 500])
def test_a_refused_move_goes_back_and_says_so(
    editor: Editor, console: Console, status: int
) -> None:
    console.allow(str(status))
    sentence = '<p class="notice__text">Not there.</p>'
    notice = f'<div id="notice" role="alert" hx-swap-oob="true">{sentence}</div>'
    editor.page.route("**/move*/", lambda route: route.fulfill(status=status, body=notice))
    before = editor.place("review")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 80, y))
    expect(editor.page.locator("#notice")).to_contain_text(
        "Not there." if status == 422 else "refused"
    )
    assert editor.place("review") == editor.kept("review") == before


def test_a_move_that_the_network_loses_goes_back(editor: Editor, console: Console) -> None:
    console.allow("ERR_FAILED|htmx:|Failed to load")
    editor.page.route("**/move*/", lambda route: route.abort())
    before = editor.place("review")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 80, y))
    expect(editor.page.locator("#notice")).to_contain_text("cannot be reached")
    assert editor.place("review") == before


def test_a_refused_deletion_brings_the_stage_back(editor: Editor, console: Console) -> None:
    console.allow("422")
    editor.page.route("**/delete*/", lambda route: route.fulfill(status=422, body=""))
    editor.stage("review").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("review")).not_to_have_attribute("data-leaving", "")


def test_moves_in_quick_succession_all_arrive(editor: Editor) -> None:
    for phase in ("intake", "answer", "review", "intake"):
        x, y = editor.middle(phase)
        editor.drag((x, y), (x, y + 20))
    editor.saved_as(5)
    places = editor.definition()["layout"]["stages"]  # type: ignore[index]
    assert {phase: at["y"] for phase, at in places.items()} == {
        "intake": 40,
        "answer": 20,
        "review": 260,
    }
    assert editor.place("intake") == (0, 40)


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
    editor.keyboard.down("Space")
    start = editor.middle("intake")
    editor.drag(start, (start[0] + 60, start[1]))
    editor.keyboard.up("Space")
    seen.append(editor.view())
    assert len(set(seen)) == 4
    assert editor.place("intake") == (0, 0)
    editor.saved_as(1)


def test_zoom_keeps_what_is_under_the_pointer_and_fit_shows_everything(editor: Editor) -> None:
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
        expect(editor.stage(phase)).to_be_in_viewport(ratio=1)
    editor.page.get_by_role("button", name="Zoom to 100 %").click()
    expect(editor.page.locator(".zoom__scale")).to_have_text("100 %")


def test_a_long_name_gives_way_to_the_rest_of_the_bar(editor: Editor) -> None:
    name = "Refunds " * 15
    field = editor.page.locator("#inspector").get_by_label("Name", exact=True)
    field.fill(name.strip())
    field.press("Tab")
    expect(editor.page.locator("#pipeline-name")).to_have_attribute("title", name.strip())
    bar = editor.page.locator(".top").bounding_box()
    for button in editor.page.locator(".top :is(a, button)").all():
        box = button.bounding_box()
        assert bar
        assert box
        assert bar["y"] <= box["y"] < box["y"] + box["height"] <= bar["y"] + bar["height"]
    assert editor.page.evaluate("document.documentElement.scrollWidth") == 1440


def test_the_view_is_kept_while_the_tab_is_open(editor: Editor) -> None:
    editor.page.get_by_role("button", name="Zoom out").click()
    before = editor.middle("intake")
    editor.page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert editor.middle("intake") == pytest.approx(before, abs=2)


def test_two_fingers_pinch_and_one_pans(
    open_page: Callable[..., Page], storage: StorageState, editor: Editor
) -> None:
    phone_size = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}
    page = open_page(signed_in=False, storage_state=storage, **phone_size)
    phone = Editor(page, editor.page.url)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: Point) -> None:
        fingers = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    before = phone.view()
    touch("touchStart", (200, 600))
    for step in range(1, 5):
        touch("touchMove", (200 + 10 * step, 600 - 10 * step))
    touch("touchEnd")
    expect(page.locator(".viewport")).not_to_have_attribute("style", re.compile(re.escape(before)))

    scale = page.locator(".zoom__scale")
    shown = scale.inner_text()
    touch("touchStart", (150, 600), (250, 600))
    for step in range(1, 5):
        touch("touchMove", (150 - 10 * step, 600), (250 + 10 * step, 600))
    touch("touchEnd")
    expect(scale).not_to_have_text(shown)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_everything_is_reached_and_left_by_tab(editor: Editor) -> None:
    editor.canvas.focus()
    reached = []
    for _ in range(6):
        editor.keyboard.press("Tab")
        reached.append(editor.focused())
    assert reached[:4] == ["stage-answer", "stage-intake", "stage-review", "edge-intake--answer"]
    outside = editor.page.evaluate("!document.activeElement.closest('#canvas')")
    assert outside


def test_a_stage_is_selected_nudged_and_deleted_by_key_alone(editor: Editor) -> None:
    editor.stage("review").focus()
    editor.keyboard.press("Enter")
    expect(editor.page.locator("#inspector").get_by_label("Phase")).to_have_value("review")
    expect(editor.page.locator("#announcer")).to_have_text("Stage review selected")

    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("Shift+ArrowDown")
    editor.saved_as(2)
    assert editor.place("review") == editor.kept("review") == (336, 272)
    assert editor.focused() == "stage-review"

    editor.keyboard.press("Delete")
    expect(editor.stage("review")).to_have_count(0)
    assert editor.focused() == "canvas"


def test_stages_are_connected_by_key_alone(editor: Editor) -> None:
    editor.stage("answer").focus()
    editor.keyboard.press("c")
    editor.keyboard.press("ArrowDown")
    assert editor.focused() == "stage-review"
    expect(editor.page.locator(".ghost")).not_to_have_attribute("hidden", "")
    editor.keyboard.press("Enter")
    expect(editor.edge("answer", "review")).to_be_attached()
    expect(editor.page.locator("#announcer")).to_have_text("Connected answer → review")
    expect(editor.page.locator(".ghost")).to_be_hidden()

    editor.keyboard.press("c")
    editor.keyboard.press("a")
    expect(editor.edge("review", "stage-1")).to_be_attached()


def test_connecting_by_key_is_cancelled_by_escape(editor: Editor) -> None:
    editor.stage("answer").focus()
    editor.keyboard.press("c")
    editor.keyboard.press("ArrowDown")
    editor.keyboard.press("Escape")
    editor.keyboard.press("Enter")
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")
    editor.saved_as(1)


def test_alt_with_arrows_walks_the_graph(editor: Editor) -> None:
    editor.stage("intake").focus()
    editor.keyboard.press("Alt+ArrowRight")
    assert editor.focused() == "stage-answer"
    editor.keyboard.press("Alt+ArrowDown")
    assert editor.focused() == "stage-review"
    editor.keyboard.press("Alt+ArrowUp")
    editor.keyboard.press("Alt+ArrowLeft")
    assert editor.focused() == "stage-intake"
    expect(editor.page.locator("#inspector").get_by_label("Phase")).to_have_value("intake")


def test_no_shortcut_fires_in_a_field(editor: Editor) -> None:
    editor.stage("review").click()
    field = editor.page.locator("#inspector").get_by_label("Phase")
    field.fill("")
    field.press_sequentially("a1c0")
    field.press("Backspace")
    field.press("Control+z")
    expect(field).to_be_focused()
    assert len(editor.page.locator(".stage").all()) == 3
    expect(editor.stage("review")).to_be_visible()


def test_the_first_stage_is_drawn_from_the_empty_canvas(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    page.locator("dialog[open]").get_by_label("Name").fill("Empty")
    page.locator("dialog[open]").get_by_role("button", name=re.compile("Create|New")).click()
    page.wait_for_url(re.compile(r"/pipelines/\d+/"))
    editor = Editor(page, page.url)
    assert editor.focused() == "canvas"
    page.get_by_role("button", name="Add the first stage").click()
    expect(editor.stage("stage-1")).to_contain_text("No agent yet")
    expect(editor.stage("stage-1").locator(".stage__entry")).to_be_visible()
    expect(page.get_by_role("button", name="Add the first stage")).to_be_hidden()


def test_a_problem_is_marked_on_its_stage_and_leads_there(editor: Editor) -> None:
    expect(editor.stage("review")).to_have_attribute("data-problem", re.compile("error|warning"))
    editor.mouse.move(*editor.middle("review"))
    editor.mouse.wheel(4000, 4000)
    expect(editor.stage("review")).not_to_be_in_viewport()
    editor.page.locator('#problems [data-where="stage-review"] button').first.click()
    expect(editor.stage("review")).to_be_in_viewport(ratio=1)
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")


def test_an_expired_session_is_said_and_the_stage_goes_back(
    editor: Editor, console: Console
) -> None:
    console.allow("401")
    before = editor.place("review")
    editor.page.context.clear_cookies(name="sessionid")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 60, y))
    expect(editor.page.locator("#notice")).to_contain_text("signed out")
    assert editor.place("review") == before


def test_the_theme_is_switched_and_kept(editor: Editor, server: BatonServer) -> None:
    root = editor.page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    editor.page.get_by_role("button", name="Switch between light and dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    editor.page.goto(server.url)
    expect(root).to_have_attribute("data-theme", "dark")

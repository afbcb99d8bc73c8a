"""Tidying by mouse and by keys."""

from playwright.sync_api import Page, expect

from tests.e2e.canvas.conftest import draw

HEAP = {"stages": {phase: {"x": 40, "y": 40} for phase in ("intake", "answer", "review")}}
WAYS = [{"source": "intake", "target": "answer"}, {"source": "answer", "target": "review"}]


def test_a_heap_is_tidied_by_button_and_by_key(page: Page) -> None:
    editor = draw(page, layout=HEAP, transitions=WAYS)
    editor.page.get_by_role("button", name="Tidy").click()
    editor.saved_as(2)
    columns = [editor.place(phase)[0] for phase in ("intake", "answer", "review")]
    assert columns == sorted(set(columns))
    expect(editor.stage("review")).to_be_in_viewport(ratio=0.99)

    editor.canvas.focus()
    editor.keyboard.press("Control+z")
    editor.saved_as(3)
    editor.stands("review", (40, 40))
    editor.stands("intake", (40, 40))

    editor.keyboard.press("Control+a")
    editor.keyboard.press("Shift+L")
    editor.saved_as(4)
    assert [editor.place(phase)[0] for phase in ("intake", "answer", "review")] == columns

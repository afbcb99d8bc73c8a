"""Input that cannot be saved because the disk of the server is full."""

import resource
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Console
from tests.e2e.navigation import open_one_stage
from tests.serving import BatonServer

pytestmark = pytest.mark.long

FULL = "The disk is full"


@pytest.fixture
def server(start_server: Callable[..., BatonServer]) -> BatonServer:
    """Server whose disk the test fills."""
    return start_server()


def limit_files(server: BatonServer, size: int) -> None:
    """Limit the size of the files of the running server, as a full disk does."""
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill_disk(server: BatonServer) -> None:
    limit_files(server, (server.data_dir / "baton.sqlite3-wal").stat().st_size)


def test_a_field_on_a_full_disk_keeps_its_text_until_it_is_saved(
    page: Page, server: BatonServer, console: Console
) -> None:
    console.allow("507")
    editor = open_one_stage(page)
    fill_disk(server)
    description = editor.get_by_label("Description")
    description.fill("Asks what it is")
    editor.keyboard.press("Tab")
    expect(editor.locator("#notice")).to_contain_text(FULL)
    expect(description).to_have_value("Asks what it is")
    limit_files(server, resource.RLIM_INFINITY)
    description.fill("Asks what it is about")
    editor.keyboard.press("Tab")
    expect(editor.locator("#version-chip")).to_contain_text("v2 ")
    page.reload()
    expect(description).to_have_value("Asks what it is about")


def test_a_form_of_a_page_on_a_full_disk_is_restored(
    page: Page, server: BatonServer, console: Console
) -> None:
    console.allow("507")
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    name = page.locator("#create-dialog").get_by_label("Name")
    name.fill("Returns")
    fill_disk(server)
    name.press("Enter")
    expect(page.get_by_role("heading", name=FULL)).to_be_visible()
    limit_files(server, resource.RLIM_INFINITY)
    page.get_by_role("link", name="All pipelines").click()
    expect(page.locator("#notice")).to_contain_text("Your input was restored")
    expect(name).to_have_value("Returns")
    name.press("Enter")
    expect(page.get_by_role("heading", name="Returns")).to_be_attached()

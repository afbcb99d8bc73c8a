"""Input in a form of a whole page survives the end of the session and another sign-in."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Console
from tests.e2e.rehearsing import open_rehearsal
from tests.e2e.sessions import give_password, sign_in_by_password, sign_out
from tests.serving import BatonServer

HERE_AGAIN = "Your input was restored"


@pytest.mark.long
def test_the_name_of_a_new_pipeline_outlives_a_sign_in(
    page: Page, server: BatonServer, console: Console
) -> None:
    console.allow("WebSocket connection")  # the editor's, once its person is signed out
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    name = page.locator("#create-dialog").get_by_label("Name")
    name.fill("Returns")
    give_password(server)
    sign_out(page.context)
    name.press("Enter")
    expect(page.locator("#notice")).to_contain_text("You are signed out, so nothing was changed")
    sign_in_by_password(page, server.username)
    expect(name).to_have_value("Returns")
    expect(name).to_be_focused()
    expect(page.locator("#notice")).to_contain_text(HERE_AGAIN)
    name.press("Enter")
    expect(page.get_by_role("heading", name="Returns")).to_be_attached()
    sign_out(page.context)
    page.reload()
    sign_in_by_password(page, server.username)
    expect(page.get_by_role("heading", name="Returns")).to_be_attached()
    page.goto("/")
    expect(page.get_by_role("link", name="Returns", exact=True)).to_be_visible()
    expect(page.locator("#create-dialog")).to_be_hidden()


def test_a_name_sent_from_a_page_older_than_the_last_sign_in_is_there_when_it_is_loaded_anew(
    page: Page, console: Console
) -> None:
    console.allow("403")
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    name = page.locator("#create-dialog").get_by_label("Name")
    name.fill("Returns")
    page.context.clear_cookies(name="csrftoken")
    name.press("Enter")
    page.get_by_role("link", name="Reload the page").click()
    expect(name).to_have_value("Returns")
    name.press("Enter")
    expect(page.get_by_role("heading", name="Returns")).to_be_attached()


def test_the_first_message_of_a_rehearsal_outlives_a_sign_in(
    page: Page, server: BatonServer
) -> None:
    page.goto("/")
    page.get_by_role("button", name="Add the samples").click()
    expect(page.get_by_role("link", name="Customer support", exact=True)).to_be_visible()
    open_rehearsal(page)
    message = page.get_by_label("Message as the customer")
    message.fill("Where is my parcel?")
    page.get_by_label("intent").fill("shipping")
    give_password(server)
    sign_out(page.context)
    message.press("Enter")
    sign_in_by_password(page, server.username)
    expect(page.get_by_label("intent")).to_have_value("shipping")
    expect(message).to_have_value("Where is my parcel?")
    expect(message).to_be_focused()
    message.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("Where is my parcel?")

"""Signing in and out, in a real browser."""

from playwright.sync_api import expect


def test_the_link_from_the_terminal_signs_in_once(open_page, server, console):
    console.allow("410")
    link = server.sign_in_url()
    page = open_page(signed_in=False)
    page.goto(link)
    page.get_by_role("button", name="Sign in as").press("Enter")
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    names = {cookie["name"] for cookie in page.context.cookies()}
    assert "sessionid" in names

    page.goto(link)
    expect(page.get_by_role("heading")).to_have_text("This link is no longer valid")


def test_a_visitor_without_a_session_is_asked_to_sign_in(open_page, server):
    page = open_page(signed_in=False)
    page.goto("/")
    expect(page).to_have_url(server.url + "/sign-in/?next=/")
    page.get_by_label("User name").fill(server.username)

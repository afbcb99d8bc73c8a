"""Sessions that end while a page is open, and begin anew."""

from functools import cache

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from playwright.sync_api import BrowserContext, Page

from tests.e2e.stored import change_rows
from tests.serving import BatonServer

PASSWORD = "correct horse"
CHANGE = "UPDATE auth_user SET password = ? WHERE username = ?"


def give_password(server: BatonServer) -> None:
    """Have the server's person sign in by password from now on, which ends their sessions."""
    change_rows(server, CHANGE, hashed_password(), server.username)


@cache
def hashed_password() -> str:
    """Hash the password as a server does."""
    return PBKDF2PasswordHasher().encode(PASSWORD, "salt" * 6)


def sign_out(context: BrowserContext) -> None:
    """The session ends, as when it expires."""
    context.clear_cookies(name="sessionid")


def sign_in_by_password(page: Page, username: str) -> None:
    """Fill in the form for signing in, which the page shows."""
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()

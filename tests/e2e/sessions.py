"""Sessions that end while a page is open, and begin anew."""

from playwright.sync_api import BrowserContext, Page

from tests.serving import BatonServer

PASSWORD = """
from django.contrib.auth.models import User
user = User.objects.get(username="{username}")
user.set_password("correct horse")
user.save()
"""


def give_password(server: BatonServer) -> None:
    """Have the server's person sign in by password from now on, which ends their sessions."""
    server.manage("shell", "--no-imports", "-c", PASSWORD.format(username=server.username))


def sign_out(context: BrowserContext) -> None:
    """The session ends, as when it expires."""
    context.clear_cookies(name="sessionid")


def sign_in_by_password(page: Page, username: str) -> None:
    """Fill in the form for signing in, which the page shows."""
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()

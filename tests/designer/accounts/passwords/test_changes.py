"""Effects of a changed password."""

import pytest

from designer.accounts import create_sign_in_link
from designer.accounts.passwords.changes import set_password
from designer.core.http import user_of_session
from designer.core.notifications import listen, session_group
from designer.models import SignInLink
from tests.conftest import signed_in
from tests.designer.accounts.passwords.password_pages import ACCOUNT, CHANGE, changes

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
async def test_a_changed_password_is_announced_to_open_pages(async_client, user):
    await async_client.aforce_login(user)
    async with listen([session_group(user.pk)]) as receive:
        await async_client.post(ACCOUNT, CHANGE)
        message = await receive(10)
    assert message == {"type": "session.ended", "user": user.pk}


def test_the_sessions_and_links_of_other_people_stay(user, other_user):
    own, others = signed_in(user), signed_in(other_user)
    create_sign_in_link(user=user)
    create_sign_in_link(user=other_user)
    set_password(user=user, password="a good long one", actor=None, detail="by a test")
    assert user_of_session(own.cookies["sessionid"].value) is None
    assert user_of_session(others.cookies["sessionid"].value) == other_user
    assert SignInLink.objects.get().user == other_user
    assert changes() == [("", f"user {user.pk} “ada”", "by a test")]

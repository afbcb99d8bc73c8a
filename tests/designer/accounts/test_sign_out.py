"""End of a session."""

import pytest

from designer.core.notifications import listen, session_group


def test_signing_out_requires_a_post_request(client):
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db(transaction=True)
async def test_the_end_of_a_session_is_announced_to_open_pages(async_client, user):
    await async_client.aforce_login(user)
    async with listen([session_group(user.pk)]) as receive:
        await async_client.post("/sign-out/")
        message = await receive(10)
    assert message == {"type": "session.ended", "user": user.pk}

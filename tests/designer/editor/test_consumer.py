"""The socket of the editor: access, changes by others, and presence."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.urls import reverse

from designer.accounts import sharing
from designer.asgi import application
from designer.core import notifications
from designer.core.consumer import NOT_ALLOWED
from designer.core.database import in_database
from designer.core.undo import undo_edit
from designer.editor.actions import agents, stages, topology
from designer.models import Edit, Membership, Pipeline
from designer.pipelines.actions import delete_pipeline
from orchestration.definition import Agent, Position
from tests.designer.editor_requests import draw
from tests.designer.live_conversations import MAX_WAIT, ORIGIN, flaky_layer

pytestmark = pytest.mark.django_db(transaction=True)

DRAWN_ANEW = '<div id="stages" hx-swap-oob="innerHTML">'


class Tab:
    """The socket of an open editor, with the messages of the page."""

    def __init__(self, client: Client, pipeline_id: int) -> None:
        cookies = "; ".join(f"{key}={one.value}" for key, one in client.cookies.items())
        headers = [
            (b"host", b"127.0.0.1:8000"),
            (b"origin", ORIGIN.encode()),
            (b"cookie", cookies.encode()),
        ]
        path = f"/ws/pipelines/{pipeline_id}/"
        self.socket = WebsocketCommunicator(application, path, headers=headers)

    async def open(self) -> bool:
        connected, _ = await self.socket.connect(timeout=MAX_WAIT)
        if connected:
            await self.until("data-heard")
        return bool(connected)

    async def ask(self, **operation: Any) -> None:
        await self.socket.send_to(text_data=json.dumps(operation))

    async def catch_up(self, version: int, **shown: str) -> str:
        """Return the changes since a version."""
        await self.ask(op="catch_up", version=str(version), **shown)
        return await self.until('name="version"')

    async def until(self, pattern: str) -> str:
        while not re.search(pattern, frame := await self.socket.receive_from(timeout=MAX_WAIT)):
            pass
        return str(frame)

    async def closed(self) -> int:
        while (sent := await self.socket.receive_output(timeout=MAX_WAIT))[
            "type"
        ] != "websocket.close":
            pass
        return int(sent["code"])


@pytest.fixture
def pipeline(user, other_user) -> Pipeline:
    pipeline = draw(user, "intake", "review")
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    return pipeline


@pytest_asyncio.fixture
async def open_tab(pipeline) -> AsyncIterator[Callable[[Client], Any]]:
    tabs = []

    async def open_one(client: Client) -> Tab:
        tab = Tab(client, pipeline.pk)
        assert await tab.open()
        tabs.append(tab)
        return tab

    yield open_one
    for tab in tabs:
        await tab.socket.disconnect(timeout=MAX_WAIT)


async def act(action: Callable[..., Any], **options: Any) -> Any:
    return await in_database(action, **options)


def moved(pipeline, user, x):
    return {"pipeline": pipeline, "user": user, "to": {"intake": Position(x=x, y=0)}}


# Access


async def test_only_members_of_the_pipeline_may_connect(
    anonymous_client, client, other_client, pipeline
):
    assert not await Tab(anonymous_client, pipeline.pk).open()
    assert not await Tab(client, pipeline.pk + 1).open()
    await act(Membership.objects.all().delete)
    assert not await Tab(other_client, pipeline.pk).open()


@pytest.mark.parametrize("message", [{"op": "catch_up", "version": "0"}, {"op": "look"}])
async def test_a_signed_out_user_is_refused_with_the_next_message(open_tab, client, message):
    tab = await open_tab(client)
    await in_database(client.session.flush)
    await tab.ask(**message)
    assert await tab.closed() == NOT_ALLOWED


async def test_the_socket_of_a_signed_out_tab_is_closed_at_once(open_tab, client, settings):
    settings.READER_CHECK_SECONDS = 3600
    tab = await open_tab(client)
    await in_database(client.post, reverse("sign_out"))
    assert await tab.closed() == NOT_ALLOWED


async def test_a_removed_member_receives_nothing_more(open_tab, other_client, other_user, pipeline):
    tab = await open_tab(other_client)
    await act(sharing.unshare_pipeline, pipeline=pipeline, user_id=other_user.pk, by=pipeline.owner)
    assert await tab.closed() == NOT_ALLOWED


@pytest.mark.parametrize(
    ("role", "sentence"),
    [
        ("viewer", "You can only view this pipeline now: changes are no longer saved."),
        ("editor", "You can edit this pipeline now."),
    ],
)
async def test_a_new_role_is_told_at_once_with_a_link_to_load_the_page_again(
    open_tab, other_client, other_user, pipeline, settings, role, sentence
):
    settings.READER_CHECK_SECONDS = 3600
    await act(Membership.objects.update, role="editor" if role == "viewer" else "viewer")
    tab = await open_tab(other_client)
    for new in (role, role):  # the same role again is not told
        await act(sharing.share_pipeline, pipeline=pipeline, username=other_user.username, role=new)
    notice = await tab.until('id="notice"')
    assert sentence in notice
    assert f'href="{reverse("editor", args=[pipeline.pk])}"' in notice
    await act(sharing.unshare_pipeline, pipeline=pipeline, user_id=other_user.pk, by=pipeline.owner)
    sent = await tab.socket.receive_output(timeout=MAX_WAIT)
    while sent["type"] != "websocket.close":
        assert 'id="notice"' not in sent["text"]
        sent = await tab.socket.receive_output(timeout=MAX_WAIT)


async def test_the_sockets_of_a_pipeline_that_is_deleted_are_closed_at_once(
    client, pipeline, settings
):
    settings.READER_CHECK_SECONDS = 3600
    tab = Tab(client, pipeline.pk)
    assert await tab.open()
    await act(delete_pipeline, pipeline=pipeline)
    assert await tab.closed() == NOT_ALLOWED


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("not json", "The message is not JSON."),
        ('{"op": "say", "id": "message-1", "text": "x"}', "The message was not understood"),
        ('{"op": "catch_up"}', "version: Field required"),
        ('{"op": "catch_up", "version": "-1"}', "version: String should match"),
        ('{"op": "catch_up", "version": "1", "select": ["a"]}', "select: Input should be"),
        ('{"op": "look", "at": "<b>"}', "at: String should match"),
        (json.dumps({"op": "look", "at": "x" * 1_001}), "at: String should match"),
    ],
)
async def test_a_malformed_message_gets_an_error_and_the_socket_stays_open(
    open_tab, client, message, sentence
):
    tab = await open_tab(client)
    await tab.socket.send_to(text_data=message)
    assert sentence in await tab.until("together-remark")
    assert "v1 " in await tab.catch_up(0)


async def test_a_flood_is_slowed_and_told_so(open_tab, client):
    tab = await open_tab(client)
    for _ in range(30):
        await tab.ask(op="look", at="stage-intake")
    assert "Too many messages at once." in await tab.until("together-remark")


# Changes by others


async def test_a_page_receives_only_the_parts_that_an_edit_changed(
    open_tab, client, other_client, user, pipeline
):
    here, there = await open_tab(client), await open_tab(other_client)
    await act(topology.move_stages, **moved(pipeline, user, 300))
    bell = await there.until('id="latest"')
    assert 'data-version="2" data-who="ada" data-label="Move stage intake"' in bell
    assert 'data-version="2" data-who=""' in await here.until('id="latest"')
    html = await there.catch_up(1)
    assert 'id="stage-intake"' in html
    assert 'data-x="300"' in html
    assert "stage-review" not in html
    assert "v2 " in html


async def test_each_notification_names_its_edit_in_any_order_of_arrival(open_tab, client, pipeline):
    tab = await open_tab(client)
    for version, label in ((3, "Second"), (2, "First")):
        bell = {"version": version, "label": label, "user": 0, "name": "grace"}
        await notifications.send_to_group(
            notifications.editor_group(pipeline.pk), {"type": "pipeline.changed", **bell}
        )
    assert 'data-version="3"' in await tab.until('data-label="Second" data-made="3"')
    assert 'data-version="3"' in await tab.until('data-label="First" data-made="2"')


async def test_several_edits_that_were_missed_come_as_one(open_tab, client, user, pipeline):
    tab = await open_tab(client)
    await act(topology.add_stage, pipeline=pipeline, user=user)
    await act(
        topology.delete_parts, pipeline=pipeline, user=user, phases=["review"], transitions=[]
    )
    await act(topology.connect, pipeline=pipeline, user=user, source="intake", target="stage-1")
    html = await tab.catch_up(1, select="stage:review", tab="stage")
    assert DRAWN_ANEW not in html
    assert '<div id="stage-review" hx-swap-oob="delete">' in html
    assert '<div id="edge-intake--review" hx-swap-oob="delete">' in html
    assert 'hx-swap-oob="beforeend:#stages"' in html
    assert 'id="edge-intake--stage-1"' in html
    assert '<aside id="inspector"' in html
    html = await tab.catch_up(1, select="stage:review", tab="stage", typing="typed")
    assert '<aside id="inspector"' not in html
    assert 'id="notice"' not in html


async def test_a_part_that_someone_renames_stays_selected(open_tab, client, user, pipeline):
    tab = await open_tab(client)
    await act(stages.rename_stage, pipeline=pipeline, user=user, phase="review", name="check")
    agent, renamed = "agent-review", Agent(id="agent-checker", name="Checker")
    await act(agents.update_agent, pipeline=pipeline, user=user, agent_id=agent, agent=renamed)
    for version, was, now in (
        (1, "stage:review", "stage:check"),
        (1, "transition:intake>review", "transition:intake&gt;check"),
        (2, "agent:agent-review", "agent:agent-checker"),
    ):
        html = await tab.catch_up(version, select=was, tab="stage")
        assert f'name="select" value="{now}"' in html
    html = await tab.catch_up(1, select="stage:review", tab="stage", typing="typed")
    assert '<aside id="inspector"' not in html


async def test_undo_is_heard_of_like_any_other_edit(open_tab, client, user, pipeline):
    tab = await open_tab(client)
    await act(topology.move_stages, **moved(pipeline, user, 300))
    await act(undo_edit, pipeline=pipeline, user=user)
    await tab.until('data-version="3"')
    html = await tab.catch_up(2)
    assert DRAWN_ANEW not in html
    assert 'data-x="60"' in html


@pytest.mark.parametrize("version", [0, 1, 9])
async def test_a_page_of_which_nothing_is_known_is_drawn_anew_once(
    open_tab, client, user, pipeline, version
):
    tab = await open_tab(client)
    for x in range(2):
        await act(topology.move_stages, **moved(pipeline, user, x))
    await in_database(Edit.objects.all().delete)
    html = await tab.catch_up(version)
    assert DRAWN_ANEW in html
    assert "v3 " in html
    await tab.ask(op="catch_up", version="3")
    await tab.ask(op="nothing")
    assert "together-remark" in await tab.until("version-chip|together-remark")


async def test_a_bell_that_was_lost_is_made_up_for(client, user, pipeline, settings):
    settings.READER_CHECK_SECONDS = 0.05
    layer = flaky_layer(settings)
    tab = Tab(client, pipeline.pk)
    assert await tab.open()
    layer.is_down = True
    await act(topology.move_stages, **moved(pipeline, user, 300))
    layer.is_down = False
    await tab.until('data-version="2"')
    await tab.socket.disconnect(timeout=MAX_WAIT)


# Presence


async def test_present_people_see_each_other_and_their_selections(open_tab, client, other_client):
    ada = await open_tab(client)
    grace = await open_tab(other_client)
    assert "grace is here." in await ada.until('id="people"')
    assert "ada is here." in await grace.until('id="people"')
    await grace.ask(op="look", at="stage-intake edge-intake--review")
    html = await ada.until('data-at="stage-intake edge-intake--review"')
    assert "grace, at intake, intake → review" in html
    assert "is here" not in html
    await open_tab(other_client)
    await grace.ask(op="look", at="")
    assert "is here" not in await ada.until('data-at=""')


async def test_a_person_who_leaves_disappears_after_a_moment(
    client, other_client, pipeline, settings
):
    settings.LEAVING_SECONDS = 0.01
    ada, grace = Tab(client, pipeline.pk), Tab(other_client, pipeline.pk)
    assert await ada.open()
    assert await grace.open()
    await ada.until("grace is here.")
    await grace.socket.disconnect(timeout=MAX_WAIT)
    html = await ada.until("grace has left.")
    assert "person-" not in html
    await ada.socket.disconnect(timeout=MAX_WAIT)


async def test_a_socket_that_died_without_a_word_is_gone_after_a_while(
    client, other_user, pipeline, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    ada = Tab(client, pipeline.pk)
    assert await ada.open()
    dead = ["f" * 16, other_user.pk, "grace", ["stage-intake"]]
    message = {"type": "tab.here", "tab": dead, "asks": False, "by": ""}
    await notifications.send_to_group(notifications.editor_group(pipeline.pk), message)
    await ada.until("grace is here.")
    await ada.until("grace has left.")
    await ada.socket.disconnect(timeout=MAX_WAIT)


async def test_presence_is_not_stored(open_tab, client):
    await open_tab(client)
    layer = get_channel_layer()
    assert layer is not None
    await asyncio.sleep(0)
    assert all(name.startswith(("pipeline.", "sessions.")) for name in layer.groups)

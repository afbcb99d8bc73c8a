"""What is done with a whole conversation: forked, compared, taken away, opened again, watched."""

from __future__ import annotations

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import Conversation
from designer.pipelines.traces import MAX_OPENED, open_trace, trace_lines
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.share_links import MAX_LINKS, create_watch_link
from designer.rehearsal.fragments.comparison import compare
from designer.rehearsal.fragments.conversation import conversation_context
from orchestration.control import SendNote
from orchestration.runtime import read_trace
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import QUESTION, converse, had, place, steer, types

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(user) -> Conversation:
    """Two messages, both answered; with handoffs and tools."""
    return had(user)


def url(name: str, *arguments: object) -> str:
    return reverse(name, args=arguments)


def test_its_pages_stand_below_the_bar_of_its_pipeline(client, conversation):
    pipeline = conversation.pipeline
    pages = [url("fork", conversation.pk, 1), url("watch_links", conversation.pk)]
    for page in [*pages, url("compare", pipeline.pk)]:
        html = client.get(page).content.decode()
        for mode in ("editor", "rehearse"):
            assert f'<a href="{url(mode, pipeline.pk)}"' in html


# Forks


def test_the_page_of_a_fork_says_where_it_is_and_begins_it(client, conversation):
    seq = place(conversation, "message.received", 1)
    page = client.get(url("fork", conversation.pk, seq)).content.decode()
    assert f"Fork at event {seq}" in page
    assert "<b>message</b>" in page
    assert "inbound from web: <q>Yes, please.</q>." in page
    sent = {"where": "before", "runs": "same", "name": "Another answer"}
    response = client.post(url("fork", conversation.pk, seq), sent)
    fork = Conversation.objects.get(forked_from=conversation)
    assert response.url == url("conversation", fork.pk)
    assert (fork.name, types(fork)[-1]) == ("Another answer", "run.completed")


def test_a_fork_says_of_which_rehearsal_it_is_one_and_from_where(client, user, conversation):
    seq = place(conversation, "message.received", 1)
    fork = fork_conversation(conversation, user=user, before=seq)
    page = client.get(url("conversation", fork.pk)).content.decode()
    kept, home = fork.forked_at, url("conversation", conversation.pk)
    origin = f'A fork of <a href="{home}">Rehearsal 1</a>, the same up to event {kept}'
    assert origin in page
    assert "<small>fork of 1 · v" in page
    assert "A fork of" not in client.get(home).content.decode()
    from_the_first = fork_conversation(conversation, user=user, before=1)
    page = client.get(url("conversation", from_the_first.pk)).content.decode()
    assert "from before its first message" in page
    conversation.delete()
    page = client.get(url("conversation", fork.pk)).content.decode()
    assert "A fork of a rehearsal that is gone" in page


def test_from_the_menu_it_is_forked_where_it_is_by_then(client, conversation):
    page = client.get(url("conversation", conversation.pk)).content.decode()
    assert f'href="{url("fork_now", conversation.pk)}"' in page
    Conversation.objects.filter(pk=conversation.pk).update(last_seq=conversation.last_seq - 1)
    response = client.get(url("fork_now", conversation.pk))
    assert response.url == url("fork", conversation.pk, conversation.last_seq - 1)


def test_where_nothing_has_happened_there_is_nothing_to_fork(client, user):
    new = make_conversation(user)
    response = client.get(url("fork_now", new.pk), follow=True)
    assert response.redirect_chain[-1][0] == url("conversation", new.pk)
    assert "it cannot be forked" in response.content.decode()


def test_every_event_that_can_be_forked_at_is_told_of_as_its_row_in_the_trace_is(
    client, conversation
):
    seq = place(conversation, "handoff.accepted")
    page = client.get(url("fork", conversation.pk, seq)).content.decode()
    assert "Triage → Handler accepted." in page
    for event in conversation.events():
        page = client.get(url("fork", conversation.pk, event.seq)).content.decode()
        assert event.type not in page


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({}, "Choose the last event of the fork."),
        ({"where": "beside", "runs": "same"}, "has no choice “beside”"),
        ({"where": "after", "runs": "another"}, "has no choice “another”"),
        ({"where": "after", "runs": "same", "name": "a" * 121}, "at most 120 characters"),
    ],
)
def test_a_fork_that_is_not_said_right_is_refused(client, conversation, sent, why):
    response = client.post(url("fork", conversation.pk, 3), sent)
    assert response.status_code == 422
    assert why in response.content.decode()


def test_a_fork_with_a_pipeline_that_no_longer_fits_is_refused_in_words(client, conversation):
    conversation.pipeline.stages.all().delete()
    sent = {"where": "after", "runs": "edited"}
    response = client.post(url("fork", conversation.pk, 3), sent)
    assert response.status_code == 422
    assert "cannot be rehearsed as it is now" in response.content.decode()


def test_there_is_no_fork_of_an_event_that_is_not_there(client, conversation):
    assert client.get(url("fork", conversation.pk, 999)).status_code == 404


def test_the_canvas_is_lit_no_further_than_the_page_is_told(conversation):
    """What is recorded while the page is made comes by its socket, and counts once."""
    told = place(conversation, "handoff.accepted")
    before = str(conversation_context(conversation)["lights"])
    conversation.last_seq = told - 1
    lights = str(conversation_context(conversation)["lights"])
    assert "data-traversed" in before
    assert "data-traversed" not in lights


# Comparing


def test_a_fork_that_goes_another_way_parts_where_it_was_told_otherwise(user, conversation):
    seq = place(conversation, "message.received", 1)
    fork = converse(fork_conversation(conversation, user=user, before=seq), "No, thank you.")
    found = compare(conversation, fork)
    assert found.first is not None
    assert found.first.left is not None
    assert found.first.right is not None
    assert (found.first.left.text, found.first.right.text) == ("Yes, please.", "No, thank you.")
    assert not any(row.differs for row in found.rows[: found.rows.index(found.first)])
    measures = {name: (left, right) for name, left, right in found.measures}
    assert measures["Path"][0].startswith("intake → handling")
    assert measures["Tokens sent"][0] != measures["Tokens sent"][1]


def test_what_a_handoff_tells_stands_beside_what_the_other_told(user):
    typed = had(user, "My gears slip and I need the bike by Friday", name="bike-shop")
    found = compare(typed, typed)
    [handoff] = [row.left.text for row in found.rows if row.left and row.left.kind == "handoff"]
    assert handoff.startswith("to Workshop: bike Touring 7 · urgent yes · summary The gears slip")


def test_two_that_went_the_same_way_do_not_differ(user, conversation):
    fork = fork_conversation(conversation, user=user, after=conversation.last_seq)
    found = compare(conversation, fork)
    assert found.first is None
    assert all(left == right for _, left, right in found.measures)


def test_the_page_marks_the_first_difference(client, user, conversation):
    seq = place(conversation, "message.received", 1)
    fork = converse(fork_conversation(conversation, user=user, before=seq), "No, thank you.")
    path = url("compare", conversation.pipeline_id)
    page = client.get(path).content.decode()
    assert page.count("Here they part") == 1
    assert "No, thank you." in page
    same = client.get(path, {"left": fork.pk, "right": fork.pk}).content.decode()
    assert "Both went the same way" in same or "Here they part" in same


def test_with_one_conversation_there_is_nothing_to_compare(client, conversation):
    page = client.get(url("compare", conversation.pipeline_id)).content.decode()
    assert "to compare there have to be two" in page


@pytest.mark.parametrize("chosen", ["999", "x", "\0"])
def test_what_cannot_be_compared_is_refused(client, other_user, conversation, chosen):
    theirs = make_conversation(other_user)
    for one in (chosen, str(theirs.pk)):
        path = url("compare", conversation.pipeline_id)
        response = client.get(path, {"left": one, "right": conversation.pk})
        assert response.status_code == 422
        assert "Choose a conversation of this pipeline." in response.content.decode()


# Taking away, and opening


def test_what_is_taken_away_can_be_opened_by_anybody(client, other_client, conversation):
    response = client.get(url("trace_export", conversation.pk))
    assert 'filename="customer-support-rehearsal-1.trace.jsonl"' in response["Content-Disposition"]
    assert read_trace(response.content).session_id == conversation.session_id

    opened = send(other_client, response.content)
    trace = Conversation.objects.get(pipeline=None)
    assert opened.url == url("conversation", trace.pk)
    assert [one.type for one in trace.events()] == types(conversation)
    page = other_client.get(opened.url).content.decode()
    assert "from a file, to be read only" in page
    assert "Order A-1043 is one desk lamp" in page
    assert 'id="composer"' not in page
    assert "ws-connect" not in page
    assert client.get(opened.url).status_code == 404


def send(client: Client, data: bytes, name: str = "talk.trace.jsonl"):
    """Open a file, as the dialog does."""
    return client.post(url("trace_open"), {"file": SimpleUploadedFile(name, data)})


def test_a_trace_has_no_need_of_its_pipeline(client, conversation):
    data = client.get(url("trace_export", conversation.pk)).content
    conversation.pipeline.delete()
    assert Conversation.objects.count() == 0
    page = client.get(send(client, data).url).content.decode()
    assert "Order A-1043 is one desk lamp" in page


def test_every_pane_of_a_trace_from_a_file_is_there(client, conversation):
    data = client.get(url("trace_export", conversation.pk)).content
    trace = url("conversation", open_trace(user=conversation.started_by, trace=read_trace(data)).pk)
    for pane in ("events/", "earlier/?before=9", "track/", "timeline/", "contexts/"):
        assert client.get(f"{trace}{pane}").status_code == 200, pane
    for event in conversation.events():
        assert client.get(f"{trace}events/{event.seq}/").status_code == 200


def test_a_file_that_is_no_trace_is_refused_in_the_dialog(client, conversation):
    lines = client.get(url("trace_export", conversation.pk)).content.splitlines(keepends=True)
    broken = b"".join([*lines[:4], b'{"type": "hello"}\n', *lines[5:]])
    response = send(client, broken)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Line 5: This is not an event" in page
    assert "<b>talk.trace.jsonl</b> was not opened." in page
    assert not Conversation.objects.filter(pipeline=None).exists()
    assert client.post(url("trace_open")).status_code == 422
    assert client.get(url("trace_open")).status_code == 302


def test_markup_in_a_trace_stays_text(client, conversation):
    lines = client.get(url("trace_export", conversation.pk)).content.decode()
    hostile = lines.replace("Yes, please.", "<img src=x onerror=alert(1)>")
    page = client.get(send(client, hostile.encode()).url).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_nobody_keeps_more_traces_than_may_be_kept(client, user, conversation):
    data = client.get(url("trace_export", conversation.pk)).content
    trace = open_trace(user=user, trace=read_trace(data.splitlines(keepends=True)[0]))
    rows = [
        Conversation(started_by=user, number=1, definition=trace.definition, pipeline_version=0)
        for _ in range(MAX_OPENED - 1)
    ]
    Conversation.objects.bulk_create(rows)
    response = send(client, data)
    assert response.status_code == 422
    assert "You have 100 traces from files" in response.content.decode()


def test_a_trace_is_put_away_and_a_rehearsal_is_not(client, user, conversation):
    data = client.get(url("trace_export", conversation.pk)).content
    trace = open_trace(user=user, trace=read_trace(data))
    assert client.post(url("trace_close", conversation.pk)).status_code == 404
    assert client.post(url("trace_close", trace.pk)).status_code == 302
    assert list(Conversation.objects.all()) == [conversation]


# Watching


def test_a_link_is_made_shown_once_and_taken_back(client, anonymous_client, conversation):
    path = url("watch_links", conversation.pk)
    made = client.post(path).content.decode()
    [link] = re.findall(r'value="([^"]+/watch/[^"]+)"', made)
    assert f"<code>{link}ag-ui/</code>" in made
    assert link not in client.get(path).content.decode()
    assert anonymous_client.get(link).status_code == 200
    [row] = conversation.watch_links.all()
    assert client.post(url("watch_revoke", conversation.pk, row.pk)).url == path
    assert anonymous_client.get(link).status_code == 404


def test_who_watches_sees_the_panes_and_nothing_that_steps_in(anonymous_client, user, conversation):
    token = create_watch_link(conversation=conversation, user=user)
    response = anonymous_client.get(url("watch", token))
    page = response.content.decode()
    assert "Order A-1043 is one desk lamp" in page
    assert 'id="trace"' in page
    assert f'ws-connect="/ws/watch/{token}/"' in page
    for absent in ('id="composer"', "Pipelines</a>", "Export", "sign-out", "/conversations/"):
        assert absent not in page, absent
    assert response["Referrer-Policy"] == "no-referrer"
    for pane in ("watch_events", "watch_earlier", "watch_track", "watch_timeline"):
        assert anonymous_client.get(url(pane, token)).status_code == 200, pane
    assert anonymous_client.get(url("watch_contexts", token)).status_code == 200


def test_who_watches_reads_the_notes_and_both_who_writes_and_who_shares_is_told_so(
    anonymous_client, client, user, conversation
):
    steer(conversation, SendNote(id="note-number-1", by="ada", text="Be kind"))
    token = create_watch_link(conversation=conversation, user=user)
    assert "Be kind" in anonymous_client.get(url("watch", token)).content.decode()
    links = client.get(url("watch_links", conversation.pk)).content.decode()
    assert "Notes to the agents are events, and are seen." in links
    own = client.get(url("conversation", conversation.pk)).content.decode()
    assert "Whoever watches by a link reads it" in own


def test_who_watches_is_shown_no_instructions(anonymous_client, client, user, conversation):
    token = create_watch_link(conversation=conversation, user=user)
    instructions = [one.instructions for one in conversation.snapshot().agents]
    told = json.dumps(instructions)[2:40]
    turn = place(conversation, "turn.started")
    own = client.get(url("conversation_event", conversation.pk, turn)).content.decode()
    assert "Instructions of the agent" in own
    pages = [anonymous_client.get(url("watch", token)).content.decode()]
    for event in conversation.events():
        response = anonymous_client.get(url("watch_event", token, event.seq))
        assert response.status_code == 200
        pages.append(response.content.decode())
    for page in pages:
        assert "Instructions of the agent" not in page
        assert "Fork here" not in page
        assert told not in page
    assert anonymous_client.get(url("watch_event", token, 999)).status_code == 404


def test_a_conversation_has_only_so_many_links(client, user, conversation):
    for _ in range(MAX_LINKS):
        create_watch_link(conversation=conversation, user=user)
    response = client.post(url("watch_links", conversation.pk))
    assert response.status_code == 422
    assert "at most 20 links" in response.content.decode()


def test_the_link_of_another_conversation_cannot_be_taken_back_here(client, user, conversation):
    other = make_conversation(user)
    create_watch_link(conversation=other, user=user)
    [link] = other.watch_links.all()
    assert client.post(url("watch_revoke", conversation.pk, link.pk)).status_code == 404
    assert other.watch_links.get().revoked is None


def test_the_menu_of_a_rehearsal_leads_to_all_of_it(client, conversation):
    page = client.get(url("conversation", conversation.pk)).content.decode()
    for name in ("trace_export", "watch_links"):
        assert url(name, conversation.pk) in page
    assert url("compare", conversation.pipeline_id) in page
    assert QUESTION in page


def test_events_that_tell_of_an_agent_which_the_pipeline_has_not_can_be_opened(client, user):
    origin = had(user, "Write a function that parses dates.", name="coding")
    lines = [json.loads(line) for line in trace_lines(origin)]
    started = next(line for line in lines if line.get("type") == "subtask.started")
    started["title"] = "agent-handler"
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    trace = open_trace(user=user, trace=read_trace(data))
    for seq in range(1, trace.last_seq + 1):
        page = client.get(reverse("conversation_event", args=[trace.pk, seq]))
        assert page.status_code == 200

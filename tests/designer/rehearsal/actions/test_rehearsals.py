"""A rehearsal as a whole: its name, its end, what is said anew in it, and who could take it."""

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from designer.editor.actions.tidy import tidy
from designer.models import Command, Conversation, Pipeline
from designer.rehearsal.actions.rehearsals import resend_message
from designer.rehearsal.fragments import inbox
from orchestration import events as e
from orchestration.control import End, HandOver, TakeOver
from orchestration.definition import HUMAN
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import converse, had, place, steer, types

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(user):
    return make_conversation(user)


@pytest.fixture
def talked(user) -> Conversation:
    """Two messages, both answered."""
    return had(user)


def post(client, address, conversation, **fields):
    return client.post(reverse(address, args=[conversation.pk]), fields)


def said(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def to_the_human() -> HandOver:
    return HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True)


# Names


def test_a_rehearsal_goes_by_its_name_in_its_head_and_in_the_list(client, conversation):
    response = post(client, "rename_rehearsal", conversation, name="  Angry <b>customer</b> ")
    assert response.url == reverse("conversation", args=[conversation.pk])
    page = client.get(response.url).content.decode()
    assert "<h2>Angry &lt;b&gt;customer&lt;/b&gt;</h2>" in page
    assert "<span>Angry &lt;b&gt;customer&lt;/b&gt;</span>" in page


def test_without_a_name_it_goes_by_its_number(client, conversation):
    post(client, "rename_rehearsal", conversation, name="One")
    post(client, "rename_rehearsal", conversation, name="")
    assert (
        "<h2>Rehearsal 1</h2>" in client.get(f"/conversations/{conversation.pk}/").content.decode()
    )


def test_a_name_that_is_too_long_is_refused_and_the_old_one_stays(client, conversation):
    post(client, "rename_rehearsal", conversation, name="One")
    response = post(client, "rename_rehearsal", conversation, name="x" * 121)
    assert said(response) == ["A name has at most 120 characters."]
    conversation.refresh_from_db()
    assert conversation.name == "One"


# The end


@pytest.mark.django_db(transaction=True)
def test_a_deleted_rehearsal_is_gone_with_its_trace_and_the_others_stay(client, user):
    talked = had(user)
    other = make_conversation(user)
    response = post(client, "delete_rehearsal", talked)
    assert response.url == reverse("rehearse", args=[talked.pipeline_id])
    assert said(response) == ["“Rehearsal 1” is deleted."]
    assert list(Conversation.objects.all()) == [other]
    assert client.get(f"/conversations/{talked.pk}/").status_code == 404


# Said anew


@pytest.mark.django_db(transaction=True)
def test_a_message_is_said_otherwise_in_a_fork_from_before_it(client, user):
    talked = had(user)
    before = types(talked)
    second = place(talked, "message.received", 1)
    response = post(client, "resend", talked, seq=second, text="No, <thanks>")
    fork = talked.forks.get()
    assert response.url == reverse("conversation", args=[fork.pk])
    assert fork.name == "Rehearsal 1, said anew"
    assert fork.forked_at == place(talked, "run.completed")
    assert types(talked) == before
    queued = Command.objects.filter(conversation=fork, kind="say").values_list("body", flat=True)
    events = [one.message.text for one in fork.events() if isinstance(one, e.MessageReceived)]
    started = [one.message for one in fork.events() if isinstance(one, e.RunStarted)]
    runs = [message.text for message in started if message]
    assert "No, <thanks>" in [*(one["text"] for one in queued), *events, *runs]


@pytest.mark.django_db(transaction=True)
def test_what_is_said_anew_twice_from_one_page_is_said_once(client, user):
    talked = had(user)
    second = place(talked, "message.received", 1)
    again = {"seq": second, "text": "No", "sending": "0123456789abcdef"}
    responses = [post(client, "resend", talked, **again) for _ in range(2)]
    fork = talked.forks.get()
    assert {one.url for one in responses} == {reverse("conversation", args=[fork.pk])}
    for other in (
        {"text": "Yes"},
        {"sending": "another-page"},
        {"seq": place(talked, "message.received")},
    ):
        post(client, "resend", talked, **(again | other))
    assert talked.forks.count() == 4


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"seq": 1, "text": "Hello"}, "Event 1 is not a message that can be sent again."),
        ({"seq": 999, "text": "Hello"}, "Event 999 is not a message that can be sent again."),
        ({"seq": 2, "text": "  "}, "Write something first."),
        ({"seq": 2, "text": "x" * 8_001}, "The message is too long: 8,000 characters are allowed."),
        ({"text": "Hello"}, "Seq must not be empty."),
        ({"seq": "two", "text": "Hello"}, "Seq must be a whole number."),
    ],
)
def test_what_cannot_be_said_anew_is_refused_with_a_sentence(client, talked, fields, sentence):
    response = post(client, "resend", talked, **fields)
    assert response.url == reverse("conversation", args=[talked.pk])
    assert said(response) == [sentence]
    assert talked.forks.count() == 0


def test_nothing_is_said_anew_where_its_agents_are_not_connected_any_more(client, talked):
    talked.definition["agents"][0]["provider"] = "gone"
    talked.save()
    response = post(client, "resend", talked, seq=place(talked, "message.received"), text="Hello")
    [sentence] = said(response)
    assert "uses the provider 'gone', but you have no connection of that name" in sentence
    assert talked.forks.count() == 0


def test_what_is_said_anew_in_what_was_said_anew_is_called_so_once_and_numbered(talked):
    first = place(talked, "message.received")
    fork = resend_message(conversation=talked, seq=first, text="Hello", user=talked.started_by)
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork,
        seq=place(fork, "message.received"),
        text="Good day",
        user=talked.started_by,
    )
    assert [fork.name, again.name] == ["Rehearsal 1, said anew", "Rehearsal 1, said anew 2"]


def test_what_is_said_anew_in_a_numbered_one_or_beside_it_has_a_name_of_its_own(talked):
    user = talked.started_by
    first = place(talked, "message.received")
    for text in ("Hello", "Good day"):
        fork = resend_message(conversation=talked, seq=first, text=text, user=user)
    assert fork.name == "Rehearsal 1, said anew 2"
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork, seq=place(fork, "message.received"), text="Hi", user=user
    )
    assert again.name == "Rehearsal 1, said anew 3"


# Another pipeline


def test_a_pipeline_that_only_lies_otherwise_has_not_changed(client, talked):
    conversation = reverse("conversation", args=[talked.pk])
    before = talked.pipeline.version
    tidy(pipeline=talked.pipeline, user=talked.pipeline.owner)
    assert Pipeline.objects.get(pk=talked.pipeline.pk).version > before
    assert "The pipeline has changed" not in client.get(conversation).content.decode()
    fork = reverse("fork", args=[talked.pk, talked.last_seq])
    assert "The pipeline has changed" not in client.get(fork).content.decode()


# Who could take it


def test_allowed_targets_come_first_and_all_others_stand_past_the_check(client, conversation):
    html = client.get(reverse("steering_targets", args=[conversation.pk])).content.decode()
    allowed, past = html.split("<legend>Past the check</legend>")
    assert "<legend>Allowed from intake</legend>" in allowed
    assert 'value="handling"' in allowed
    assert "data-past" not in allowed
    assert 'value="review"' in past
    assert past.count("data-past") == past.count('type="radio"')
    assert "no transition from stage" in past
    assert 'value="intake"' not in html


def test_a_conversation_is_handed_back_to_whoever_had_it_first_of_all(client, talked):
    before = talked.events()[-1].phase
    steer(talked, TakeOver(id="take-over-1", by="ada"))
    html = client.get(reverse("steering_targets", args=[talked.pk]), {"back": "1"}).content.decode()
    assert "<legend>Agents</legend>" in html
    assert "Past the check" not in html
    assert html.index(f'value="{before}"') == html.index('value="')


# The inbox


def test_an_empty_inbox_says_so_and_the_bar_leads_to_it_without_a_count(client):
    page = client.get(reverse("inbox")).content.decode()
    assert "Nobody waits for a human." in page
    assert 'href="/inbox/"' in client.get("/").content.decode()
    assert 'aria-label="Inbox" title="Inbox"' in page


def test_the_count_of_the_inbox_comes_anew_where_the_page_shows_another(client, talked):
    count = reverse("inbox_count")
    assert client.get(count, {"shown": "0"}).status_code == 204
    steer(talked, to_the_human())
    changed = client.get(count, {"shown": "0"})
    assert 'aria-label="Inbox: 1 for a human"' in changed.content.decode()
    assert "baton:waiting" in changed["HX-Trigger"]  # the inbox itself comes anew
    assert client.get(count, {"shown": "1"}).status_code == 204


@pytest.mark.django_db(transaction=True)
def test_what_waits_is_taken_and_opened_at_once_and_by_one_person_only(client, talked):
    steer(talked, to_the_human())
    assert f'action="/conversations/{talked.pk}/take/"' in client.get("/inbox/").content.decode()
    response = post(client, "take", talked)
    assert response.url == reverse("conversation", args=[talked.pk])
    talked.refresh_from_db()
    assert (talked.taken_by.username, talked.waits_for_human) == ("ada", False)
    assert said(post(client, "take", talked)) == ["ada has the conversation already."]


def test_what_is_ended_leaves_the_inbox_and_is_there_again_when_the_user_writes(client, talked):
    steer(talked, to_the_human())
    steer(talked, End(id="end-command", by="ada"))
    assert (talked.waits_for_human, talked.taken_by) == (False, None)
    page = client.get(reverse("conversation", args=[talked.pk])).content.decode()
    assert "ada ended it. Who writes again waits for the human" in page
    converse(talked, "One more thing")
    assert talked.waits_for_human


def test_the_inbox_shows_first_who_waits_longest_however_many_wait(user, monkeypatch):
    monkeypatch.setattr(inbox, "MAX_LISTED", 2)
    rows = [had(user) for _ in range(3)]
    for row in (rows[1], rows[2], rows[0]):
        command = HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True)
        steer(row, command)
    shown = [one.conversation for one in inbox.inbox_context(user)["waiting"]]
    assert shown == [rows[1], rows[2]]


def test_what_was_given_to_the_human_waits_in_the_inbox_until_somebody_takes_it(
    client, other_client, talked
):
    command = HandOver(
        id="to-human-1", by="ada", target=HUMAN, reason="Needs <b>a person</b>", past_check=True
    )
    steer(talked, command)
    page = client.get(reverse("inbox")).content.decode()
    assert "just now" in page
    assert "Needs &lt;b&gt;a person&lt;/b&gt;" in page
    assert 'aria-label="Inbox: 1 for a human"' in client.get("/").content.decode()
    assert "Nobody waits" in other_client.get(reverse("inbox")).content.decode()

    steer(talked, TakeOver(id="take-over-2", by="ada"))
    page = client.get(reverse("inbox")).content.decode()
    assert "Nobody waits" in page
    assert "you have it" in page
    assert 'aria-label="Inbox" title="Inbox"' in page

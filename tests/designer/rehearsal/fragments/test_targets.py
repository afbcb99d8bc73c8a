"""Handoff targets."""

import pytest
from django.urls import reverse

from orchestration.control import HandBack, HandOver, TakeOver
from tests.designer.recorded_conversations import record_rehearsal, steer, types

pytestmark = pytest.mark.django_db


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


def test_a_target_that_needs_a_payload_stands_past_the_check_and_is_reached(client, user):
    conversation = record_rehearsal(user, "Hello", name="bike-shop")
    html = client.get(reverse("steering_targets", args=[conversation.pk])).content.decode()
    allowed, past = html.split("<legend>Past the check</legend>")
    assert 'value="accounts"' in allowed
    assert 'value="workshop"' in past
    assert "It needs a payload" in past
    command = HandOver(id="1", by="ada", target="workshop", past_check=True)
    steer(conversation, command)
    assert types(conversation)[-2:] == ["handoff.accepted", "phase.changed"]


def test_between_two_messages_of_a_team_only_a_human_takes_over(client, user):
    conversation = record_rehearsal(user, "Hello", name="weekend-trip")
    html = client.get(reverse("steering_targets", args=[conversation.pk])).content.decode()
    assert 'value="human"' in html
    assert 'value="weather"' not in html
    assert "begins at its entry" in html


def test_the_first_target_of_a_hand_back_is_the_last_agent(client, recorded):
    before = recorded.events()[-1].phase
    steer(recorded, TakeOver(id="take-over-1", by="ada"))
    html = client.get(
        reverse("steering_targets", args=[recorded.pk]), {"back": "1"}
    ).content.decode()
    assert "<legend>Agents</legend>" in html
    assert "Past the check" not in html
    assert html.index(f'value="{before}"') == html.index('value="')


def test_a_hand_back_is_shown_once_in_the_chat(client, recorded):
    before = recorded.events()[-1].agent_id
    steer(recorded, TakeOver(id="take-over-1", by="ada"))
    steer(recorded, HandBack(id="hand-back-2", by="ada", target=before))
    html = client.get(reverse("conversation", args=[recorded.pk])).content.decode()
    chat = html[html.index('id="chat-log"') : html.index('id="queue"')]
    assert chat.count("ada hands the conversation back.") == 1
    assert "handed the conversation back" not in chat


def test_a_question_that_a_person_dropped_does_not_wait_any_more(client, user):
    conversation = record_rehearsal(user, "Plan a weekend in Lisbon", name="weekend-trip")
    address = reverse("conversation", args=[conversation.pk])
    assert "waits for your answer" in client.get(address).text
    steer(conversation, TakeOver(id="1", by="ada"))
    assert "waits for your answer" not in client.get(address).text

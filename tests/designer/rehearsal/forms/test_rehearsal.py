"""The forms of a whole conversation."""

import pytest
from django.urls import reverse

from tests.designer.rehearsal.rehearsal_pages import post, said

pytestmark = pytest.mark.django_db


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
def test_an_invalid_resend_is_refused_with_a_message(client, recorded, fields, sentence):
    response = post(client, "resend", recorded, **fields)
    assert response.url == reverse("conversation", args=[recorded.pk])
    assert said(response) == [sentence]
    assert recorded.forks.count() == 0

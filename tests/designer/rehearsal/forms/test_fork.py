"""The form of a fork."""

from __future__ import annotations

import pytest

from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({}, "Choose the last event of the fork."),
        ({"where": "beside", "runs": "same"}, "has no choice “beside”"),
        ({"where": "after", "runs": "another"}, "has no choice “another”"),
        ({"where": "after", "runs": "same", "name": "a" * 121}, "at most 120 characters"),
    ],
)
def test_a_fork_that_is_not_said_right_is_refused(client, recorded, sent, why):
    response = client.post(url("fork", recorded.pk, 3), sent)
    assert response.status_code == 422
    assert why in response.content.decode()

"""Form of a share link."""

import pytest

from designer.rehearsal.forms.share_link import ShareLinkForm


@pytest.mark.parametrize(
    ("days", "expected"), [("1", 1), ("7", 7), ("30", 30), ("", None), (None, None)]
)
def test_an_expiry_is_a_number_of_days_or_none(days, expected):
    form = ShareLinkForm({} if days is None else {"days": days}, last_seq=9)
    assert form.is_valid()
    assert form.cleaned_data == {"days": expected, "may_chat": False, "at": None}


def test_a_new_form_proposes_a_week_without_chat():
    form = ShareLinkForm(last_seq=9)
    assert (form["days"].value(), form["may_chat"].value()) == ("7", None)


@pytest.mark.parametrize(("at", "is_valid"), [("1", True), ("9", True), ("0", False), ("x", False)])
def test_a_link_opens_at_a_recorded_event(at, is_valid):
    form = ShareLinkForm({"at": at, "may_chat": "on"}, last_seq=9)
    assert form.is_valid() is is_valid
    assert form.cleaned_data["may_chat"]


@pytest.mark.parametrize("at", ["1001", "1000000"])
def test_a_later_event_is_refused_with_the_number_of_the_last_one(at):
    form = ShareLinkForm({"at": at}, last_seq=1_000)
    sentence = f"There is no event {int(at):,}: the last one so far is 1,000."
    assert form.errors == {"at": [sentence]}

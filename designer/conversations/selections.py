"""Changes of selected conversations: tags and pins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import Http404
from django.utils.http import url_has_allowed_host_and_scheme

from designer.core import BatonForm, HtmxHttpRequest, TagsField, atomic_action
from designer.models import ConversationSummary, ConversationTag

MAX_SELECTED = 500
"""Maximum number of selected conversations."""

MAX_TAGS = 8
"""Maximum number of tags of one conversation."""


class TooManyTagsError(Exception):
    """A conversation would have too many tags; the text is shown to the user."""

    def __init__(self) -> None:
        super().__init__(f"A conversation has at most {MAX_TAGS} tags: remove one first.")


class TagForm(BatonForm):
    """Tags that selected conversations get or lose."""

    tag = TagsField(label="Tag", max_length=24)
    remove = forms.BooleanField(required=False)


def selected(request: HtmxHttpRequest) -> list[ConversationSummary]:
    """Return the selected conversations of a request; 404 if one of them is not accessible."""
    data = request.POST if request.method == "POST" else request.GET
    try:
        pks = {int(pk) for pk in data.getlist("conversation")[: MAX_SELECTED + 1]}
    except ValueError:
        raise Http404 from None
    if len(pks) > MAX_SELECTED or any(abs(pk) >= 2**63 for pk in pks):
        raise Http404
    rows = ConversationSummary.objects.of(request.user).filter(pk__in=pks)
    summaries = list(rows.select_related("pipeline").order_by("pk"))
    if len(summaries) != len(pks):
        raise Http404
    return summaries


def address_after(request: HtmxHttpRequest, default: str) -> str:
    """Return the address of the list from which the request came, on this site."""
    address = request.POST.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_safe and address.startswith("/") else default


@atomic_action
def tag_conversations(
    *, summaries: Sequence[ConversationSummary], tags: Sequence[str], remove: bool
) -> None:
    """Add tags to conversations, or remove them; letter case does not distinguish tags.

    Raises TooManyTagsError, and changes nothing, if one of them has too many tags.
    """
    pks = [summary.pk for summary in summaries]
    for tag in tags:
        _tag(pks, tag, remove=remove)


def _tag(pks: Sequence[int], tag: str, *, remove: bool) -> None:
    """Add one tag to conversations, or remove it."""
    tags = ConversationTag.objects.filter(summary__in=pks)
    tagged = tags.filter(name__iexact=tag)
    if remove:
        tagged.delete()
        return
    known = set(tagged.values_list("summary", flat=True))
    new = [ConversationTag(summary_id=pk, name=tag) for pk in pks if pk not in known]
    counts: dict[int, int] = {}
    for pk in tags.values_list("summary", flat=True):
        counts[pk] = counts.get(pk, 0) + 1
    if any(counts.get(row.summary_id, 0) >= MAX_TAGS for row in new):
        raise TooManyTagsError
    ConversationTag.objects.bulk_create(new, ignore_conflicts=True)


@atomic_action
def pin_conversations(*, summaries: Sequence[ConversationSummary], pinned: bool) -> None:
    """Pin conversations, which retention then keeps, or unpin them."""
    rows: Any = ConversationSummary.objects.filter(pk__in=[summary.pk for summary in summaries])
    rows.update(is_pinned=pinned)

"""Variants of messages: the runs that forks of one conversation have in the same position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Max, Q
from django.template.loader import render_to_string
from django.utils.html import format_html

from designer.models import Conversation, ConversationQuerySet, RecordedEvent

MAX_FORKS = 100
"""Maximum number of searched conversations: the newest ones."""

_OWN_SESSION = re.compile(r"conversation-([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbouring variant, and a conversation that contains it."""

    run_id: str
    conversation_id: int


@dataclass(frozen=True, slots=True)
class MessageVariants:
    """Position of a message among its variants."""

    run_id: str
    """Run of the message."""
    position: int
    """Position from 1, in the order of their times."""
    count: int
    previous: Step | None
    next: Step | None


@dataclass(frozen=True, slots=True)
class _Run:
    run_id: str
    at: str
    has_message: bool


def variants_of(conversation: Conversation, visible: ConversationQuerySet) -> list[MessageVariants]:
    """Return the position of each message that has variants in visible conversations.

    Two conversations have variants of a message if all of their earlier runs are the same.
    """
    pks = _family(conversation, visible)
    if len(pks) < 2:
        return []
    runs = _runs(pks, conversation.session_id)
    return list(_variants(conversation.pk, runs))


def render_variants(conversation: Conversation) -> str:
    """Render the positions for the socket of a holder of a share link, who sees all variants."""
    variants = variants_of(conversation, Conversation.objects.all())
    return format_html(
        '<div id="variants" hx-swap-oob="innerHTML">{}</div>',
        render_to_string("rehearsal/chat/_variants.html", {"variants": variants}),
    )


def render_variants_mark(conversation: Conversation) -> str:
    """Render a mark that changes with each run of the forks, for the socket of signed-in users.

    Each of them is allowed to see other forks: a page whose mark changes requests its positions.
    """
    pks = _family(conversation, Conversation.objects.all())
    mark = 0
    if len(pks) > 1:
        starts = RecordedEvent.objects.filter(conversation__in=pks, type="run.started")
        mark = starts.aggregate(newest=Max("pk"))["newest"] or 0
    return format_html('<i id="variants-mark" hx-swap-oob="innerHTML">{} {}</i>', len(pks), mark)


def _family(conversation: Conversation, visible: ConversationQuerySet) -> list[int]:
    """Return the conversation and the visible ones with the same origin, in order."""
    if conversation.pipeline_id is None:
        return []
    is_related = Q(session=conversation.session_id)
    if own := _OWN_SESSION.fullmatch(conversation.session_id):
        is_related |= Q(session="", pk=int(own[1]))
    related = visible.filter(is_related, pipeline=conversation.pipeline_id)
    newest = related.order_by("-pk").values_list("pk", flat=True)[:MAX_FORKS]
    return sorted({*newest, conversation.pk})


def _runs(pks: list[int], session_id: str) -> dict[int, list[_Run]]:
    """Return the runs of each conversation, in order."""
    starts = RecordedEvent.objects.filter(
        conversation__in=pks, type="run.started", body__session_id=session_id
    ).order_by("conversation", "seq")
    runs: dict[int, list[_Run]] = {pk: [] for pk in pks}
    fields = ("conversation", "body__run_id", "body__at", "body__message__id")
    for pk, run_id, at, message_id in starts.values_list(*fields):
        runs[pk].append(_Run(run_id, at, message_id is not None))
    return runs


def _variants(pk: int, runs: dict[int, list[_Run]]) -> Iterator[MessageVariants]:
    same = [pk, *(other for other in runs if other != pk)]
    for index, run in enumerate(runs[pk]):
        same = [other for other in same if len(runs[other]) > index]
        holders: dict[str, int] = {run.run_id: pk}
        times = {run.run_id: run.at}
        for other in same:
            theirs = runs[other][index]
            if theirs.has_message:
                holders.setdefault(theirs.run_id, other)
                times[theirs.run_id] = theirs.at
        if run.has_message and len(holders) > 1:
            yield _position(run.run_id, holders, times)
        same = [other for other in same if runs[other][index].run_id == run.run_id]
        if len(same) < 2:
            return


def _position(run_id: str, holders: dict[str, int], times: dict[str, str]) -> MessageVariants:
    order = sorted(holders, key=lambda other: (times[other], holders[other]))
    steps = [Step(other, holders[other]) for other in order]
    index = order.index(run_id)
    return MessageVariants(
        run_id,
        index + 1,
        len(order),
        steps[index - 1] if index else None,
        steps[index + 1] if index + 1 < len(steps) else None,
    )

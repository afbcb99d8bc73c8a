"""Share links of a conversation, and their pages.

Holders of a link see the panes and the events, but no instructions, tools or contexts of the
pipeline, and no controls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from designer.core import (
    HtmxHttpRequest,
    check_link_owner,
    get_conversation,
    owns_conversation,
    send_to_group,
    share_link_of,
    shared_conversation,
)
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import (
    TooManyLinksError,
    create_share_link,
    revoke_share_link,
)
from designer.rehearsal.forms.share_link import ShareLinkForm
from designer.rehearsal.views import events
from designer.rehearsal.views.read_only import reading_page
from designer.rehearsal.views.variants import shared_variants

# Management of the links


@require_http_methods(["GET", "POST"])
@never_cache
def share_links(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """List the links of a conversation, or create one, which is shown only once."""
    row = get_conversation(request, pk)
    if request.method == "GET":
        return _links_page(request, row, form=ShareLinkForm(last_seq=row.last_seq))
    form = ShareLinkForm(request.POST, last_seq=row.last_seq)
    if not form.is_valid():
        return _links_page(request, row, status=422, form=form)
    try:
        data = form.cleaned_data
        token = create_share_link(
            conversation=row, user=request.user, days=data["days"], may_chat=data["may_chat"]
        )
    except TooManyLinksError as error:
        return _links_page(request, row, status=422, form=form, refusal=str(error))
    link = request.build_absolute_uri(reverse("watch", args=[token]))
    context = {"link": link, "at": data["at"], "may_chat": data["may_chat"]}
    return _links_page(request, row, form=form, **context)


@require_POST
def watch_revoke(request: HtmxHttpRequest, pk: int, link: int) -> HttpResponse:
    """Revoke a link, and close the sockets of its readers."""
    row = get_conversation(request, pk)
    share_link = get_object_or_404(row.share_links.select_related("conversation"), pk=link)
    check_link_owner(request, share_link)
    revoke_share_link(link=share_link, by=request.user)
    async_to_sync(send_to_group)(live.group_of(row.pk), {"type": "reader.check"})
    return redirect("share_links", row.pk)


def _links_page(
    request: HtmxHttpRequest, row: Conversation, *, status: int = 200, **context: Any
) -> HttpResponse:
    links = row.share_links.valid().select_related("created_by")
    context |= {
        "conversation": row,
        "pipeline": row.pipeline,
        "mode": "rehearse",
        "links": links,
        "owns_conversation": owns_conversation(request, row),
    }
    return render(request, "rehearsal/share_links.html", context, status=status)


# Pages for holders of a link

ConversationView = Callable[..., HttpResponse]


def watching(conversation_view: ConversationView) -> ConversationView:
    """Return a view of a conversation for holders of a link, signed in or not."""

    @login_not_required
    @require_GET
    @never_cache
    def view(request: HtmxHttpRequest, token: str, **arguments: int) -> HttpResponse:
        conversation = shared_conversation(token)
        if conversation is None:
            response = _link_without_access(request, token)
        else:
            response = conversation_view(request, conversation, **arguments)
        # The address is the permission: linked sites must not receive it.
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex"
        return response

    return view


def _link_without_access(request: HtmxHttpRequest, token: str) -> HttpResponse:
    """Return the page of a link that does not work: 410 if it worked before, otherwise 404."""
    link = share_link_of(token)
    status = 404 if link is None else 410
    return render(request, "rehearsal/share_link_ended.html", {"link": link}, status=status)


@watching
def watch(request: HtmxHttpRequest, row: Conversation) -> HttpResponse:
    """Show the panes, with a socket for new events."""
    token = request.resolver_match.kwargs["token"] if request.resolver_match else ""
    return reading_page(request, row, socket=f"/ws/watch/{token}/")


watch_events = watching(events.trace_rows)
watch_event = watching(events.trace_event)
watch_earlier = watching(events.earlier)
watch_track = watching(events.track)
watch_sums = watching(events.sums)
watch_timeline = watching(events.timeline)
watch_contexts = watching(events.contexts)
watch_variants = watching(shared_variants)

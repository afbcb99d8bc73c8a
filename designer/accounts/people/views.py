"""Page with all people, for administrators: states, roles, links and invitations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.accounts.mail import send_message_later
from designer.accounts.people.changes import (
    activate_user,
    change_role,
    create_reset_link,
    deactivate_user,
)
from designer.accounts.people.forms import InvitationForm, PeopleFilterForm, RoleForm
from designer.accounts.people.invitations import create_invitation, revoke_invitation
from designer.core import HtmxHttpRequest, RefusedError, check_administrator, natural_key
from designer.models import Invitation

PAGE = 100
"""Number of people on a page."""

UNPROCESSABLE = 422


@require_GET
@never_cache
def people(request: HtmxHttpRequest) -> HttpResponse:
    """List the people that match the filter, and the open invitations."""
    check_administrator(request)
    return _page(request)


@require_POST
@never_cache
def invite(request: HtmxHttpRequest) -> HttpResponse:
    """Create an invitation; its link is shown only once, and sent to the e-mail address."""
    check_administrator(request)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, status=UNPROCESSABLE, form=form)
    try:
        token = create_invitation(by=request.user, **form.cleaned_data)
    except RefusedError as error:
        form.add_error(None, str(error))
        return _page(request, status=UNPROCESSABLE, form=form)
    link = request.build_absolute_uri(reverse("accept_invitation", args=[token]))
    email = form.cleaned_data["email"]
    is_sent = bool(email) and settings.MAIL_ENABLED
    if is_sent:
        _send_invitation(request, link, **form.cleaned_data)
    label = f"The invitation, also sent to {email}." if is_sent else "The invitation."
    return _page(request, link=link, link_label=f"{label} It is shown this once.")


@require_POST
def invitation_revoke(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Revoke an invitation."""
    check_administrator(request)
    get_object_or_404(Invitation, pk=pk)
    revoke_invitation(pk=pk, by=request.user)
    return redirect("people")


@require_POST
def person_deactivate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Deactivate a user."""
    check_administrator(request)
    action = partial(deactivate_user, user_id=pk, by=request.user)
    return _change(request, pk, action, "“{}” is deactivated and signed out.")


@require_POST
def person_activate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Activate a user."""
    check_administrator(request)
    action = partial(activate_user, user_id=pk, by=request.user)
    return _change(request, pk, action, "“{}” can sign in again.")


@require_POST
def person_role(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the role of a user."""
    check_administrator(request)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "There is no such role: reload the page.")
        return redirect("people")
    role = form.cleaned_data["role"]
    action = partial(change_role, user_id=pk, role=role, by=request.user)
    return _change(request, pk, action, f"The role of “{{}}” is now: {role}.")


@require_POST
@never_cache
def person_reset_link(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Create a link for a new password, which is shown only once."""
    check_administrator(request)
    user = get_object_or_404(User, pk=pk)
    try:
        parts = create_reset_link(user=user, by=request.user)
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect("people")
    link = request.build_absolute_uri(reverse("password_reset_link", args=parts))
    label = f"The link for a new password of “{user}”, valid for one hour. It is shown this once."
    return _page(request, link=link, link_label=label)


def _change(
    request: HtmxHttpRequest, pk: int, action: Callable[[], User], success: str
) -> HttpResponse:
    """Change a user, and say what has happened."""
    get_object_or_404(User, pk=pk)
    try:
        user = action()
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect("people")
    messages.success(request, success.format(user))
    is_still_allowed = user != request.user or user.is_superuser
    return redirect("people" if is_still_allowed else "pipelines")


def _page(request: HtmxHttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    search = PeopleFilterForm(request.GET)
    search.is_valid()
    text = search.cleaned_data.get("q", "")
    rows = User.objects.all()
    if text:
        rows = rows.filter(Q(username__icontains=text) | Q(email__icontains=text))
    people = sorted(rows, key=lambda person: natural_key(person.username))
    invitations = Invitation.objects.open().select_related("created_by")
    context = {
        "form": InvitationForm(),
        "search": search,
        "text": text,
        "people": Paginator(people, PAGE).get_page(request.GET.get("page")),
        "invitations": invitations,
        **context,
    }
    return render(request, "accounts/people.html", context, status=status)


def _send_invitation(
    request: HtmxHttpRequest, link: str, *, email: str, days: int, role: str
) -> None:
    context = {"link": link, "days": days, "by": request.user, "host": request.get_host()}
    body = render_to_string("accounts/invitation_mail.txt", context)
    message = EmailMessage("Invitation to Baton", body, to=[email])
    send_message_later(message)

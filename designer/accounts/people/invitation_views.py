"""Page of an invitation: the invited person creates the account."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from designer.accounts.openid.provider import INVITATION
from designer.accounts.people.invitation_form import AcceptInvitationForm
from designer.accounts.people.invitations import accept_invitation
from designer.core import GoneError, RefusedError
from designer.models import Invitation

BACKEND = "django.contrib.auth.backends.ModelBackend"
GONE, UNPROCESSABLE = 410, 422


@sensitive_post_parameters()
@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form (GET), or create the account and sign the person in (POST)."""
    invitation = Invitation.objects.open().for_token(token).select_related("created_by").first()
    if invitation is None:
        return render(request, "accounts/invitation_expired.html", status=GONE)
    if settings.OPENID_PROVIDER:
        request.session[INVITATION] = invitation.pk  # for a sign-in at the provider
    form = AcceptInvitationForm(User(email=invitation.email), request.POST or None)
    if form.is_valid():
        username, password = form.cleaned_data["username"], form.cleaned_data["new_password1"]
        try:
            user = accept_invitation(token=token, username=username, password=password)
        except GoneError:
            return render(request, "accounts/invitation_expired.html", status=GONE)
        except RefusedError as error:
            form.add_error(error.field, str(error))
        else:
            login(request, user, backend=BACKEND)
            return redirect("/")
    status = UNPROCESSABLE if form.is_bound else 200
    context = {
        "form": form,
        "invitation": invitation,
        "openid_provider": settings.OPENID_PROVIDER,
    }
    return render(request, "accounts/invitation.html", context, status=status)

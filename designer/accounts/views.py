"""Views for signing in by password or link, and for signing out."""

import logging
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from designer.accounts.sign_in import use_sign_in_link
from designer.accounts.sign_in_form import SignInForm
from designer.instrumentation import client_address
from designer.models import SignInLink

log = logging.getLogger("designer.accounts.sign_in")

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignInView(LoginView):
    """Sign in by password, with a link for a forgotten one if there is a mail server."""

    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Add the other ways to sign in."""
        return super().get_context_data(
            may_reset_password=settings.MAIL_ENABLED,
            openid_provider=settings.OPENID_PROVIDER,
            **context,
        )


sign_in = SignInView.as_view()
sign_out = LogoutView.as_view()


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a sign-in button (GET), or use the link and sign its user in (POST).

    Viewing the page changes nothing, so a link preview, a mail scanner or a browser that
    fetches ahead cannot use the link up, and no other site can sign a visitor in unasked.
    """
    if request.method == "POST":
        user, address = use_sign_in_link(token=token), client_address(request)
        if user is not None:
            login(request, user, backend=BACKEND)
            log.info("Sign-in by link succeeded: name %r, address %s", user.username, address)
            return redirect("/")
        log.warning("Sign-in by link failed: address %s", address)

    link = SignInLink.objects.for_token(token).usable().select_related("user").first()
    if link is None:
        return render(request, "accounts/sign_in_link_expired.html", status=410)
    return render(request, "accounts/sign_in_link.html", {"link": link})

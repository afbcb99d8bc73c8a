"""Views of the sign-in by OpenID Connect: the way to the provider, and back."""

from __future__ import annotations

import logging

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from designer.accounts.openid.provider import (
    UNAVAILABLE,
    OpenIdProviderError,
    configured_provider,
    fetch_metadata,
)
from designer.accounts.sign_in_limits import (
    WAIT_MINUTES,
    count_attempt_of_address,
    forgive_attempt_of_address,
)
from designer.instrumentation import client_address

TOO_MANY = f"Sign-in is blocked after too many failed attempts. Wait {WAIT_MINUTES} minutes."
UNKNOWN_STATE = "This sign-in took too long, or began in another browser. Try again."

log = logging.getLogger("designer.accounts.sign_in")


@method_decorator([login_not_required, never_cache], name="dispatch")
class OpenIdSignInView(OIDCAuthenticationRequestView):
    """Redirect to the provider."""

    def __init__(self) -> None:
        """Read the settings with the request: they may be missing."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Remember state, nonce and verifier in the session, and redirect to the provider."""
        provider = configured_provider()
        self.OIDC_RP_CLIENT_ID = provider.client_id
        try:
            self.OIDC_OP_AUTH_ENDPOINT = fetch_metadata(provider.issuer).authorization_endpoint
        except OpenIdProviderError as error:
            log.error("Sign-in by OpenID Connect is not possible: %s", error)
            messages.error(request, UNAVAILABLE)
            return redirect("sign_in")
        response: HttpResponse = super().get(request)
        return response


@method_decorator([login_not_required, never_cache], name="dispatch")
class OpenIdCallbackView(OIDCAuthenticationCallbackView):
    """Sign the person in who comes back from the provider."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Exchange the code for a token and sign its user in; otherwise explain the failure.

        An error of the provider does not end a present session, as it does in the library: a link
        on another site could end it.
        """
        provider = configured_provider()
        if "error" in request.GET:
            messages.error(request, f"You were not signed in by {provider.name}. Try again.")
            return self.login_failure()
        states = request.session.get("oidc_states", {})
        if "code" not in request.GET or request.GET.get("state") not in states:
            messages.error(request, UNKNOWN_STATE)
            return self.login_failure()
        address = client_address(request)
        if not count_attempt_of_address(address=address):
            log.warning("Sign-in by OpenID Connect blocked: address %s", address)
            messages.error(request, TOO_MANY)
            return self.login_failure()
        response: HttpResponse = super().get(request)
        if getattr(self, "user", None) is not None:
            forgive_attempt_of_address(address=address)
        return response

    def login_failure(self) -> HttpResponse:
        """Return to the sign-in page, which shows the reason."""
        return redirect("sign_in")


sign_in = OpenIdSignInView.as_view()
callback = OpenIdCallbackView.as_view()

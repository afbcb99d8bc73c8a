"""Pages for a new password by a link: its request, and the choice of the password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator

from designer.accounts.passwords.forms import ResetPasswordForm
from designer.accounts.passwords.reset_form import RequestResetForm

SENT = (
    "If an account with a password has this address, a mail with a link is on its way. "
    "The link is valid for one hour."
)
CHANGED = "Your password is changed: sign in with it."
GONE = 410


@method_decorator(login_not_required, name="dispatch")
class RequestResetView(PasswordResetView):
    """Ask for the e-mail address, and send the link. Without a mail server there is no such page.

    The response is the same for known and unknown addresses, and does not wait for the mail.
    """

    form_class = RequestResetForm
    template_name = "accounts/password_reset.html"
    subject_template_name = "accounts/password_reset_subject.txt"
    email_template_name = "accounts/password_reset_mail.txt"
    success_url = reverse_lazy("sign_in")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Refuse requests without a mail server."""
        if not settings.MAIL_ENABLED:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        """Send the link, and say so on the sign-in page."""
        response = super().form_valid(form)
        messages.success(self.request, SENT)
        return response


class ResetPasswordView(PasswordResetConfirmView):
    """Ask for the new password, if the link is valid."""

    form_class = ResetPasswordForm
    template_name = "accounts/password_reset_link.html"
    success_url = reverse_lazy("sign_in")

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password, and continue with the sign-in page."""
        response = super().form_valid(form)
        messages.success(self.request, CHANGED)
        return response

    def render_to_response(self, context: dict[str, Any], **options: Any) -> HttpResponse:
        """Render the form, or the explanation of a link that is no longer valid."""
        status = None if self.validlink else GONE
        return super().render_to_response(context, status=status, **options)


request_reset = RequestResetView.as_view()
reset_password = ResetPasswordView.as_view()

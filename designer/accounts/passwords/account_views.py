"""Page of a person's own account: name, address and password."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpResponse
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from designer.accounts.passwords.forms import ChangePasswordForm, NewPasswordForm
from designer.core import HtmxHttpRequest

CHANGED = "Your password is changed. All other sessions of yours have ended."


@method_decorator(never_cache, name="dispatch")
class AccountView(PasswordChangeView):
    """Show the account, and change its password. A new administrator has none to confirm."""

    request: HtmxHttpRequest
    template_name = "accounts/account.html"
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[Any]:
        """Ask for the present password if there is one."""
        has_password = self.request.user.has_usable_password()
        return ChangePasswordForm if has_password else NewPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password, and keep the present session."""
        response = super().form_valid(form)
        messages.success(self.request, CHANGED)
        return response


account = AccountView.as_view()

"""Site of Django's admin: for administrators, with Baton's own sign-in and account pages."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.http import Http404, HttpRequest
from django.urls import URLPattern, URLResolver, path
from django.views.generic import RedirectView


class BatonAdminSite(AdminSite):
    """Admin without its own sign-in: it does not exist for people who are not administrators."""

    site_header = site_title = "Baton administration"
    index_title = "Rows"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Admit administrators only: staff without all rights could make itself one."""
        return request.user.is_active and request.user.is_superuser

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Return the view with the check of its permission."""
        inner = super().admin_view(view, cacheable)

        def check(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if not self.has_permission(request):
                raise Http404
            return inner(request, *args, **kwargs)

        return update_wrapper(check, view)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return the addresses; those for accounts lead to Baton's pages."""
        sign_in = RedirectView.as_view(pattern_name="sign_in", query_string=True)
        account = RedirectView.as_view(pattern_name="account")
        return [
            path("login/", login_not_required(sign_in), name="login"),
            path("logout/", LogoutView.as_view(), name="logout"),
            path("password_change/", account, name="password_change"),
            path("password_change/done/", account, name="password_change_done"),
            *super().get_urls(),
        ]


admin_site = BatonAdminSite()

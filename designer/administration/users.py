"""Users in Django's admin: name and address. State, role and passwords belong to other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from designer.accounts import is_taken, user_target
from designer.audit import record_audit
from designer.models import AuditAction

if TYPE_CHECKING:
    UserModelForm = forms.ModelForm[User]
    UserModelAdmin = ModelAdmin[User]
else:
    UserModelForm, UserModelAdmin = forms.ModelForm, ModelAdmin  # only generic in their stubs


class UserForm(UserModelForm):
    """User name and e-mail address."""

    class Meta:
        model = User
        fields = ("username", "email")

    def clean_username(self) -> str:
        """Refuse a name that differs from another one only in the case of letters."""
        username: str = self.cleaned_data["username"]
        if username.casefold() != self.initial["username"].casefold() and is_taken(username):
            raise ValidationError(f"There is a user “{username}” already: choose another name.")
        return username


class UserAdmin(UserModelAdmin):
    """Users. They are invited and deactivated on the page People, and never deleted."""

    form = UserForm
    actions = None
    fields = ("username", "email", "is_superuser", "is_active", "last_login", "date_joined")
    readonly_fields = ("is_superuser", "is_active", "last_login", "date_joined")
    list_display = ("username", "email", "is_superuser", "is_active", "last_login", "date_joined")
    list_filter = ("is_superuser", "is_active")
    search_fields = ("username", "email")
    ordering = ("username",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: people are invited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse: a deleted user would take all pipelines along."""
        return False

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the user, with an audit entry of the old and new values."""
        super().save_model(request, obj, form, change)
        changes = (
            f"{name} “{form.initial[name]}” to “{form.cleaned_data[name]}”"
            for name in form.changed_data
        )
        if form.changed_data:
            record_audit(
                AuditAction.USER_CHANGED,
                actor=cast("User", request.user),
                target=user_target(obj),
                detail=", ".join(changes),
            )


def register_users(site: AdminSite) -> None:
    """Register the users."""
    site.register(User, UserAdmin)

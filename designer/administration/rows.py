"""Rows of the app in Django's admin: to look at, because actions of the app enforce their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import BinaryField, Field, ForeignKey, JSONField, Model, QuerySet, TextField
from django.http import HttpRequest

from designer.accounts import user_target
from designer.audit import record_audit
from designer.models import AuditAction, OpenIdIdentity

SECRET = frozenset({"digest", "token_hash", "sealed_key", "sealed_headers"})
"""Fields that are not shown: digests of tokens and encrypted secrets."""

MAX_COLUMNS = 8
PAGE = 50

if TYPE_CHECKING:
    AnyModelAdmin = ModelAdmin[Any]
else:
    AnyModelAdmin = ModelAdmin  # it is only generic in its stubs


class RowAdmin(AnyModelAdmin):
    """Rows that can be searched and opened, but neither added, changed nor deleted.

    The columns are derived from the model. Large values are only read when a row is opened.
    """

    actions = None
    list_per_page = PAGE
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Refuse."""
        return False

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """Return the first small fields; of other rows than users only the id."""
        small = [field for field in self._shown() if not isinstance(field, JSONField | TextField)]
        return tuple(_column(field) for field in small[:MAX_COLUMNS])

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        """Return the small texts, and the names of users."""
        return [
            f"{field.name}__username" if _is_user(field) else field.name
            for field in self._shown()
            if _is_user(field) or field.get_internal_type() in ("CharField", "EmailField")
        ]

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """Return the fields of the page of a row, those without an editor included."""
        return tuple(field.name for field in self._shown())

    def get_readonly_fields(
        self, request: HttpRequest, obj: Model | None = None
    ) -> tuple[str, ...]:
        """Return all fields."""
        return self.get_fields(request, obj)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows, newest first, without their large values."""
        large = [field.name for field in self._shown() if isinstance(field, JSONField | TextField)]
        return super().get_queryset(request).defer(*large).order_by("-pk")

    def _shown(self) -> list[Field[Any, Any]]:
        return [
            field
            for field in self.model._meta.concrete_fields  # noqa: SLF001 - public API of Django
            if field.name not in SECRET and not isinstance(field, BinaryField)
        ]


class OpenIdIdentityAdmin(RowAdmin):
    """Links to an identity provider, which can be deleted if an address went to another person."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow it to administrators."""
        return True

    @transaction.atomic
    def delete_model(self, request: HttpRequest, obj: OpenIdIdentity) -> None:
        """Delete the link, with an audit entry."""
        record_audit(
            AuditAction.IDENTITY_UNLINKED,
            actor=cast("User", request.user),
            target=user_target(obj.user),
            detail=str(obj),
        )
        super().delete_model(request, obj)


def register_rows(site: AdminSite) -> None:
    """Register all models of the app."""
    site.register(OpenIdIdentity, OpenIdIdentityAdmin)
    for model in apps.get_app_config("designer").get_models():
        if not site.is_registered(model):
            site.register(model, RowAdmin)


def _is_user(field: Field[Any, Any]) -> bool:
    return isinstance(field, ForeignKey) and field.related_model is User


def _column(field: Field[Any, Any]) -> str:
    """Return the name of a column; the rows of other tables are not read."""
    return field.name if _is_user(field) else field.attname

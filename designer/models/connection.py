"""Connections of a user's pipelines to models and tools."""

from __future__ import annotations

import json
from typing import ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.views.decorators.debug import sensitive_variables

from designer.models.secrets import UnreadableSecretError, seal, unseal
from orchestration.network import ConnectionSettings, TimeLimits
from orchestration.providers import VENDORS

STDIO = "mcp_stdio"

MODEL_KINDS = tuple(VENDORS)
"""Kinds of connections to models; the other kinds connect to tools."""


def connection_kinds() -> list[tuple[str, str]]:
    """Return the kinds of connections with their names; a function, so a vendor needs no migration.

    Source: Django's reference of `Field.choices`.
    """
    return [
        *((name, vendor.label) for name, vendor in VENDORS.items()),
        ("http", "An HTTP API, for tools"),
        ("mcp", "An MCP server over HTTP, for tools"),
        (STDIO, "An MCP server of this machine, for tools"),
    ]


class ConnectionQuerySet(models.QuerySet["Connection"]):
    """Queries for connections."""

    def of(self, user: User) -> ConnectionQuerySet:
        """Return the user's own connections."""
        return self.filter(owner=user)


class Connection(models.Model):
    """A named model API, HTTP API or MCP server. `version` increases with each change.

    The key and the headers are encrypted and bound to one host.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="connections"
    )
    name = models.CharField(max_length=64)
    """Name for agents and tools."""
    kind = models.CharField(
        max_length=17,
        choices=connection_kinds,
        default="openai_compatible",
    )
    base_url = models.CharField(max_length=500, blank=True)
    command = models.CharField(max_length=64, blank=True)
    """Name of an MCP server's stdio command in the operator's list."""
    sealed_key = models.TextField(blank=True)
    sealed_headers = models.TextField(blank=True)
    """JSON: `{"name": "value"}`."""
    header_names = models.JSONField(default=list, blank=True)
    model = models.CharField(max_length=200, blank=True)
    known_models = models.JSONField(default=list, blank=True)
    """Models that the vendor listed last."""
    connect = models.FloatField(null=True, blank=True)
    first_byte = models.FloatField(null=True, blank=True)
    between = models.FloatField(null=True, blank=True)
    turn = models.FloatField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(null=True, blank=True)
    price_in = models.FloatField(null=True, blank=True)
    """Price of a million input tokens in dollars."""
    price_out = models.FloatField(null=True, blank=True)
    """Price of a million output tokens in dollars."""
    version = models.PositiveIntegerField(default=1)
    updated = models.DateTimeField(auto_now=True)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "name"], name="one_connection_per_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """The only server that may receive the key and headers: `https://api.openai.com`."""
        return f"{STDIO}:{self.command}" if self.kind == STDIO else host_of(self.base_url)

    @sensitive_variables()
    def store_secrets(self, *, key: str | None, headers: dict[str, str] | None) -> None:
        """Encrypt the key and the headers for the current place; None keeps the stored value."""
        if key is not None:
            self.sealed_key = seal(key, place=self.place)
        if headers is not None:
            text = json.dumps(headers) if headers else ""
            self.sealed_headers = seal(text, place=self.place)
            self.header_names = list(headers)

    @sensitive_variables()
    def headers(self) -> dict[str, str]:
        """Return the decrypted headers, or raise `UnreadableSecretError`."""
        text = unseal(self.sealed_headers, place=self.place)
        return dict(json.loads(text)) if text else {}

    @sensitive_variables()
    def value(self) -> ConnectionSettings:
        """Return the settings for runs; with a `fault` if the secrets cannot be decrypted."""
        key, headers, fault = "", dict[str, str](), ""
        try:
            key = unseal(self.sealed_key, place=self.place)
            headers = self.headers()
        except UnreadableSecretError as error:
            secret = "headers" if key or not self.sealed_key else "key"
            fault = f"The {secret} of the connection {self.name!r} {error}."
        return ConnectionSettings(
            name=self.name,
            kind=self.kind,
            base_url=self.base_url,
            key=key,
            headers=headers,
            command=tuple(settings.MCP_STDIO.get(self.command, ())),
            model=self.model,
            limits=TimeLimits(
                connect=self.connect,
                first_byte=self.first_byte,
                between=self.between,
                turn=self.turn,
                tries=self.tries,
            ),
            owner=str(self.owner_id),
            fault=fault,
        )


def host_of(url: str) -> str:
    """Return scheme, host and port of an address; secrets are bound to them.

    >>> host_of("https://API.example:443/v1"), host_of("http://localhost:8080/")
    ('https://api.example', 'http://localhost:8080')
    """
    parts = urlsplit(url)
    default_port = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, default_port) else f":{parts.port}"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host or ''}{port}"

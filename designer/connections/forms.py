"""Form of the connection page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from designer.core import KeyField, PartForm, ProseField, natural_key
from designer.models import MODEL_KINDS, STDIO, Connection
from orchestration.network import is_allowed_header, is_header_name, is_header_value
from orchestration.providers import RetryPolicy, default_address

STORED_VALUE = "••••••"
"""Placeholder for the value of a stored header, which is never shown."""

MAX_HEADERS = 20

_FOR_MODELS = " ".join(MODEL_KINDS)
_OVER_HTTP = f"{_FOR_MODELS} http mcp"


class SecretField(forms.CharField):
    """A secret, which is submitted but never shown."""

    def __init__(self, **options: Any) -> None:
        attrs = {"autocomplete": "off", "spellcheck": "false", "placeholder": ""}
        widget = forms.PasswordInput(attrs=attrs)  # it never renders a value
        super().__init__(required=False, max_length=4_000, widget=widget, **options)

    def clean(self, value: Any) -> str:
        """Require printable ASCII: other characters were copied by accident."""
        secret = str(super().clean(value))
        if not is_header_value(secret):
            raise ValidationError(
                "The key contains a character that is not allowed: remove line breaks and letters "
                "that were copied by accident."
            )
        return secret


class SecretHeadersWidget(forms.Textarea):
    """Headers without their values: only the mark of a stored value is shown again."""

    def format_value(self, value: Any) -> str:
        """Keep the names of headers and the marks; drop everything else."""
        lines = []
        for line in str(value or "").splitlines():
            name, colon, text = (part.strip() for part in line.partition(":"))
            if colon and is_header_name(name):
                lines.append(f"{name}: {text if text == STORED_VALUE else ''}")
        return "\n".join(lines)


class SecretHeadersField(ProseField):
    """Headers, one per line: `Name: value`. None stands for a stored value."""

    widget = SecretHeadersWidget

    def clean(self, value: Any) -> dict[str, str | None]:  # type: ignore[override]
        """Return the headers by name."""
        lines = [line for line in super().clean(value).splitlines() if line.strip()]
        if len(lines) > MAX_HEADERS:
            raise ValidationError(f"At most {MAX_HEADERS} headers are allowed: remove some.")
        headers: dict[str, str | None] = {}
        for number, line in enumerate(lines, start=1):
            name, colon, text = (part.strip() for part in line.partition(":"))
            if not colon or not is_header_name(name):
                raise ValidationError(f"Line {number} is not a header: write “Name: value”.")
            if not is_allowed_header(name):
                raise ValidationError(f"The header “{name}” cannot be set: remove it.")
            if name.lower() in map(str.lower, headers):
                raise ValidationError(f"The header “{name}” is listed twice: remove one.")
            if not text:
                raise ValidationError(f"Enter the value of “{name}”: values are not shown again.")
            if text != STORED_VALUE and not is_header_value(text):
                raise ValidationError(
                    f"The value of “{name}” contains a character that is not allowed."
                )
            headers[name] = None if text == STORED_VALUE else text
        return headers


class AddressWidget(forms.TextInput):
    """An address without a user name, a password and a query, which may contain a secret."""

    def format_value(self, value: Any) -> str:
        """Drop the parts that an address must not contain."""
        address = str(value or "").partition("?")[0].partition("#")[0]
        return _USER_INFORMATION.sub("//", address)


_USER_INFORMATION = re.compile(r"//[^/]*@")


def _seconds(label: str, name: str) -> forms.FloatField:
    default = getattr(RetryPolicy(), name)
    return forms.FloatField(
        label=label,
        required=False,
        min_value=0.1,
        max_value=3_600,
        widget=forms.NumberInput(attrs={"placeholder": f"{default:g}", "step": "any"}),
    )


def _price(label: str) -> forms.FloatField:
    attrs = {"step": "any", "inputmode": "decimal"}
    widget = forms.NumberInput(attrs=attrs)
    return forms.FloatField(
        label=label, required=False, min_value=0, max_value=1_000_000, widget=widget
    )


class ConnectionForm(PartForm):
    """Form of a connection."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {
        "base_url": _OVER_HTTP,
        "command": STDIO,
        "key": _OVER_HTTP,
        "forget_key": _OVER_HTTP,
        "headers": _OVER_HTTP,
        **dict.fromkeys(
            ["model", "connect", "first_byte", "between", "turn", "tries", "price_in", "price_out"],
            _FOR_MODELS,
        ),
    }
    LIMITS: ClassVar = ("connect", "first_byte", "between", "turn", "tries")
    PRICES: ClassVar = ("price_in", "price_out")

    name = KeyField(
        help_text="Name for agents and tools. “default” is used by every agent without another "
        "provider.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Give the connection a name."},
    )
    kind = forms.ChoiceField(label="Type")
    base_url = forms.CharField(
        label="Base URL",
        required=False,
        max_length=500,
        widget=AddressWidget(
            attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}
        ),
        help_text="Leave empty to use the vendor's address.",
    )
    command = forms.ChoiceField(
        label="Server",
        required=False,
        help_text="A server that the operator lists in BATON_MCP_STDIO.",
    )
    key = SecretField()
    forget_key = forms.BooleanField(label="Remove the key", required=False)
    headers = SecretHeadersField(
        label="Extra headers",
        rows=2,
        max_length=20_000,
        help_text="One per line, “Name: value”, sent with every request. Values are encrypted and "
        f"not shown again; “{STORED_VALUE}” keeps the stored value.",
    )
    model = forms.CharField(
        label="Default model",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text="For agents without a model of their own.",
    )
    connect = _seconds("To connect", "connect")
    first_byte = _seconds("To the first byte", "first_byte")
    between = _seconds("Between two bytes", "between")
    turn = _seconds("For a whole turn", "turn")
    tries = forms.IntegerField(
        label="Attempts",
        required=False,
        min_value=1,
        max_value=10,
        widget=forms.NumberInput(attrs={"placeholder": f"{RetryPolicy().tries}"}),
    )
    price_in = _price("Input")
    price_out = _price("Output")

    def __init__(self, *args: Any, connection: Connection | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.connection = connection
        kind: Any = self.fields["kind"]
        kinds = list(Connection._meta.get_field("kind").choices or ())  # noqa: SLF001
        commands = {*settings.MCP_STDIO, *([connection.command] if connection else [])} - {""}
        kind.choices = [pair for pair in kinds if pair[0] != STDIO or commands]
        command: Any = self.fields["command"]
        names = sorted(commands, key=natural_key)
        command.choices = [("", "Choose one"), *((name, name) for name in names)]
        self.suggest("model", connection.known_models if connection else [])
        has_key = connection is not None and bool(connection.sealed_key)
        self.fields["key"].help_text = (
            f"A key for {connection.place} is stored. Leave empty to keep it."
            if has_key and connection
            else "Stored encrypted, for this address only, and not shown again."
        )
        if not has_key:
            self.hide("forget_key")

    @classmethod
    def showing(cls, connection: Connection, **options: Any) -> ConnectionForm:
        """Return the form of a stored connection, without its secrets."""
        names = [name for name in cls.base_fields if hasattr(connection, name)]
        initial = {name: getattr(connection, name) for name in names if name != "headers"}
        initial["headers"] = "\n".join(
            f"{name}: {STORED_VALUE}" for name in connection.header_names
        )
        return cls(initial=initial, connection=connection, **options)

    @property
    def has_advanced_values(self) -> bool:
        """Report whether a header, a time limit or a price is set."""
        names = ("headers", *self.LIMITS, *self.PRICES)
        return any(self[name].value() not in (None, "") for name in names)

    @property
    def limits(self) -> list[forms.BoundField]:
        """Return the fields of time limits and attempts."""
        return [self[name] for name in self.LIMITS]

    @property
    def prices(self) -> list[forms.BoundField]:
        """Return the fields of prices per million tokens."""
        return [self[name] for name in self.PRICES]

    def clean(self) -> dict[str, Any]:
        """Drop the fields that the kind ignores; require an address where needed."""
        values = self.cleaned_data
        kind = values.get("kind", "")
        for name in self.drop_unused(kind):
            values[name] = self.fields[name].clean("") if name != "command" else ""
        if kind == STDIO and not values.get("command"):
            self.add_error("command", "Choose the server to start.")
        if kind and kind != STDIO and "base_url" not in self.errors:
            values["base_url"] = self._address(kind, values.get("base_url", ""))
        return values

    def _address(self, kind: str, text: str) -> str:
        url = text.rstrip("/") or default_address(kind)
        if fault := _fault_of(url):
            self.add_error("base_url", fault)
        return url

    @property
    def row_fields(self) -> dict[str, object]:
        """Fields of the row, without its secrets."""
        secret = ("key", "forget_key", "headers")
        return {name: value for name, value in self.cleaned_data.items() if name not in secret}


def _fault_of(url: str) -> str:
    """Return the error in an address, or an empty text."""
    if not url:
        return "Enter an address that begins with https:// or http://."
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "This is not a valid address: check its host and port."
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return "An address must begin with https:// or http:// and a host."
    if parts.username is not None or parts.password is not None:
        return "An address must not contain a user name or password: use the field for the key."
    if parts.query or parts.fragment:
        return "An address must not contain “?” or “#”."
    return ""

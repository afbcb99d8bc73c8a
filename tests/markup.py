"""Templates of the tests: HTML without the line breaks that a browser does not show.

A template may then be wrapped anywhere, and tests compare its HTML as if it stood in one line. The
text in variables stays as it is.
"""

import re
from typing import Any

from django.http import HttpRequest
from django.template.backends import django as backend
from django.template.base import Origin
from django.template.exceptions import TemplateSyntaxError
from django.template.loaders import app_directories, filesystem
from django.test.signals import template_rendered
from django.utils.safestring import SafeString, mark_safe

BREAK = "\u205f"
"""Stands for a line break of a template while it is rendered; it counts as white space."""

TEXT_LEVEL = "a|b|code|del|em|i|ins|kbd|mark|q|small|span|strong|time"
OTHER_TAG = rf"</?(?!(?:{TEXT_LEVEL})\b)[a-z][^>]*>"
SPACE = rf"(?<!\s)[^\S{BREAK}]*{BREAK}\s*+"
SHOWN_AS_IT_IS = re.compile(r"(<(?:pre|textarea)\b[^>]*>.*?</(?:pre|textarea)>)", re.DOTALL)
BROKEN_TAG = re.compile(r"\{\{(?:(?!\}\}).)*$|\{%(?:(?!%\}).)*$", re.MULTILINE)
"""Begins a tag that does not end in its line: Django shows such a tag as it is written."""
LINE_BREAK = re.compile(r"[ \t]*\n\s*")
IN_TAG = re.compile(rf"{SPACE}(?=[^<>]*>)")
BEFORE_END = re.compile(r" (?=/?>)")
BESIDE_TAG = re.compile(
    rf"({OTHER_TAG}|<[a-z][^>]*>|-->|\A){SPACE}|{SPACE}(?={OTHER_TAG}|</|<!--|\Z)"
)
IN_TEXT = re.compile(SPACE)


class Loader(filesystem.Loader):
    """Marks the line breaks of a template, except where a browser shows them.

    A tag with a line break raises `TemplateSyntaxError`: it would work only in the tests.
    """

    def get_contents(self, origin: Origin) -> str:
        source = str(super().get_contents(origin))
        if broken := BROKEN_TAG.search(source):
            raise TemplateSyntaxError(f"{origin.name}: end {broken[0]!r} in its line.")
        parts = SHOWN_AS_IT_IS.split(source)
        parts[::2] = [LINE_BREAK.sub(BREAK, part) for part in parts[::2]]
        return "".join(parts)


class AppLoader(Loader, app_directories.Loader):
    """Does so for the templates of applications."""


LOADERS = [
    ("django.template.loaders.cached.Loader", ["tests.markup.Loader", "tests.markup.AppLoader"])
]


class Template(backend.Template):
    """A template that drops line breaks at the edges of elements; in a text they become a space.

    `response.context` contains the contexts of whole templates: Django's test client would copy the
    context of each included template too, which takes an eighth of the time of a test.
    """

    def render(
        self, context: dict[str, Any] | None = None, request: HttpRequest | None = None
    ) -> SafeString:
        template_rendered.send(sender=self, template=self.template, context=context or {})
        html = BEFORE_END.sub("", IN_TAG.sub(" ", super().render(context, request)))
        return mark_safe(IN_TEXT.sub(" ", BESIDE_TAG.sub(r"\1", html)))  # noqa: S308 - is escaped


class Templates(backend.DjangoTemplates):
    """The backend of the tests' settings."""

    def __init__(self, params: dict[str, Any]) -> None:
        options = params["OPTIONS"] | {"loaders": LOADERS}
        super().__init__(params | {"APP_DIRS": False, "OPTIONS": options})

    def get_template(self, template_name: str) -> Template:
        return Template(super().get_template(template_name).template, self)

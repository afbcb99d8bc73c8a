"""Templates without their indentation: it is for their authors, and up to a sixth of a page."""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)


class Loader(filesystem.Loader):
    """Loader of the project's templates; their lines keep their numbers."""

    def get_contents(self, origin: Origin) -> str:
        """Return the source of a template without the indentation of its lines."""
        return INDENTATION.sub("", super().get_contents(origin))

"""How static files are kept for serving: compressed, under names that change with their content."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from django.contrib.staticfiles.storage import HashedFilesMixin
from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Statements at the start of a line, ending in a semicolon. Django's own patterns also match the
# types in comments, `import("../htmx").Api`, and stop at those that name no file.
IMPORT_FROM = r"""(?m)^(?P<matched>import(?P<names>[^"';]*?)from\s*["'](?P<url>\.[^"']+)["']\s*;)"""
EXPORT_FROM = r"""(?m)^(?P<matched>export(?P<names>[^"';]*?)from\s*["'](?P<url>\.[^"']+)["']\s*;)"""
IMPORT_ALONE = r"""(?m)^(?P<matched>import\s*["'](?P<url>\.[^"']+)["']\s*;)"""

# Comments that fill whole lines, and JSDoc types wherever they stand. What only begins with two
# slashes, behind code, may be part of a string.
COMMENTS = re.compile(
    rb"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)[ \t]*\n|/\*\* @(?:[^*]|\*(?!/))*\*/ ?",
    flags=re.MULTILINE,
)
# Blank lines, and what lines begin with: no string of ours goes over several lines.
INDENTATION = re.compile(rb"^[ \t\n]+", flags=re.MULTILINE)


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hashed names, also inside ES modules: `import "./x.js";` becomes `import "./x.<hash>.js";`.

    Modules that import one another in a circle have no hash and are refused. Our own modules and
    style sheets lose their comments, and modules their margins: a quarter of what a browser would
    fetch.
    """

    patterns: ClassVar = (
        *HashedFilesMixin.patterns,
        (
            "*.js",
            (
                (IMPORT_FROM, 'import%(names)sfrom "%(url)s";'),
                (EXPORT_FROM, 'export%(names)sfrom "%(url)s";'),
                (IMPORT_ALONE, 'import "%(url)s";'),
            ),
        ),
    )

    def file_hash(self, name: str, content: File[Any] | None = None) -> str | None:
        """Eight digits: enough to tell one file's contents apart, and no text compresses them."""
        digits = super().file_hash(name, content)
        return digits and str(digits)[:8]

    def _save(self, name: str, content: File[Any]) -> str:
        if name.startswith(("js/", "css/")):
            code = COMMENTS.sub(b"", b"".join(content.chunks()))
            content = ContentFile(INDENTATION.sub(b"", code))
        return str(super()._save(name, content))

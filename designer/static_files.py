"""How static files are kept for serving: compressed, under names that change with their content."""

from typing import ClassVar

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Statements at the start of a line, ending in a semicolon. Django's own patterns also match the
# types in comments, `import("../htmx").Api`, and stop at those that name no file.
IMPORT_FROM = r"""(?m)^(?P<matched>import(?P<names>[^"';]*?)from\s*["'](?P<url>\.[^"']+)["']\s*;)"""
EXPORT_FROM = r"""(?m)^(?P<matched>export(?P<names>[^"';]*?)from\s*["'](?P<url>\.[^"']+)["']\s*;)"""
IMPORT_ALONE = r"""(?m)^(?P<matched>import\s*["'](?P<url>\.[^"']+)["']\s*;)"""


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hashed names, also inside ES modules: `import "./x.js";` becomes `import "./x.<hash>.js";`.

    Modules that import one another in a circle have no hash and are refused.
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

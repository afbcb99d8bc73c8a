"""Storage and serving of static files: minified, compressed, named after their content."""

from __future__ import annotations

import json
import posixpath
import re
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile, File
from django.http import FileResponse, HttpRequest
from rjsmin import jsmin
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Import and re-export statements of a minified module. Dynamic imports, `import("./x.js")`, have a
# parenthesis and do not match.
IMPORTS = re.compile(r"""(?:^|[;}\n])(?:import|export)\b[^"';(]*["'](\.\.?/[^"']+\.js)["']""")
MODULE = re.compile(r"js/.*\.js$")

# Comments of style sheets that fill whole lines; blank lines and indentation.
CSS_COMMENTS = re.compile(rb"^[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n", flags=re.MULTILINE)
INDENTATION = re.compile(rb"^[ \t\n]+", flags=re.MULTILINE)

# Import of a style sheet; Django has put the hash of the imported sheet into its name.
CSS_IMPORTS = re.compile(
    rb"""^@import (?:url\()?"([^"]+?)(?:\.[0-9a-f]{8})?\.css"\)?;\n""", flags=re.MULTILINE
)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serve static files with as few headers as possible: a page loads dozens of them.

    A file with a hashed name never changes, so it needs no headers for revalidation.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> FileResponse:
        """Leave out the revalidation headers of immutable files; forbid content sniffing."""
        response: FileResponse = WhiteNoiseMiddleware.serve(static_file, request)
        response["X-Content-Type-Options"] = "nosniff"
        if "immutable" in response.get("Cache-Control", ""):
            del response["ETag"], response["Last-Modified"]
        return response


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Storage with hashed names. An import map resolves `import "./x.js"` to `x.<hash>.js`.

    The source of a module keeps its relative imports. A changed module therefore does not change
    the names of its importers, and dynamic imports work without extra code. Modules are minified,
    style sheets lose their comments and indentation, and contain the sheets that they import.
    """

    @cached_property
    def import_map(self) -> str:
        """JSON text of the import map: the hashed URL of every module."""
        modules = sorted(name for name in self.hashed_files if MODULE.match(name))
        names = {urljoin(self.base_url or "", name): self.url(name) for name in modules}
        return json.dumps({"imports": names}, separators=(",", ":"))

    @cached_property
    def imports(self) -> dict[str, list[str]]:
        """Static imports of each module."""
        return {name: self._imports(name) for name in self.hashed_files if MODULE.match(name)}

    def imported_by(self, name: str) -> list[str]:
        """Return the modules that a module imports statically, directly or indirectly."""
        modules = [name]
        for module in modules:
            modules += [path for path in self.imports.get(module, ()) if path not in modules]
        return modules[1:]

    def _imports(self, name: str) -> list[str]:
        with self.open(self.stored_name(name)) as file:
            paths = IMPORTS.findall(file.read().decode())
        folder = posixpath.dirname(name)
        return [posixpath.normpath(posixpath.join(folder, path)) for path in dict.fromkeys(paths)]

    def file_hash(self, name: str, content: File[Any] | None = None) -> str | None:
        """Shorten the hash to eight digits: enough to tell versions apart, small in every page."""
        digits = super().file_hash(name, content)
        return digits and str(digits)[:8]

    def _save(self, name: str, content: File[Any]) -> str:
        if name.startswith("js/"):
            content = ContentFile(jsmin(b"".join(content.chunks())))
        elif name.startswith("css/"):
            content = ContentFile(_joined(name, b"".join(content.chunks())))
        return str(super()._save(name, content))


def _joined(name: str, code: bytes) -> bytes:
    """Return a style sheet with its imports in place, without comments and indentation."""

    def imported(match: re.Match[bytes]) -> bytes:
        path = posixpath.join(posixpath.dirname(name), f"{match[1].decode()}.css")
        source = finders.find(path)
        if source is None:
            raise FileNotFoundError(f"{name} imports {path}, which does not exist.")
        return _joined(path, Path(source).read_bytes())

    return CSS_IMPORTS.sub(imported, INDENTATION.sub(b"", CSS_COMMENTS.sub(b"", code)))

"""How static files are kept for serving: compressed, under names that change with their content."""

from __future__ import annotations

import json
import posixpath
import re
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from django.core.files.base import ContentFile, File
from django.http import FileResponse, HttpRequest
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Statements at the start of a line: what a module needs before it runs. Types in comments,
# `import("./x.js").Box`, and what is imported on first use, `await import("./x.js")`, are not.
IMPORTS = re.compile(r"""(?m)^(?:import|export)\b[^"';(]*["']\./([^"']+\.js)["']""")

# Comments that fill whole lines, JSDoc types wherever they stand, and comments behind code. That no
# string of ours holds what looks like one is tested.
COMMENTS = re.compile(
    rb"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)[ \t]*\n|/\*\* @(?:[^*]|\*(?!/))*\*/ ?"
    rb"|(?<=[;{,)]) // [^\n]*$",
    flags=re.MULTILINE,
)
MODULE = re.compile(r"js/.*\.js$")

# Blank lines, and what lines begin with: no string of ours goes over several lines.
INDENTATION = re.compile(rb"^[ \t\n]+", flags=re.MULTILINE)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Serves static files, dozens to a page, with headers that say no more than is needed.

    Of those whose names change with them nobody asks whether they have.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> FileResponse:
        """Leave out what only a browser that asks again would need; have it believe the type."""
        response: FileResponse = WhiteNoiseMiddleware.serve(static_file, request)
        response["X-Content-Type-Options"] = "nosniff"
        if "immutable" in response.get("Cache-Control", ""):
            del response["ETag"], response["Last-Modified"]
        return response


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hashed names, for ES modules by an import map: `import "./x.js"` fetches `x.<hash>.js`.

    So a module may change without those that import it, they may import one another in a circle,
    and `import("./x.js")` on first use needs nothing more. Our own modules and style sheets lose
    their comments, and modules their margins: a quarter of what a browser would fetch.
    """

    @cached_property
    def import_map(self) -> str:
        """What `./x.js` is fetched as, for all our modules: the text of an import map."""
        modules = sorted(name for name in self.hashed_files if MODULE.match(name))
        names = {urljoin(self.base_url or "", name): self.url(name) for name in modules}
        return json.dumps({"imports": names}, separators=(",", ":"))

    @cached_property
    def imports(self) -> dict[str, list[str]]:
        """What each of our modules imports itself before it runs."""
        return {name: self._imports(name) for name in self.hashed_files if MODULE.match(name)}

    def imported_by(self, name: str) -> list[str]:
        """Return the modules that a module needs before it runs, itself or for another."""
        found = [name]
        for module in found:
            found += [one for one in self.imports.get(module, ()) if one not in found]
        return found[1:]

    def _imports(self, name: str) -> list[str]:
        with self.open(self.stored_name(name)) as file:
            wanted = IMPORTS.findall(file.read().decode())
        return [posixpath.join(posixpath.dirname(name), one) for one in dict.fromkeys(wanted)]

    def file_hash(self, name: str, content: File[Any] | None = None) -> str | None:
        """Eight digits: enough to tell one file's contents apart, and no text compresses them."""
        digits = super().file_hash(name, content)
        return digits and str(digits)[:8]

    def _save(self, name: str, content: File[Any]) -> str:
        if name.startswith(("js/", "css/")):
            code = COMMENTS.sub(b"", b"".join(content.chunks()))
            content = ContentFile(INDENTATION.sub(b"", code))
        return str(super()._save(name, content))

"""Import map and content security policy."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

from django.test import Client

from designer.serving.static_files import HashedStaticFilesStorage


def test_the_policy_allows_no_inline_script_but_the_import_map(
    collected: HashedStaticFilesStorage, settings: Any
) -> None:
    settings.STATIC_ROOT = collected.location
    hashed = {"BACKEND": "designer.serving.static_files.HashedStaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": hashed}
    answer = Client().get("/sign-in/")
    inline = re.findall(r"<script(?![^>]* src=)([^>]*)>(.*?)</script>", answer.text)
    assert inline == [(' type="importmap"', collected.import_map)]
    digest = b64encode(sha256(collected.import_map.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in answer["Content-Security-Policy"] + ";"
    modules = answer.text.index('rel="modulepreload"')
    assert answer.text.index("importmap") < modules < answer.text.index('type="module"')


def test_without_hashed_names_there_is_no_import_map() -> None:
    answer = Client().get("/sign-in/")
    assert "importmap" not in answer.text
    assert '<script type="module" src="/static/js/core/page.js">' in answer.text
    assert "script-src 'self';" in answer["Content-Security-Policy"] + ";"

"""Source of templates, as it is sent."""

from pathlib import Path
from typing import Any

from django.template import Context, Engine

from designer.settings import TEMPLATES


def test_templates_are_sent_without_indentation_and_values_with_theirs(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>\n  <b>{{ text }}</b>\n\t</p>\n")
    options: Any = TEMPLATES[0]["OPTIONS"]
    page = Engine(dirs=[str(tmp_path)], loaders=options["loaders"]).get_template("page.html")
    assert page.render(Context({"text": "a\n  b"})) == "<p>\n<b>a\n  b</b>\n</p>\n"

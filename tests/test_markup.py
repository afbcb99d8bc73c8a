"""Templates of the tests: they refuse tags that a browser would show."""

from pathlib import Path

import pytest
from django.template import Engine
from django.template.base import Origin
from django.template.exceptions import TemplateSyntaxError

from tests.markup import Loader


@pytest.mark.parametrize("source", ['{{ names|join:", "\n}}', "{% if a\n%}{% endif %}"])
def test_a_tag_with_a_line_break_is_refused(tmp_path: Path, source: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(source)
    loader = Loader(Engine(dirs=[str(tmp_path)]))
    with pytest.raises(TemplateSyntaxError, match="in its line"):
        loader.get_contents(Origin(str(page), loader=loader))

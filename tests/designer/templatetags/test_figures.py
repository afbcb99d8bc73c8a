"""Number formats in templates."""

import pytest
from django.template import Context, Template


@pytest.mark.parametrize(
    ("number", "text"), [(999, "999"), (1204, "1,204"), (1234567.5, "1,234,567.5")]
)
def test_thousands_are_separated(number, text):
    assert Template("{{ number|thousands }}").render(Context({"number": number})) == text

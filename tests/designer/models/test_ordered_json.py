"""JSON field that preserves the order of keys."""

import pytest

from designer.models import Tool
from designer.models.ordered_json import OrderedJSONField

VALUE = {"b": 1, "a": {"z": [1, None], "ä": "“text”"}}


def test_a_value_is_stored_as_readable_text_in_its_order():
    text = OrderedJSONField().get_prep_value(VALUE)
    assert text == '{"b": 1, "a": {"z": [1, null], "ä": "“text”"}}'
    assert OrderedJSONField().get_prep_value(None) is None


@pytest.mark.django_db
def test_the_order_of_keys_survives_the_database(pipeline):
    Tool.objects.create(pipeline=pipeline, name="look_up", parameters=VALUE)
    parameters = Tool.objects.get(pipeline=pipeline).parameters
    assert list(parameters) == ["b", "a"]
    assert parameters == VALUE

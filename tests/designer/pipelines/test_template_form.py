"""Forms of templates."""

from html import unescape

import pytest

from designer.models import Template
from tests.designer.pipelines.template_pages import post

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sample", ["", "nonsense", "../support", "a" * 100])
def test_an_unknown_sample_is_not_found(client, sample):
    assert post(client, "sample_use", sample=sample).status_code == 404


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "Give the template a name."),
        ("x" * 121, "at most 120 characters"),
        ("My desk", "You already have a template “My desk”: choose another name."),
    ],
)
def test_an_invalid_name_is_reported_at_its_field(client, user, desk, template, name, sentence):
    response = post(client, "template_save", desk.pk, htmx=True, name=name, description="Mine")
    html = unescape(response.content.decode())
    assert response.status_code == 422
    assert sentence in html
    assert "Mine</textarea>" in html
    assert Template.objects.of(user).count() == 1

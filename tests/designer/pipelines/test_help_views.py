"""Help pages about issues."""

import json

import pytest
from django.urls import reverse

from designer.pipelines.help import EXPLANATIONS

pytestmark = pytest.mark.django_db


def test_the_page_shows_an_example_that_can_be_imported(client):
    response = client.get(reverse("problem_help", args=["ping-pong"]))
    text = response.context["topic"].text
    assert json.loads(text)["entry"] == "intake"
    assert "name each other as next" in response.content.decode()
    assert "Make it a return" in response.content.decode()


def test_all_issues_are_listed(client):
    html = client.get(reverse("problems_help")).content.decode()
    for code in EXPLANATIONS:
        assert reverse("problem_help", args=[code]) in html


def test_the_examples_are_validated_for_the_first_reader_only(client):
    address = reverse("problems_help")
    first, second = (client.get(address).context["topics"] for _ in range(2))
    assert len(first) == len(EXPLANATIONS)
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_an_unknown_issue_has_no_page(client):
    assert client.get("/help/problems/headache/").status_code == 404

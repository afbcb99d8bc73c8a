"""Deferred content of canvas elements."""

from django.template import Context, Template


def rendered(source: str, **context: object) -> str:
    return Template("{% load drawn %}" + source).render(Context(context))


def test_deferred_content_is_an_escaped_comment():
    source = "{% waiting far and name %}<b>{{ name }}</b>{% endwaiting %}"
    assert rendered(source, far=True, name="--><i>") == "<!--<b>--&gt;&lt;i&gt;</b>-->"
    assert rendered(source, far=False, name="Ada") == "<b>Ada</b>"


def test_blank_content_is_not_deferred():
    assert rendered("{% waiting True %} {% endwaiting %}").strip() == ""

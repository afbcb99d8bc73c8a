"""What waits in a page as text."""

from django.template import Context, Template


def rendered(source: str, **context: object) -> str:
    return Template("{% load drawn %}" + source).render(Context(context))


def test_what_waits_is_a_comment_that_no_name_gets_out_of():
    source = "{% waiting far and name %}<b>{{ name }}</b>{% endwaiting %}"
    assert rendered(source, far=True, name="--><i>") == "<!--<b>--&gt;&lt;i&gt;</b>-->"
    assert rendered(source, far=False, name="Ada") == "<b>Ada</b>"


def test_nothing_waits_where_there_is_nothing():
    assert rendered("{% waiting True %} {% endwaiting %}").strip() == ""

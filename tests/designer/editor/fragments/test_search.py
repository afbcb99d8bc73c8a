"""Search results with the text around each hit."""

from designer.editor.actions.search import SearchQuery
from designer.editor.fragments.search import (
    AFTER,
    BEFORE,
    MOST_SHOWN,
    render_results,
    search_results,
)
from designer.models import Pipeline
from orchestration.definition import Agent, PipelineDefinition
from tests.designer.editor_requests import chain

PIPELINE = Pipeline(pk=1)


def with_text(text: str) -> PipelineDefinition:
    """Return a pipeline whose only agent has these instructions."""
    agent = Agent(id="a", name="Ada", instructions=text)
    return PipelineDefinition(name="P", agents=(agent,))


def excerpts(text: str, query: str):
    context = search_results(PIPELINE, with_text(text), SearchQuery(query))
    return [excerpt for part in context["parts"] for excerpt in part.excerpts]


def test_hits_are_grouped_by_part():
    context = search_results(PIPELINE, chain("intake", "review"), SearchQuery("intake"))
    assert {("stage", "intake"), ("agent", "agent-intake")} <= {
        (part.kind, part.key) for part in context["parts"]
    }
    assert context["count"] == sum(len(part.excerpts) for part in context["parts"])
    assert context["replaceable"] == context["count"] - context["keys"]


def test_an_excerpt_is_cut_between_words():
    [hit] = excerpts("word " * 40 + "refund" + " word" * 40, "refund")
    assert hit.match == "refund"
    assert hit.before.startswith("…word ")
    assert hit.after.endswith(" word…")
    assert len(hit.before) <= BEFORE + 1
    assert len(hit.after) <= AFTER + 1


def test_a_short_text_is_shown_whole():
    [hit] = excerpts("A refund is due.", "REFUND")
    assert (hit.before, hit.match, hit.after) == ("A ", "refund", " is due.")


def test_the_list_is_limited_and_the_rest_is_counted():
    context = search_results(PIPELINE, with_text("a " * (MOST_SHOWN + 50)), SearchQuery("a"))
    assert context["shown"] == MOST_SHOWN
    assert context["more"] == context["count"] - MOST_SHOWN > 0


def test_results_are_escaped_and_can_show_an_error():
    html = render_results(PIPELINE, with_text("<b>x</b>"), SearchQuery("<b>"), error="Not <here>.")
    assert "<mark>&lt;b&gt;</mark>" in html
    assert "Not &lt;here&gt;." in html
    assert "<b>x" not in html


def test_an_empty_query_has_no_results():
    context = search_results(PIPELINE, chain("intake"), SearchQuery(""))
    assert "parts" not in context

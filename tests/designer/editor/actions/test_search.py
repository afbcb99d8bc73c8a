"""Search and replace text in a pipeline."""

import tracemalloc

import pytest
from django.urls import reverse

from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import Agent, Cue, CueHandoff, Layout, Note, Stage, Tool, Transition
from tests.designer.editor_requests import HTMX, chain, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    """Return a pipeline with “refund” in many texts and in keys."""
    drawn = chain("intake", "refund")
    billing = Agent(
        id="agent-billing",
        name="Refund clerk",
        instructions="You decide about a refund. A Refund over 100 € goes to a person: refunds!",
        cues=(
            Cue(
                when=("money back", "refund"),
                say="Your refund is on its way.",
                hand_over=CueHandoff(target="human", reason="A large refund"),
            ),
        ),
        tools=("refund_payment",),
    )
    parameters = {
        "type": "object",
        "properties": {"refund": {"type": "string", "description": "Which refund is meant"}},
    }
    tool = Tool(name="refund_payment", description="Make a refund", parameters=parameters)
    return import_definition(
        user=user,
        definition=drawn.model_copy(
            update={
                "description": "Where refunds are decided.",
                "agents": tuple(sorted((*drawn.agents, billing), key=lambda agent: agent.id)),
                "stages": (
                    Stage(
                        phase="intake",
                        agent_id="agent-intake",
                        description="Is a refund due?",
                    ),
                    Stage(phase="refund", agent_id="agent-billing"),
                ),
                "transitions": (
                    Transition(source="intake", target="refund", description="It is a refund"),
                ),
                "tools": (tool,),
                "layout": Layout(notes=(Note(id="note-1", text="Refund rules change", x=0, y=0),)),
            }
        ),
    )


def search(client, pipeline, text, **options):
    response = client.get(reverse("search", args=[pipeline.pk]), {"text": text, **options})
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_text_is_found_in_every_kind_of_part_in_any_case(client, pipeline):
    html = search(client, pipeline, "refund")
    for field in (
        "Description", "Name", "Stage name", "Instructions", "Cue 1: when the message has",
        "Cue 1: says", "Cue 1: reason", "Description of refund", "Text",
    ):  # fmt: skip
        assert f'<span class="found__field">{field}</span>' in html
    assert "A <mark>Refund</mark> over 100 €" in html
    assert "<b>17</b> hits" in html


def test_options_limit_the_hits_to_the_case_and_to_whole_words(client, pipeline):
    assert "<b>4</b> hits" in search(client, pipeline, "Refund", match_case="on")
    html = search(client, pipeline, "refunds", whole_words="on")
    assert "<b>2</b> hits" in html
    assert "a <mark>refunds" not in html
    assert "was not found" in search(client, pipeline, "efund", whole_words="on")


def test_a_search_text_is_neither_a_pattern_nor_markup(client, pipeline):
    assert "was not found" in search(client, pipeline, "ref.nd")
    assert "“&lt;b&gt;(” was not found" in search(client, pipeline, "<b>(")


def test_an_empty_search_text_has_no_hits(client, pipeline):
    assert "hit" not in search(client, pipeline, "").replace("hits are", "")


@pytest.mark.parametrize("text", ["x" * 201, "x" * 1_000_000, "a\x00b"])
def test_an_invalid_search_text_is_refused_beside_the_field(client, pipeline, other_client, text):
    url = reverse("search", args=[pipeline.pk])
    assert other_client.post(url, {"text": text}).status_code == 404
    response = client.post(url, {"text": text})
    assert response.status_code == 422
    assert 'id="find-error"' in response.content.decode()


def test_the_first_of_many_hits_are_listed_and_all_are_counted(client, user):
    definition = chain("intake", description="na " * 5_000)
    html = search(client, import_definition(user=user, definition=definition), "na")
    assert "<b>5000</b> hits" in html
    assert "the first 200 are listed" in html
    assert html.count("<mark>") == 200


@pytest.fixture
def of_letters(user):
    """Return a pipeline with 40,000 times the same letter."""
    definition = chain("intake", "answer", "review", description="a" * 8_000)
    agents = [
        agent.model_copy(update={"instructions": "a" * 10_667}) for agent in definition.agents
    ]
    update = {"agents": tuple(agents)}
    return import_definition(user=user, definition=definition.model_copy(update=update))


def peak_memory(act):
    """Return the peak number of bytes allocated during an action."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_hits_that_are_not_listed_take_no_memory(client, of_letters):
    search(client, of_letters, "a")
    assert peak_memory(lambda: search(client, of_letters, "a")) < 2_000_000


def test_a_replaced_text_that_is_too_long_is_refused_before_it_is_built(client, of_letters):
    before, answers = now(of_letters), []

    def replace():
        fields = {"text": "a", "replacement": "b" * 2_000}
        answers.append(send(client, of_letters, "replace", **fields))

    replace()
    assert peak_memory(replace) < 20_000_000
    assert answers[1].status_code == 422
    assert "would be longer than 32,000 characters" in answers[1].content.decode()
    assert now(of_letters) == before


def test_replacing_all_is_one_edit_that_changes_no_keys(client, pipeline):
    before = now(pipeline)
    response = send(client, pipeline, "replace", text="refund", replacement="repayment")
    assert response.status_code == 200
    after = now(pipeline)
    assert after.agents_by_id["agent-billing"].instructions == (
        "You decide about a repayment. A repayment over 100 € goes to a person: repayments!"
    )
    assert after.agents_by_id["agent-billing"].cues[0].when == ("money back", "repayment")
    assert after.stages_by_phase["intake"].description == "Is a repayment due?"
    assert after.transitions[0].description == "It is a repayment"
    assert after.layout.notes[0].text == "repayment rules change"
    assert after.description == "Where repayments are decided."
    schema = after.tools[0].parameters["properties"]
    assert schema == {"refund": {"type": "string", "description": "Which repayment is meant"}}
    assert [stage.phase for stage in after.stages] == ["intake", "refund"]
    assert after.tools[0].name == "refund_payment"

    html = response.content.decode()
    assert "Undo: Replace “refund” with “repayment” in 14 places" in html
    assert "3 of them are keys" in html
    assert "<b>3</b> hits" in html

    assert send(client, pipeline, "undo").status_code == 200
    assert now(pipeline) == before


def hit_id(html, excerpt):
    """Return the identifier of the hit with this excerpt."""
    return html.split(excerpt)[1].split('name="place" value="')[1].split('"')[0]


def test_one_hit_is_replaced_and_the_others_are_not(client, pipeline):
    name = hit_id(search(client, pipeline, "refund"), "A <mark>Refund</mark> over")
    response = send(
        client, pipeline, "replace", text="refund", replacement="payment back", place=name
    )
    assert response.status_code == 200
    assert now(pipeline).agents_by_id["agent-billing"].instructions == (
        "You decide about a refund. A payment back over 100 € goes to a person: refunds!"
    )
    assert "in 1 place" in response.content.decode()


def test_a_hit_that_no_longer_exists_is_refused_and_the_hits_are_refreshed(client, pipeline):
    name = hit_id(search(client, pipeline, "refund"), "A <mark>Refund</mark> over")
    send(client, pipeline, "replace", text="You decide", replacement="Decide")
    before = now(pipeline)
    response = send(client, pipeline, "replace", text="refund", replacement="x", place=name)
    assert response.status_code == 409
    assert "no longer occurs there" in response.content.decode()
    assert "<b>17</b> hits" in response.content.decode()
    assert now(pipeline) == before


def test_a_replacement_sent_twice_replaces_once(client, pipeline):
    send(client, pipeline, "replace", text="money", replacement="money money")
    name = hit_id(search(client, pipeline, "person"), "goes to a <mark>person")
    answers = [
        send(client, pipeline, "replace", text="person", replacement="human being", place=name)
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 409]
    assert now(pipeline).agents_by_id["agent-billing"].instructions.count("human being") == 1


def test_a_hit_in_a_key_is_refused(client, pipeline):
    response = send(
        client, pipeline, "replace", text="refund", replacement="x", place="stage:refund:0@0"
    )
    assert response.status_code == 422
    assert "rename it in the form of its part" in response.content.decode()
    assert "refund" in now(pipeline).stages_by_phase


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": "Refund clerk", "replacement": ""}, "because of the agent Refund clerk"),
        ({"text": "clerk", "replacement": "x" * 200}, "because of the agent Refund clerk"),
        ({"text": "clerk", "replacement": "x" * 2_001}, "at most 2,000 characters"),
        ({"text": "clerk", "replacement": "a\x00"}, "must not contain the character NUL"),
        ({"text": "nowhere at all", "replacement": "x"}, "occurs in no text"),
        ({"text": "", "replacement": "x"}, "Enter the text to replace."),
        (
            {"text": "clerk", "replacement": "x", "place": "agent:nobody:9@1"},
            "no longer occurs there",
        ),
    ],
)
def test_an_invalid_replacement_is_refused_and_changes_nothing(client, pipeline, fields, sentence):
    before = now(pipeline)
    response = send(client, pipeline, "replace", **fields)
    assert response.status_code in (409, 422)
    assert sentence in response.content.decode()
    assert now(pipeline) == before


def test_the_search_panel_is_part_of_the_page_and_its_address(client, pipeline):
    html = client.get(reverse("editor", args=[pipeline.pk]), {"panel": "find"}).content.decode()
    form = html[html.index('id="find-form"') : html.index('id="found"')]
    assert f'hx-post="{reverse("search", args=[pipeline.pk])}"' in form, "however long it is"
    assert 'id="find-text"' in form
    assert "maxlength" not in form, "a long text is not cut off"
    panel = client.get(reverse("show_panel", args=[pipeline.pk]), {"panel": "find"}, headers=HTMX)
    assert 'id="replace-form"' in panel.content.decode()


def test_without_htmx_replacing_leads_back_to_the_editor(client, pipeline):
    response = client.post(
        reverse("replace", args=[pipeline.pk]), {"text": "clerk", "replacement": "person"}
    )
    assert response.status_code == 302
    assert now(pipeline).agents_by_id["agent-billing"].name == "Refund person"
    assert Pipeline.objects.get(pk=pipeline.pk).version == 2


def test_the_button_for_all_hits_is_disabled_without_replaceable_hits(client, pipeline):
    def button(text):
        found = client.get(reverse("search", args=[pipeline.pk]), {"text": text}, headers=HTMX)
        return found.content.decode().partition('id="replace-all"')[2].partition("</button>")[0]

    assert 'type="submit"' in button("refund")
    assert 'aria-disabled="true"' in button("agent-intake"), "all hits are in keys"
    assert "All results are keys" in button("agent-intake")
    assert "There is nothing to replace" in button("nowhere")
    page = client.get(reverse("editor", args=[pipeline.pk]), {"panel": "find"}).content.decode()
    assert "Enter a search text first" in page

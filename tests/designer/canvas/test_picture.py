"""Small pictures of pipelines."""

import re
from itertools import pairwise

import pytest
from django.urls import reverse
from hypothesis import given

from designer.canvas.picture import HEIGHT, WIDTH, picture_of, pictures_of
from designer.editor.actions.topology import connect
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import Layout, PipelineDefinition, Position, Stage, Transition
from tests.designer.editor_requests import chain, draw
from tests.orchestration.strategies import storable_definitions


def drawn(user, pipeline):
    [row] = Pipeline.objects.of(user).listed().filter(pk=pipeline.pk)
    return pictures_of([row])[pipeline.pk]


def path(picture, having):
    """Return the data of the path with this attribute."""
    match = re.search(f'<path [^>]*{re.escape(having)}[^>]* d="([^"]*)"', picture)
    assert match
    return match[1]


def large(stages):
    phases = [f"s-{number}" for number in range(stages)]
    return PipelineDefinition(
        name="Large",
        stages=tuple(Stage(phase=phase) for phase in phases),
        transitions=tuple(
            Transition(source=source, target=target) for source, target in pairwise(phases)
        ),
        entry="s-999",
        layout=Layout(
            stages={
                phase: Position(x=n % 40 * 290, y=n // 40 * 140) for n, phase in enumerate(phases)
            }
        ),
    )


def test_a_picture_shows_boxes_hues_lines_and_the_entry():
    definition = chain("intake", "review", "end")
    hues = definition.layout.model_copy(update={"hues": {"agent-intake": 7, "agent-end": 7}})
    picture = picture_of(definition.model_copy(update={"layout": hues}))
    assert 'role="img"' in picture
    assert 'aria-label="Picture of 3 stages: intake (entry), end, review"' in picture
    assert path(picture, 'class="picture__cards"').count("M") == 3
    assert path(picture, 'class="picture__next"').count("M") == 2
    assert path(picture, 'fill="oklch(62% 0.13 7)"').count("M") == 2
    assert path(picture, 'class="picture__entry"').count("M") == 1


def test_an_empty_pipeline_has_a_picture():
    assert 'aria-label="Picture of an empty pipeline"' in picture_of(chain())


def test_a_picture_names_the_stages_where_the_names_are_readable():
    names = re.findall(r"<text [^>]*>([^<]*)</text>", picture_of(chain("intake", "reimbursement")))
    assert names[0] == "intake"
    assert names[1].endswith("…")
    assert "reimbursement".startswith(names[1][:-1])
    assert "<text" not in picture_of(chain(*(f"stage-{number}" for number in range(40))))


def test_a_large_picture_shows_every_stage_as_a_block_in_its_hue():
    picture = picture_of(chain(*(f"stage-{number}" for number in range(300))))
    blocks = re.findall(
        r'<path class="picture__blocks"[^>]* stroke="oklch[^>]* d="([^"]*)"', picture
    )
    places = {place for path in blocks for place in re.findall(r"M(\d+) \d+", path)}
    assert len(places) == 300
    assert path(picture, 'class="picture__next"').count("M") == 299
    assert "<text" not in picture
    assert "data-edges" not in picture, "the page routes no line of it"


@given(storable_definitions())
def test_every_picture_stays_within_its_frame(definition):
    picture = picture_of(definition)
    assert "style=" not in picture
    for x, y in re.findall(r"M(-?\d+) (-?\d+)", picture):
        assert 0 <= int(x) <= WIDTH
        assert 0 <= int(y) <= HEIGHT


@pytest.mark.django_db
def test_rows_and_their_definition_have_the_same_picture(user):
    definition = chain("intake", "review", "end")
    pipeline = import_definition(user=user, definition=definition)
    assert drawn(user, pipeline) == picture_of(definition)


@pytest.mark.django_db
def test_a_picture_of_a_thousand_stages_is_a_few_kilobytes_and_two_queries(
    user, django_assert_max_num_queries
):
    pipeline = import_definition(user=user, definition=large(1_000))
    [row] = Pipeline.objects.of(user).listed()
    with django_assert_max_num_queries(4):
        picture = pictures_of([row])[pipeline.pk]
    assert len(picture) < 12_000
    assert "Picture of 1000 stages: s-999 (entry)" in picture
    with django_assert_max_num_queries(0):
        assert pictures_of([row])[pipeline.pk] == picture


@pytest.mark.django_db
def test_an_edit_changes_the_picture(client, user):
    pipeline = draw(user, "intake", "review", "end")
    before = drawn(user, pipeline)
    connect(pipeline=pipeline, user=user, source="end", target="intake")
    after = drawn(user, pipeline)
    assert after != before
    assert after in client.get(reverse("pipelines")).content.decode()

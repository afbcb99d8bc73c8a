"""Lists of stages and agents to choose from."""

import pytest

from designer.core.forms.choices import MAX_INITIAL, PartChoices, part_choices, render_options
from orchestration.definition import Group, Stage
from tests.designer.editor_requests import chain

AGENTS = ["agent-intake", "agent-review"]
DEFINITION = chain("intake", "review").model_copy(
    update={
        "stages": (
            *chain("intake", "review").stages,
            Stage(phase="both", kind="group", group=Group(agents=("agent-intake",))),
        )
    }
)


@pytest.mark.parametrize(
    ("kind", "of", "values"),
    [
        ("stages", "", ["both", "intake", "review"]),
        ("agents", "", AGENTS),
        ("unreached", "intake", ["both", "intake"]),
        ("strangers", "both", ["agent-review"]),
        ("strangers", "missing", AGENTS),
        ("speakers", "", [*AGENTS, "both"]),
    ],
)
def test_each_kind_has_its_choices(kind, of, values):
    assert [value for value, _ in part_choices(DEFINITION, kind, of).choices] == values


@pytest.mark.parametrize("kind", ["stages", "speakers", "senders", "targets", "served_stages"])
def test_choices_are_in_the_order_of_their_names(kind):
    definition = chain("step-1", "step-10", "step-2")
    labels = [label for _, label in part_choices(definition, kind).choices[:3]]
    assert [label.casefold() for label in labels] == ["step-1", "step-2", "step-10"]


@pytest.mark.parametrize(("count", "is_long"), [(MAX_INITIAL, False), (MAX_INITIAL + 1, True)])
def test_long_lists_are_loaded_on_demand(count, is_long):
    assert PartChoices([("a", "A")] * count, "stages", "").is_long is is_long


def test_the_query_contains_only_set_parameters():
    assert PartChoices([], "stages", "").query == "field=stages"
    assert PartChoices([], "unreached", "a b").query == "field=unreached&of=a+b"


def test_options_are_escaped_and_the_selected_one_is_marked():
    html = render_options([("a", "<b>"), ("c", "C")], "c")
    assert html == '<option value="a">&lt;b&gt;</option><option value="c" selected>C</option>'

"""Reports of a difference as text, Markdown and JSON."""

import json

import pytest

from orchestration.definition import Agent, PipelineDefinition, Stage, Tool, Transition
from orchestration.difference import Difference, Effect, as_json, as_markdown, as_text, difference

BEFORE = PipelineDefinition(
    name="Desk",
    entry="intake",
    agents=(Agent(id="a", name="One | *A*"),),
    stages=(Stage(phase="intake", agent_id="a"), Stage(phase="bills", agent_id="a")),
    transitions=(Transition(source="intake", target="bills"),),
    tools=(Tool(name="look"),),
)
AFTER = PipelineDefinition(
    name="Desk",
    entry="intake",
    agents=(Agent(id="a", name="One | *A*", language="French", temperature=1),),
    stages=(*BEFORE.stages, Stage(phase="review", agent_id="a")),
    transitions=(Transition(source="intake", target="review"),),
)
SAME = Difference(())


def consequences(effect: Effect) -> list[str]:
    """Return the sentences of an effect in a report."""
    _, _, lines = as_text(difference(BEFORE, AFTER), effect).partition("\nEffect\n")
    return [line.strip() for line in lines.splitlines()]


def test_without_a_difference_a_report_is_one_sentence():
    assert as_text(SAME, Effect()) == as_markdown(SAME, Effect()) == "Both behave the same.\n"
    document = json.loads(as_json(SAME, Effect()))
    assert (document["same"], document["changes"]) == (True, [])


def test_a_text_has_a_sign_for_each_change_and_the_changed_values():
    assert as_text(difference(BEFORE, AFTER), Effect()).splitlines() == [
        "4 changes: 1 added, 1 removed, 1 changed, 1 leads elsewhere",
        "  ~ agent a (One | *A*)",
        '      language: "" → "French"',
        "      temperature: null → 1.0",
        "  + stage review",
        "  > transition intake → bills now leads to review",
        '      target: "bills" → "review"',
        "  - tool look",
    ]


def test_markdown_has_a_row_for_each_change_and_shows_its_own_signs_as_text():
    report = as_markdown(difference(BEFORE, AFTER), Effect(unreachable=("my_desk",)))
    assert report.partition("\n\n")[2] == TABLE


TABLE = r"""| change | part | values |
|---|---|---|
| changed | agent a (One \| \*A\*) | language: "" → "French"<br>temperature: null → 1.0 |
| added | stage review |  |
| leads elsewhere | transition intake → bills now leads to review | target: "bills" → "review" |
| removed | tool look |  |

**Effect**

- No conversation reaches my\_desk any more.
"""


@pytest.mark.parametrize(
    ("effect", "sentences"),
    [
        (Effect(paths_gained=(("a", "b"),)), ["New path: a → b"]),
        (
            Effect(paths_lost=(("a", "b"),), all_paths=False),
            ["Lost path (the shortest to its end): a → b"],
        ),
        (Effect(newly_reachable=("b",)), ["Conversations now reach b."]),
        (Effect(to_end=(("a", "b"), None)), ["No path leads to an end any more."]),
        (
            Effect(to_human=(None, ("a", "b"))),
            ["The shortest path to the human has 1 handoff; before, no path led there."],
        ),
        (
            Effect(to_human=(("a", "b"), ("a", "c", "b"))),
            ["The shortest path to the human has 2 handoffs instead of 1."],
        ),
        (Effect(to_end=(("a", "b"), ("a", "c"))), []),
    ],
)
def test_each_consequence_is_a_sentence(effect, sentences):
    assert consequences(effect) == sentences


def test_long_values_and_many_paths_are_shortened():
    long = BEFORE.model_copy(update={"description": "x" * 1_000})
    [_, _, value] = as_text(difference(BEFORE, long), Effect()).splitlines()
    assert value.startswith('      "" → "xxx')
    assert value.endswith("x…")
    assert len(value) < 300
    lines = consequences(Effect(paths_gained=tuple(("a", f"b{number}") for number in range(23))))
    assert len(lines) == 21
    assert lines[-1] == "New path: 3 more"


def test_json_leaves_out_the_side_without_a_value():
    tool = Tool(name="look", parameters={"type": "object", "title": "Look", "properties": {}})
    extended = BEFORE.model_copy(update={"tools": (tool,)})
    added = {"path": "parameters.title", "after": "Look"}
    removed = {"path": "parameters.title", "before": "Look"}
    for before, after, value in ((BEFORE, extended, added), (extended, BEFORE, removed)):
        [change] = json.loads(as_json(difference(before, after), Effect()))["changes"]
        assert change == {"kind": "tool", "key": "look", "mark": "changed", "values": [value]}


def test_json_has_the_earlier_key_of_a_transition_and_both_shortest_paths():
    effect = Effect(to_end=(("a", "b"), None))
    document = json.loads(as_json(difference(BEFORE, AFTER), effect))
    [moved] = [change for change in document["changes"] if change["mark"] == "retargeted"]
    assert (moved["key"], moved["previous_key"]) == ("intake>review", "intake>bills")
    assert document["effect"]["shortest_path_to_end"] == {"before": ["a", "b"], "after": None}

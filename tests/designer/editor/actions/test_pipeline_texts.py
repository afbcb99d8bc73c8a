"""Texts of a pipeline."""

from typing import Any

from designer.editor.actions.pipeline_texts import part_texts
from orchestration.definition import (
    Agent,
    Cue,
    CueCall,
    CueHandoff,
    Frame,
    Layout,
    Note,
    PipelineDefinition,
    Stage,
    Tool,
    ToolExample,
    Transition,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"type": "object", "properties": {"id": {"description": "Number of the order"}}},
        "description": {"type": "string"},
    },
}
CUE = Cue(
    when=("refund",),
    say="Sure.",
    call=CueCall(tool="look_up", arguments={"orders": ["A-1"]}),
    hand_over=CueHandoff(target="human", reason="Large", summary="A refund"),
)
DEFINITION = PipelineDefinition(
    name="Desk",
    stages=(Stage(phase="a", description="Asks"), Stage(phase="b")),
    agents=(Agent(id="clerk", name="Clerk", cues=(CUE,)),),
    transitions=(Transition(source="a", target="b", description="Done", input_schema=SCHEMA),),
    tools=(
        Tool(
            name="look_up",
            parameters=SCHEMA,
            examples=(ToolExample(arguments={"id": "A-1"}, result="Sent"),),
        ),
    ),
    layout=Layout(
        notes=(Note(id="n", text="Here", x=0, y=0),),
        frames=(Frame(id="f", title="Front", stages=("a",)),),
    ),
)


def texts() -> dict[str, list[tuple[str, str]]]:
    return {
        f"{part.kind}:{part.key}": [(text.name, text.text) for text in part.texts]
        for part in part_texts(DEFINITION)
    }


def test_every_part_is_listed_with_its_texts_and_the_pipeline_is_the_first():
    assert list(texts().items()) == [
        ("pipeline:", [("Name", "Desk")]),
        ("stage:a", [("Stage name", "a"), ("Description", "Asks")]),
        ("stage:b", [("Stage name", "b")]),
        (
            "agent:clerk",
            [
                ("Name", "Clerk"),
                ("Id", "clerk"),
                ("Cue 1: when the message has", "refund"),
                ("Cue 1: says", "Sure."),
                ("Cue 1: calls look_up with", "A-1"),
                ("Cue 1: reason", "Large"),
                ("Cue 1: summary", "A refund"),
            ],
        ),
        (
            "transition:a>b",
            [("Description", "Done"), ("Description of order.id", "Number of the order")],
        ),
        (
            "tool:look_up",
            [
                ("Name", "look_up"),
                ("Description of order.id", "Number of the order"),
                ("Example 1: given", "A-1"),
                ("Example 1: result", "Sent"),
            ],
        ),
        ("note:n", [("Text", "Here")]),
        ("frame:f", [("Title", "Front")]),
    ]


def test_keys_are_marked():
    keys = {text.text for part in part_texts(DEFINITION) for text in part.texts if text.is_key}
    assert keys == {"a", "b", "clerk", "look_up"}


def test_a_path_leads_to_its_text():
    for part in part_texts(DEFINITION):
        values: Any = part.part.model_dump(mode="json")
        for text in part.texts:
            value: Any = values
            for step in text.path:
                value = value[step]
            assert value == text.text

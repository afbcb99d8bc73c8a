"""Small example pipelines."""

from orchestration.validation import validate
from orchestration.validation.sketches import cue_sketch, http_sketch, sketch


def test_a_line_draws_stages_agents_and_transitions() -> None:
    definition = sketch("intake > review, review ~ intake")
    assert definition.entry == "intake"
    assert [stage.agent_id for stage in definition.stages] == ["agent-intake", "agent-review"]
    assert [(t.source, t.target, t.kind) for t in definition.transitions] == [
        ("intake", "review", "next"),
        ("review", "intake", "return"),
    ]


def test_changes_replace_settings_and_single_parts() -> None:
    definition = sketch(
        "intake",
        entry=None,
        agents={"agent-b": {"name": "B"}},
        stages={"intake": {"agent_id": "agent-b"}},
    )
    assert definition.entry is None
    assert [agent.id for agent in definition.agents] == ["agent-b"]


def test_a_plain_sketch_has_no_issues() -> None:
    assert validate(sketch("intake > review, review > reply")) == ()
    assert validate(cue_sketch(say="Hello.")) == ()
    assert validate(http_sketch("order", url="https://shop.example/{order}")) == ()


def test_an_empty_line_is_an_empty_pipeline() -> None:
    assert sketch("").stages == ()

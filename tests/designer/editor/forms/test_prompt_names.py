"""Names to insert into instructions."""

from designer.editor.forms.prompt_names import prompt_names
from orchestration.definition import Agent, Group, PipelineDefinition, Stage, Tool


def test_variables_can_be_inserted_after_an_at_sign_or_two_brackets():
    definition = PipelineDefinition(name="Support", variables={"customer.name": "Ada"})
    names = prompt_names(definition)
    assert [name.trigger for name in names] == ["@", "{{"]
    shown = {(name.name, name.kind, name.insert, name.description) for name in names}
    assert shown == {("customer.name", "variable", "{{customer.name}}", "Ada")}


def test_stages_and_tools_can_be_inserted_after_an_at_sign():
    definition = PipelineDefinition(
        name="Support",
        agents=(Agent(id="a", name="Ada"), Agent(id="b", name="Bob")),
        stages=(
            Stage(phase="intake", agent_id="a"),
            Stage(phase="panel", kind="group", group=Group(agents=("a", "b"))),
            Stage(phase="person", kind="human"),
        ),
        tools=(Tool(name="look_up", description="Looks up an order."),),
    )
    names = prompt_names(definition)
    assert [(name.name, name.kind, name.description) for name in names] == [
        ("intake", "stage", "Ada"),
        ("panel", "stage", "Ada, Bob"),
        ("person", "stage", "Human"),
        ("look_up", "tool", "Looks up an order."),
    ]
    assert {(name.trigger, name.insert == name.name) for name in names} == {("@", True)}

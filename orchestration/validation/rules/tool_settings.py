"""Rules about settings of tools: examples, approval, and questions to the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import removing, setting
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def stand_in_without_examples(draft: Draft) -> Iterator[Issue]:
    """Require examples for a tool that is replaced by its examples."""
    for index, tool in draft.tools:
        if tool.stand_in and not tool.examples:
            yield warning(
                "stand-in-without-examples",
                f"The tool {tool.name!r} uses its examples, but has none: add examples, or use the"
                " tool itself.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].stand_in",
            )


def approval_unused(draft: Draft) -> Iterator[Issue]:
    """Warn about approvals of questions to the user."""
    for index, tool in draft.tools:
        if tool.approval and tool.kind == "user_input" and not tool.stand_in:
            yield warning(
                "approval-unused",
                f"The tool {tool.name!r} asks the user, which needs no approval: remove the"
                " approval.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].approval",
            )


def question_in_subtask(draft: Draft) -> Iterator[Issue]:
    """Require agents that ask the user to answer the user: a subtask cannot wait (contract T-10).

    The members of a group and the workers of a team answer within a subtask.
    """
    definition = draft.definition
    asking = {
        tool.name for tool in definition.tools if tool.kind == "user_input" and not tool.stand_in
    }
    for index, agent in enumerate(definition.agents) if asking else ():
        phases = [*draft.groups_of.get(agent.id, ())]
        if definition.topology == "team":
            served = draft.phases_of.get(agent.id, ())
            phases += [phase for phase in served if phase != definition.entry]
        for place, name in enumerate(agent.tools):
            if phases and name in asking:
                yield warning(
                    "question-in-subtask",
                    f"The agent {draft.agent_label(agent.id)!r} has the tool {name!r}, which asks"
                    f" the user, but in {listed(phases)} it answers within a subtask, which cannot"
                    " wait for the user.",
                    "agent",
                    (agent.id,),
                    f"$.agents[{index}].tools[{place}]",
                )


HELP: Mapping[str, RuleHelp] = {
    "stand-in-without-examples": RuleHelp(
        "No examples to use",
        "The tool uses its examples and has none, so every call fails.",
        "Add examples, or use the tool itself.",
        sketch("intake", tools=[{"name": "check", "stand_in": True}]),
        setting("Use the tool itself", False),
    ),
    "approval-unused": RuleHelp(
        "An approval without effect",
        "A question goes to the user directly, without an approval.",
        "Remove the approval, or choose another kind of tool.",
        sketch("intake", tools=[{"name": "ask", "kind": "user_input", "approval": True}]),
        setting("Remove the approval", False),
    ),
    "question-in-subtask": RuleHelp(
        "A question that cannot be asked",
        "The members of a group and the workers of a team answer within a subtask, which cannot"
        " wait for the user, so the call fails.",
        "Give the tool to an agent that answers the user itself.",
        sketch(
            "intake > review",
            topology="team",
            agents={"agent-review": {"tools": ["ask"]}},
            tools=[{"name": "ask", "kind": "user_input"}],
        ),
        removing("Take the tool away"),
    ),
}
"""Help of the rules, by the code of the issue."""

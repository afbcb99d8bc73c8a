"""Rules about the manners of tools: their examples, and whether a person is asked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import setting
from orchestration.validation.issues import Issue, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def stand_in_without_examples(draft: Draft) -> Iterator[Issue]:
    """Require a tool with stand-in answers to have examples."""
    for index, tool in draft.tools:
        if tool.stand_in and not tool.examples:
            yield warning(
                "stand-in-without-examples",
                f"The tool {tool.name!r} answers from its examples, and has none: give it some, or"
                " let the tool itself answer.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].stand_in",
            )


def approval_unused(draft: Draft) -> Iterator[Issue]:
    """A question to the user asks a person already."""
    for index, tool in draft.tools:
        if tool.approval and tool.kind == "user_input" and not tool.stand_in:
            yield warning(
                "approval-unused",
                f"The tool {tool.name!r} asks the user, and nobody is asked before that: its"
                " approval does nothing.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].approval",
            )


HELP: Mapping[str, RuleHelp] = {
    "stand-in-without-examples": RuleHelp(
        "No example to stand in",
        "The tool is to answer from its examples and has none, so every call of it fails.",
        "Give it examples, or let the tool itself answer.",
        sketch("intake", tools=[{"name": "check", "stand_in": True}]),
        setting("Let the tool itself answer", False),
    ),
    "approval-unused": RuleHelp(
        "An approval that nobody gives",
        "A question goes to the user as it is: nobody is asked before.",
        "Take the approval away, or have something else answer the tool.",
        sketch("intake", tools=[{"name": "ask", "kind": "user_input", "approval": True}]),
        setting("Take the approval away", False),
    ),
}
"""Help of the rules, by the code of the issue."""

"""Rules about settings of tools: examples and approval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import setting
from orchestration.validation.issues import Issue, warning
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
}
"""Help of the rules, by the code of the issue."""

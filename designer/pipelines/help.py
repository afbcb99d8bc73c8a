"""Help topics: one for each issue that the editor can show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from designer.canvas import message_parts
from designer.core import MAX_PIPELINES
from orchestration.definition import PipelineDefinition
from orchestration.validation import HELP, Explanation, Severity, find_fix, validate


def _with_subtasks(pipelines: Mapping[str, str]) -> dict[str, Any]:
    """Return a definition with one agent whose tools run these pipelines, by tool name."""
    agent = {"id": "agent-triage", "name": "Triage", "tools": list(pipelines)}
    return {
        "agents": [agent],
        "stages": [{"phase": "intake", "agent_id": "agent-triage"}],
        "tools": [
            {"name": name, "kind": "subtask", "pipeline": pipeline}
            for name, pipeline in pipelines.items()
        ],
        "entry": "intake",
    }


APP_EXPLANATIONS: Mapping[str, Explanation] = {
    "provider-not-connected": Explanation(
        "An agent uses a provider that is not connected",
        "A run uses the connections of the owner of the pipeline, and none has the name of the"
        " agent's provider. This is common after an import.",
        "Add a connection of that name, or choose another provider for the agent.",
    ),
    "subtask-pipeline-missing": Explanation(
        "The pipeline of a subtask does not exist",
        "A subtask runs another pipeline of the same owner, and none that you can open has this"
        " name or matches these hints, so a rehearsal would stop there.",
        "Import or draw that pipeline, or choose another pipeline for the tool.",
    ),
    "subtask-pipeline-faulty": Explanation(
        "The pipeline of a subtask has errors",
        "The pipeline that the subtask runs cannot be rehearsed.",
        "Open that pipeline and fix its problems.",
    ),
    "subtask-pipelines-too-many": Explanation(
        "Too many pipelines in one rehearsal",
        "Subtasks run pipelines whose subtasks can run others. Together they exceed the limit of"
        " one rehearsal.",
        "Reduce the number of tools that run pipelines.",
    ),
}
"""Explanations of issues that concern more than one definition."""

APP_EXAMPLES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "provider-not-connected": (
        "Agent 'Triage' uses the provider 'work', but you have no connection of that name.",
        {
            "agents": [{"id": "agent-triage", "name": "Triage", "provider": "work"}],
            "stages": [{"phase": "intake", "agent_id": "agent-triage"}],
            "entry": "intake",
        },
    ),
    "subtask-pipeline-missing": (
        "The tool 'check_invoice' runs the pipeline 'Invoices', but you have none of that name.",
        _with_subtasks({"check_invoice": "Invoices"}),
    ),
    "subtask-pipeline-faulty": (
        "The tool 'check_invoice' runs the pipeline 'Invoices', which has an error.",
        _with_subtasks({"check_invoice": "Invoices"}),
    ),
    "subtask-pipelines-too-many": (
        f"The subtasks of this pipeline run more than {MAX_PIPELINES} other pipelines.",
        _with_subtasks(
            {f"do_part_{number}": f"Part {number}" for number in range(1, MAX_PIPELINES + 2)}
        ),
    ),
}
"""Example for each of these issues: the message of the editor and the definition."""

EXPLANATIONS: Mapping[str, Explanation] = dict(sorted({**HELP, **APP_EXPLANATIONS}.items()))
"""All explanations by the code of the issue."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Explanation of one issue, with an example and the editor's message for it."""

    code: str
    severity: Severity
    explanation: Explanation
    example: PipelineDefinition
    sentence: Sequence[tuple[str, bool]]
    """Message of the rule for the example: pairs of a text and a flag for names."""
    fix: str | None = None
    """Label of the fix button in the example."""
    text: str = ""
    """The example as JSON, without default values."""


@cache
def topic(code: str) -> Topic:
    """Return the topic of an issue, or raise `KeyError` for an unknown code.

    Topics stay in memory: the list would validate all examples for each reader.
    """
    explanation, example = EXPLANATIONS[code], HELP[code].example if code in HELP else None
    if example is None:
        sentence, data = APP_EXAMPLES[code]
        example = PipelineDefinition.model_validate({"name": "Support", **data})
        message = tuple(message_parts(sentence))
        return Topic(code, "error", explanation, example, message, text=dump_example(example))
    issue = next(issue for issue in validate(example) if issue.code == code)
    fix = find_fix(example, issue)
    return Topic(
        code=code,
        severity=issue.severity,
        explanation=explanation,
        example=example,
        sentence=tuple(message_parts(issue.message)),
        fix=fix.title if fix else None,
        text=dump_example(example),
    )


def dump_example(example: PipelineDefinition) -> str:
    """Return an example as JSON, without default values."""
    return json.dumps(example.model_dump(mode="json", exclude_defaults=True), indent=2)


def topics() -> list[Topic]:
    """Return all topics: errors first, then by code."""
    return sorted(map(topic, EXPLANATIONS), key=lambda topic: topic.severity != "error")

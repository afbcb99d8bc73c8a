"""The pages of help: one for each issue that the editor can show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from designer.canvas import message_parts
from designer.core import MAX_PIPELINES
from orchestration.definition import PipelineDefinition
from orchestration.validation import HELP, Explanation, Severity, find_fix, validate


def _with_subtasks(named: Mapping[str, str]) -> dict[str, Any]:
    """A definition whose one agent has these tools, each of which runs a pipeline."""
    agent = {"id": "agent-triage", "name": "Triage", "tools": list(named)}
    return {
        "agents": [agent],
        "stages": [{"phase": "intake", "agent_id": "agent-triage"}],
        "tools": [
            {"name": name, "kind": "subtask", "pipeline": pipeline}
            for name, pipeline in named.items()
        ],
        "entry": "intake",
    }


OF_THE_APP: Mapping[str, Explanation] = {
    "provider-not-connected": Explanation(
        "An agent asks a provider that is not connected",
        "A run asks the connections of who owns the pipeline, and none has the name that the agent"
        " asks for. A definition from elsewhere may well name one.",
        "Add a connection of that name, or let the agent ask another provider.",
    ),
    "subtask-pipeline-missing": Explanation(
        "A subtask for a pipeline that is not here",
        "The subtask is done by another pipeline of the same owner, and none that you may open has"
        " this name or these hints: a rehearsal could not go on there.",
        "Import or draw that pipeline, or let the tool name another.",
    ),
    "subtask-pipeline-faulty": Explanation(
        "A subtask for a pipeline with errors",
        "The pipeline that does the subtask cannot be rehearsed itself.",
        "Open that pipeline, and fix its problems.",
    ),
    "subtask-pipelines-too-many": Explanation(
        "Too many pipelines in one rehearsal",
        "Subtasks run pipelines, whose subtasks run others: all together are more than one"
        " rehearsal may hold.",
        "Let fewer tools run pipelines of their own.",
    ),
}
"""Explanations of issues that concern more than one definition."""

SHOWN: Mapping[str, tuple[str, dict[str, Any]]] = {
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
"""An example of each of those: what the editor would say of it, and the definition."""

EVERY: Mapping[str, Explanation] = dict(sorted({**HELP, **OF_THE_APP}.items()))
"""All explanations by the code of the issue."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One issue, explained; the example is drawn, and says what the editor would."""

    code: str
    severity: Severity
    explanation: Explanation
    example: PipelineDefinition
    sentence: Sequence[tuple[str, bool]]
    """Message of the rule for the example: texts, and whether each is a name."""
    fix: str | None = None
    """Label of the fix button in the example."""
    text: str = ""
    """The example as JSON, without what is as usual."""


def topic(code: str) -> Topic:
    """One page of help; an unknown code raises `KeyError`."""
    explanation, example = EVERY[code], HELP[code].example if code in HELP else None
    if example is None:
        sentence, data = SHOWN[code]
        example = PipelineDefinition.model_validate({"name": "Support", **data})
        said = tuple(message_parts(sentence))
        return Topic(code, "error", explanation, example, said, text=written(example))
    issue = next(issue for issue in validate(example) if issue.code == code)
    fix = find_fix(example, issue)
    return Topic(
        code=code,
        severity=issue.severity,
        explanation=explanation,
        example=example,
        sentence=tuple(message_parts(issue.message)),
        fix=fix.title if fix else None,
        text=written(example),
    )


def written(example: PipelineDefinition) -> str:
    """An example as JSON, without what is as usual."""
    return json.dumps(example.model_dump(mode="json", exclude_defaults=True), indent=2)


def topics() -> list[Topic]:
    """Every page of help, errors first, each in the order of the codes."""
    return sorted(map(topic, EVERY), key=lambda one: one.severity != "error")

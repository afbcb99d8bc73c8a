"""The pipelines that a rehearsal's subtasks run, gathered when it begins; and what bars it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from django.contrib.auth.models import User
from django.db.models import Q

from designer import definitions
from designer.core.connection_issues import find_unconnected, pipelines_asking_others
from designer.models import Pipeline
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition, Tool
from orchestration.messages import SubtaskRequest
from orchestration.validation import Issue, error, errors

MAX_PIPELINES = 20
"""Maximum number of other pipelines in a rehearsal, nested subtasks included."""


class _Shelf:
    """The pipelines of one owner that someone may open, each read once, and only when asked for."""

    def __init__(self, owner_id: int, user: User) -> None:
        self._owner_id, self._user = owner_id, user
        self._read: dict[int, PipelineDefinition] = {}

    @cached_property
    def rows(self) -> list[Pipeline]:
        """Return the accessible pipelines; of equal names only the most recently changed."""
        rows = Pipeline.objects.seen_by(self._user).filter(owner=self._owner_id)
        rows = rows.order_by("-updated", "-pk")
        newest: dict[str, Pipeline] = {}
        for row in rows.select_related("entry", "default_agent", "supervisor"):
            newest.setdefault(row.name, row)
        return list(newest.values())

    def read(self, row: Pipeline) -> PipelineDefinition:
        if row.pk not in self._read:
            self._read[row.pk] = definitions.read(row)
        return self._read[row.pk]


def find_issues(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    own: Sequence[Issue] | None = None,
) -> tuple[Issue, ...]:
    """List the issues of a definition and further obstacles to a rehearsal, errors first.

    That are providers which are not connected, and subtasks. What bars these may differ by who
    asks: nobody is told of a pipeline that they may not open.

    `own` is what the rules find, where that is known.
    """
    subtasks, barring = gather_subtasks(pipeline, user, definition)
    barring += find_unconnected(pipeline, user, definition, subtasks.values())
    own = definitions.find_own_issues(pipeline, definition) if own is None else own
    found = [*own, *barring]
    return tuple(sorted(found, key=lambda issue: issue.severity != "error"))


def count_barring(user: User) -> dict[int, int]:
    """Count the errors beside those of its design for each of a person's pipelines, by id.

    They are counted anew each time: what bars one comes and goes with others, and with connections.
    """
    rows = Pipeline.objects.of(user)
    asking = pipelines_asking_others(user.pk)
    reaching = Q(tools__kind__in=["subtask", "http", "mcp"])
    rows = rows.filter(reaching | Q(pk__in=asking)).distinct()
    shelf = _Shelf(user.pk, user)
    counts: dict[int, int] = {}
    for row in rows.select_related("entry", "default_agent", "supervisor"):
        definition = shelf.read(row)
        subtasks, barring = gather_subtasks(row, user, definition, shelf)
        barring += find_unconnected(row, user, definition, subtasks.values())
        counts[row.pk] = len(barring)
    return counts


def gather_subtasks(
    pipeline: Pipeline, user: User, definition: PipelineDefinition, shelf: _Shelf | None = None
) -> tuple[dict[int, PipelineDefinition], list[Issue]]:
    """The pipelines that the subtasks of this one run for a person, by their ids; what bars them.

    They are of the same owner, and such as the person may open: a pipeline that is shared lets
    nobody into others. What those run themselves is among them, each pipeline once.
    """
    gathered: dict[int, PipelineDefinition] = {}
    issues: list[Issue] = []
    shelf = shelf or _Shelf(pipeline.owner_id, user)
    is_own = pipeline.owner_id == user.pk
    # The tool of the rehearsed pipeline by which each is come to: there the way to it can be cut.
    waiting = [(tool, tool, "") for tool in _subtask_tools(definition)]
    while waiting:
        tool, root, where = waiting.pop(0)
        row = find_template(_request(tool), shelf.rows)
        if row is None:
            issues.append(_missing(tool, root, where, definition, is_own=is_own))
        elif row.pk not in gathered:
            found = gathered[row.pk] = shelf.read(row)
            if count := len(errors(definitions.find_own_issues(row, found))):
                issues.append(_faulty(tool, root, where, definition, found.name, count))
            within = f"In the pipeline {found.name!r}: "
            waiting += [(one, root, within) for one in _subtask_tools(found)]
        if len(gathered) > MAX_PIPELINES:
            issues.append(_too_many(root, definition))
            break
    return gathered, issues


def subtask_requests(definition: PipelineDefinition) -> list[SubtaskRequest]:
    """Return the subtask requests of a pipeline's tools."""
    return [_request(tool) for tool in _subtask_tools(definition)]


def _subtask_tools(definition: PipelineDefinition) -> Iterator[Tool]:
    """The tools for subtasks that some agent has."""
    held = {name for agent in definition.agents for name in agent.tools}
    return (
        tool
        for tool in definition.tools
        if tool.kind == "subtask" and tool.name in held and not tool.stand_in
    )


def _request(tool: Tool) -> SubtaskRequest:
    return SubtaskRequest(
        type=tool.name,
        description=tool.description,
        template_hints=tool.template_hints,
        subtype=tool.pipeline,
    )


def _missing(
    tool: Tool, root: Tool, where: str, definition: PipelineDefinition, *, is_own: bool
) -> Issue:
    if tool.pipeline is not None:
        none = (
            "you have none of that name"
            if is_own
            else "the owner of this pipeline shares none of that name with you"
        )
        what = f"runs the pipeline {tool.pipeline!r}, and {none}."
    else:
        none = (
            "none of your pipelines"
            if is_own
            else "none of the pipelines that the owner of this one shares with you"
        )
        what = f"has hints that fit {none}."
    return _issue("subtask-pipeline-missing", f"{_called(tool, where)} {what}", root, definition)


def _faulty(
    tool: Tool, root: Tool, where: str, definition: PipelineDefinition, name: str, count: int
) -> Issue:
    many = "an error" if count == 1 else f"{count} errors"
    sentence = f"{_called(tool, where)} runs the pipeline {name!r}, which has {many} itself."
    return _issue("subtask-pipeline-faulty", sentence, root, definition)


def _too_many(root: Tool, definition: PipelineDefinition) -> Issue:
    sentence = f"The subtasks of this pipeline run more than {MAX_PIPELINES} other pipelines."
    return _issue("subtask-pipelines-too-many", sentence, root, definition)


def _called(tool: Tool, where: str) -> str:
    return f"{where}{'the' if where else 'The'} tool {tool.name!r}"


def _issue(code: str, sentence: str, root: Tool, definition: PipelineDefinition) -> Issue:
    path = f"$.tools[{definition.tools.index(root)}].pipeline"
    return error(code, sentence, "tool", (root.name,), path)

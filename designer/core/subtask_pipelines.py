"""Pipelines that the subtasks of a rehearsal run, and obstacles to the rehearsal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from django.contrib.auth.models import User
from django.db.models import Q

from designer import definitions
from designer.core.connection_issues import find_connection_issues, pipelines_without_provider
from designer.models import Pipeline
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition, Tool
from orchestration.messages import SubtaskRequest
from orchestration.validation import Issue, error, errors

MAX_PIPELINES = 20
"""Maximum number of other pipelines in a rehearsal, nested subtasks included."""


class _PipelineCache:
    """Pipelines of one owner that a user may open, each read at most once."""

    def __init__(self, owner_id: int, user: User) -> None:
        self._owner_id, self._user = owner_id, user
        self._definitions: dict[int, PipelineDefinition] = {}

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
        if row.pk not in self._definitions:
            self._definitions[row.pk] = definitions.read(row)
        return self._definitions[row.pk]


def find_issues(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    own: Sequence[Issue] | None = None,
) -> tuple[Issue, ...]:
    """List the issues of a definition and further obstacles to a rehearsal, errors first.

    Further obstacles are missing connections and missing or invalid pipelines of subtasks. They
    depend on the user, who must not learn about pipelines without access to them.

    `own` are the issues that the rules found, if known.
    """
    subtasks, obstacles = gather_subtasks(pipeline, user, definition)
    obstacles += find_connection_issues(pipeline, user, definition, subtasks.values())
    own = definitions.find_own_issues(pipeline, definition) if own is None else own
    return tuple(sorted([*own, *obstacles], key=lambda issue: issue.severity != "error"))


def count_obstacles(user: User) -> dict[int, int]:
    """Count the obstacles to a rehearsal of each of the user's pipelines, by id.

    They are not stored, because they depend on other pipelines and on connections.
    """
    rows = Pipeline.objects.of(user)
    disconnected = pipelines_without_provider(user.pk)
    has_remote_tools = Q(tools__kind__in=["subtask", "http", "mcp"])
    rows = rows.filter(has_remote_tools | Q(pk__in=disconnected)).distinct()
    cache = _PipelineCache(user.pk, user)
    counts: dict[int, int] = {}
    for row in rows.select_related("entry", "default_agent", "supervisor"):
        definition = cache.read(row)
        subtasks, obstacles = gather_subtasks(row, user, definition, cache)
        obstacles += find_connection_issues(row, user, definition, subtasks.values())
        counts[row.pk] = len(obstacles)
    return counts


def gather_subtasks(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    cache: _PipelineCache | None = None,
) -> tuple[dict[int, PipelineDefinition], list[Issue]]:
    """Return the pipelines that the subtasks run for a user, by id, and the obstacles.

    Only pipelines of the same owner that the user may open are used: access to a shared pipeline
    gives no access to others. Nested subtasks are included, each pipeline once.
    """
    gathered: dict[int, PipelineDefinition] = {}
    issues: list[Issue] = []
    cache = cache or _PipelineCache(pipeline.owner_id, user)
    is_own = pipeline.owner_id == user.pk
    # `root` is the tool of the rehearsed pipeline that leads to the subtask: issues belong to it.
    pending = [(tool, tool, "") for tool in _subtask_tools(definition)]
    while pending:
        tool, root, where = pending.pop(0)
        row = find_template(_request(tool), cache.rows)
        if row is None:
            issues.append(_missing(tool, root, where, definition, is_own=is_own))
        elif row.pk not in gathered:
            subtask = gathered[row.pk] = cache.read(row)
            if count := len(errors(definitions.find_own_issues(row, subtask))):
                issues.append(_faulty(tool, root, where, definition, subtask.name, count))
            within = f"In the pipeline {subtask.name!r}: "
            pending += [(nested, root, within) for nested in _subtask_tools(subtask)]
        if len(gathered) > MAX_PIPELINES:
            issues.append(_too_many(root, definition))
            break
    return gathered, issues


def subtask_requests(definition: PipelineDefinition) -> list[SubtaskRequest]:
    """Return the subtask requests of a pipeline's tools."""
    return [_request(tool) for tool in _subtask_tools(definition)]


def _subtask_tools(definition: PipelineDefinition) -> Iterator[Tool]:
    """Return the subtask tools that agents have."""
    used = {name for agent in definition.agents for name in agent.tools}
    return (
        tool
        for tool in definition.tools
        if tool.kind == "subtask" and tool.name in used and not tool.stand_in
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
        owner = "you have" if is_own else "the owner of this pipeline shares"
        end = "" if is_own else " with you"
        problem = f"runs the pipeline {tool.pipeline!r}, but {owner} none of that name{end}."
    else:
        pipelines = (
            "none of your pipelines"
            if is_own
            else "none of the pipelines that the owner of this one shares with you"
        )
        problem = f"has hints that match {pipelines}."
    return _issue(
        "subtask-pipeline-missing", f"{_subject(tool, where)} {problem}", root, definition
    )


def _faulty(
    tool: Tool, root: Tool, where: str, definition: PipelineDefinition, name: str, count: int
) -> Issue:
    errors_text = "an error" if count == 1 else f"{count} errors"
    sentence = f"{_subject(tool, where)} runs the pipeline {name!r}, which has {errors_text}."
    return _issue("subtask-pipeline-faulty", sentence, root, definition)


def _too_many(root: Tool, definition: PipelineDefinition) -> Issue:
    sentence = f"The subtasks of this pipeline run more than {MAX_PIPELINES} other pipelines."
    return _issue("subtask-pipelines-too-many", sentence, root, definition)


def _subject(tool: Tool, where: str) -> str:
    return f"{where}{'the' if where else 'The'} tool {tool.name!r}"


def _issue(code: str, sentence: str, root: Tool, definition: PipelineDefinition) -> Issue:
    path = f"$.tools[{definition.tools.index(root)}].pipeline"
    return error(code, sentence, "tool", (root.name,), path)

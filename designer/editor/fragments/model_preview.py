"""Preview of a stage's models: their tools and prompts, exactly as they are sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from designer.editor.fragments.signatures import signature
from designer.editor.fragments.tool_list import ToolEntry, tool_list
from orchestration.conversation import Offer, offer, supervising_offer
from orchestration.definition import PipelineDefinition, Stage
from orchestration.difference import TextRun, line_differences
from orchestration.prompts import PART_TITLES
from orchestration.tools import ToolSpec

MOST_STAGES = 12
"""Maximum number of an agent's stages in the preview."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A text of a request in runs of lines, which are marked if they differ from the saved text."""

    title: str
    runs: tuple[TextRun, ...]

    @classmethod
    def of(cls, title: str, text: str) -> PromptText:
        """Return a text without marks."""
        return cls(title, (TextRun("", text),))

    @property
    def is_changed(self) -> bool:
        """True if any line is marked."""
        return any(run.mark for run in self.runs)

    @property
    def text(self) -> str:
        """The text as it will be sent."""
        return "\n".join(run.text for run in self.runs if run.mark != "removed")

    def compared_with(self, saved: PromptText | None) -> PromptText:
        """Return the text with its differences from the saved one marked."""
        return replace(self, runs=line_differences(saved.text if saved else None, self.text))


@dataclass(frozen=True, slots=True)
class ModelView:
    """Preview of one model's requests."""

    key: str
    """Key of the view: a member of a group, or one of an agent's stages."""
    name: str
    signatures: PromptText
    prompt: Sequence[PromptText]
    """Parts of the system prompt; the title is the kind."""
    tools: PromptText
    """The tools as they are sent, with their JSON Schemas."""
    tool_list: Sequence[ToolEntry] = ()
    """The same tools, each with its kind."""

    @property
    def has_other_prompt(self) -> bool:
        """True if a part of the system prompt differs from the saved one."""
        return any(part.is_changed for part in self.prompt)

    @property
    def is_changed(self) -> bool:
        """True if anything differs from the saved version."""
        return self.has_other_prompt or self.signatures.is_changed or self.tools.is_changed

    def compared_with(self, saved: ModelView | None) -> ModelView:
        """Return the view with its differences from the saved one marked."""
        if saved is None:
            empty = PromptText("", ())
            return replace(
                self,
                signatures=self.signatures.compared_with(empty),
                prompt=[part.compared_with(empty) for part in self.prompt],
                tools=self.tools.compared_with(empty),
            )
        now = {part.title: part for part in self.prompt}
        before = {part.title: part for part in saved.prompt}
        titles = [title for title in PART_TITLES if title in now or title in before]
        return replace(
            self,
            signatures=self.signatures.compared_with(saved.signatures),
            prompt=[
                now.get(title, PromptText(title, ())).compared_with(before.get(title))
                for title in titles
            ],
            tools=self.tools.compared_with(saved.tools),
        )


@dataclass(frozen=True, slots=True)
class ModelPreview:
    """Views of several models, or of one model in each of its stages."""

    title: str
    views: Sequence[ModelView]
    has_names: bool
    """True if each view shows its name."""
    empty_text: str
    """Reason for an empty preview."""
    omitted: int = 0
    """Number of further stages."""
    is_unsaved: bool = False
    """True if the views include unsaved text."""

    def compared_with(self, saved: ModelPreview) -> ModelPreview:
        """Return the preview with its differences from the saved one marked."""
        saved_views = {view.key: view for view in saved.views}
        views = [view.compared_with(saved_views.get(view.key)) for view in self.views]
        has_other_views = self.empty_text != saved.empty_text or len(views) != len(saved.views)
        is_unsaved = has_other_views or any(view.is_changed for view in views)
        return replace(self, views=views, is_unsaved=is_unsaved)


def stage_preview(definition: PipelineDefinition, phase: str, target: str = "") -> ModelPreview:
    """Return the preview of a stage's models.

    With a `target`, only the handoff tool that leads there is shown.
    """
    stage = definition.stages_by_phase[phase]
    views = [
        _view(definition, key, offered, _tools(offered, target), no_tools)
        for key, offered, no_tools in _offers(definition, stage)
    ]
    is_group = stage.kind == "group"
    title = "What each model sees" if is_group else "What the model sees"
    return ModelPreview(title, views, is_group, "" if views else _empty_text(stage))


def agent_preview(definition: PipelineDefinition, agent_id: str) -> ModelPreview:
    """Return the preview of an agent in each of its stages, and of its calls without a stage."""
    stages = [stage for stage in definition.stages if agent_id in stage.agent_ids]
    views = [
        _view(definition, stage.phase, offered, offered.tools, no_tools, name=stage.phase)
        for stage in stages[:MOST_STAGES]
        for key, offered, no_tools in _offers(definition, stage)
        if key in ("", agent_id)
    ]
    several = len(stages) > 1
    title = "What the model sees in each of its stages" if several else "What the model sees"
    empty = ""
    if definition.entry in definition.stages_by_phase:
        views += _without_stage(definition, str(definition.entry), agent_id, is_free=not stages)
    if not views and agent_id == definition.supervisor_id:
        empty = "The supervisor only observes: no model is called."
    elif not views:
        empty = "This agent serves no stage yet, so nothing is sent to a model."
    return ModelPreview(
        title, views, len(views) > 1, empty, omitted=max(0, len(stages) - MOST_STAGES)
    )


def _without_stage(
    definition: PipelineDefinition, entry: str, agent_id: str, *, is_free: bool
) -> Iterator[ModelView]:
    """Yield the view of the supervisor, or of an agent without a stage that a rule selects."""
    if agent_id == definition.supervisor_id:
        if offered := supervising_offer(definition, entry):
            no_tools = "No tools: it may only answer in the trace."
            name = f"{entry}, as the supervisor"
            yield _view(definition, "supervisor", offered, offered.tools, no_tools, name=name)
    elif is_free and agent_id in {
        definition.default_agent_id,
        *(rule.agent_id for rule in definition.rules),
    }:
        offered = offer(definition, entry, agent_id)
        no_tools = _no_tools_text(definition, entry)
        yield _view(definition, entry, offered, offered.tools, no_tools, name=entry)


def _offers(definition: PipelineDefinition, stage: Stage) -> Iterator[tuple[str, Offer, str]]:
    """Yield the offers to a stage's agents, each with the text shown if it has no tools."""
    if stage.kind != "group":
        offered = offer(definition, stage.phase)
        if offered.agent is not None:
            yield "", offered, _no_tools_text(definition, stage.phase)
        return
    alone = definition.model_copy(update={"topology": "pipeline", "transitions": ()})
    for key in stage.agent_ids:
        offered = offer(alone, stage.phase, key)
        if offered.agent is not None:
            yield key, offered, "No tools: it answers, and the group continues."


def _tools(offered: Offer, target: str) -> Sequence[ToolSpec]:
    handoffs = [
        tool for tool in offered.tools if any(option.phase == target for option in tool.options)
    ]
    return handoffs if target and handoffs else offered.tools


def _view(
    definition: PipelineDefinition,
    key: str,
    offered: Offer,
    tools: Sequence[ToolSpec],
    no_tools: str,
    name: str = "",
) -> ModelView:
    schemas = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools
    ]
    return ModelView(
        key=key,
        name=name or (offered.agent.name if offered.agent else key),
        signatures=PromptText.of("", "\n".join(map(signature, tools)) or no_tools),
        prompt=[PromptText.of(part.kind, part.text) for part in offered.system_parts],
        tools=PromptText.of("", json.dumps(schemas, indent=2, ensure_ascii=False)),
        tool_list=tool_list(definition, offered.phase, tools),
    )


def _empty_text(stage: Stage) -> str:
    if stage.kind == "human":
        return "A human answers at this stage: no model is called."
    if stage.agent_ids:
        return "No agent of this stage exists in this pipeline. Choose another agent."
    if stage.kind == "group":
        return "This group has no members yet: add at least one agent."
    return "This stage has no agent yet: choose an agent, or name a new one."


def _no_tools_text(definition: PipelineDefinition, phase: str) -> str:
    if definition.topology == "workflow":
        return "No tools: its answer goes to the next stage."
    if definition.topology == "team" and phase != definition.entry:
        return "No tools: it does its task and answers the lead."
    if definition.transitions_from.get(phase):
        return "No tools: the next stages have no agents."
    if definition.topology == "team":
        return "No tools: there is no stage yet to delegate to."
    return "No tools: this stage is terminal."

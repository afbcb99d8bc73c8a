"""Preview of a stage's models: their tools and prompts, exactly as sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from designer.editor.fragments.signatures import signature
from designer.editor.fragments.text_difference import LineRun, differences
from designer.editor.fragments.tool_list import MayCall, repertoire
from orchestration.conversation import Offer, offer
from orchestration.definition import PipelineDefinition, Stage
from orchestration.prompts import PART_TITLES
from orchestration.tools import ToolSpec

MOST_STAGES = 12
"""Maximum number of an agent's stages in the preview."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A text as it is sent, in runs of lines: marked where it is not what is saved."""

    title: str
    runs: tuple[LineRun, ...]

    @classmethod
    def of(cls, title: str, text: str) -> PromptText:
        """A text in which nothing is marked."""
        return cls(title, (LineRun("", text),))

    @property
    def is_changed(self) -> bool:
        """True if anything in it is marked."""
        return any(run.mark for run in self.runs)

    @property
    def text(self) -> str:
        """It as it is to be sent."""
        return "\n".join(run.text for run in self.runs if run.mark != "removed")

    def beside(self, saved: PromptText | None) -> PromptText:
        """The same with what is otherwise than in the saved one marked."""
        return replace(self, runs=differences(saved.text if saved else None, self.text))


@dataclass(frozen=True, slots=True)
class Sight:
    """View of one model."""

    key: str
    """Key of the view: a member of a group, or one of an agent's stages."""
    name: str
    signatures: PromptText
    prompt: Sequence[PromptText]
    """Each part of the system prompt; its title is its kind."""
    tools: PromptText
    """The tools as they are sent, with their JSON Schemas."""
    repertoire: Sequence[MayCall] = ()
    """The same, each as what it is."""

    @property
    def has_other_prompt(self) -> bool:
        """True if a part of the system prompt differs from the saved one."""
        return any(part.is_changed for part in self.prompt)

    @property
    def is_changed(self) -> bool:
        """True if anything differs from the saved version."""
        return self.has_other_prompt or self.signatures.is_changed or self.tools.is_changed

    def beside(self, saved: Sight | None) -> Sight:
        """Return the view with its differences from the saved one marked."""
        if saved is None:
            blank = PromptText("", ())
            return replace(
                self,
                signatures=self.signatures.beside(blank),
                prompt=[part.beside(blank) for part in self.prompt],
                tools=self.tools.beside(blank),
            )
        now = {part.title: part for part in self.prompt}
        before = {part.title: part for part in saved.prompt}
        titles = [title for title in PART_TITLES if title in now or title in before]
        return replace(
            self,
            signatures=self.signatures.beside(saved.signatures),
            prompt=[
                now.get(title, PromptText(title, ())).beside(before.get(title)) for title in titles
            ],
            tools=self.tools.beside(saved.tools),
        )


@dataclass(frozen=True, slots=True)
class Sights:
    """Views of several models, or of one model in each of its stages."""

    title: str
    shown: Sequence[Sight]
    are_several: bool
    """True if each view shows its name."""
    nobody: str
    """Why no model sees anything here."""
    left_out: int = 0
    """Number of further stages."""
    is_unsaved: bool = False
    """True if the views include unsaved text."""

    def beside(self, saved: Sights) -> Sights:
        """The same with what is otherwise than the saved marked."""
        known = {sight.key: sight for sight in saved.shown}
        shown = [sight.beside(known.get(sight.key)) for sight in self.shown]
        lost = self.nobody != saved.nobody or len(self.shown) != len(saved.shown)
        changed = lost or any(sight.is_changed for sight in shown)
        return replace(self, shown=shown, is_unsaved=changed)


def sights(definition: PipelineDefinition, phase: str, target: str = "") -> Sights:
    """Return the views of a stage's models.

    With a `target` it is shown of the tools the one alone that leads there.
    """
    stage = definition.stages_by_phase[phase]
    shown = [
        _sight(definition, key, offered, _tools(offered, target), without)
        for key, offered, without in _offers(definition, stage)
    ]
    is_group = stage.kind == "group"
    title = "What each model sees" if is_group else "What the model sees"
    return Sights(title, shown, is_group, "" if shown else _nobody(stage))


def agent_sights(definition: PipelineDefinition, agent_id: str) -> Sights:
    """Return the views of an agent in each of its stages."""
    served = [stage for stage in definition.stages if agent_id in stage.agent_ids]
    shown = [
        _sight(definition, stage.phase, offered, offered.tools, without, name=stage.phase)
        for stage in served[:MOST_STAGES]
        for key, offered, without in _offers(definition, stage)
        if key in ("", agent_id)
    ]
    several = len(served) > 1
    title = "What the model sees in each of its stages" if several else "What the model sees"
    nobody = "" if shown else "This agent serves no stage yet, so nothing is sent to a model."
    return Sights(title, shown, several, nobody, left_out=max(0, len(served) - MOST_STAGES))


def _offers(definition: PipelineDefinition, stage: Stage) -> Iterator[tuple[str, Offer, str]]:
    """Yield the offers of a stage's servers, with a remark for those without a tool."""
    if stage.kind != "group":
        offered = offer(definition, stage.phase)
        if offered.agent is not None:
            yield "", offered, _without_tools(definition, stage.phase)
        return
    alone = definition.model_copy(update={"topology": "pipeline", "transitions": ()})
    for key in stage.agent_ids:
        offered = offer(alone, stage.phase, key)
        if offered.agent is not None:
            yield key, offered, "No tools: it answers, and the group moves on."


def _tools(offered: Offer, target: str) -> Sequence[ToolSpec]:
    leading = [tool for tool in offered.tools if any(way.phase == target for way in tool.options)]
    return leading if target and leading else offered.tools


def _sight(
    definition: PipelineDefinition,
    key: str,
    offered: Offer,
    tools: Sequence[ToolSpec],
    without: str,
    name: str = "",
) -> Sight:
    written = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools
    ]
    return Sight(
        key=key,
        name=name or (offered.agent.name if offered.agent else key),
        signatures=PromptText.of("", "\n".join(map(signature, tools)) or without),
        prompt=[PromptText.of(part.kind, part.text) for part in offered.system_parts],
        tools=PromptText.of("", json.dumps(written, indent=2, ensure_ascii=False)),
        repertoire=repertoire(definition, offered.phase, tools),
    )


def _nobody(stage: Stage) -> str:
    if stage.kind == "human":
        return "A person answers here: no model is asked."
    if stage.agent_ids:
        return "None of those who answer here is an agent of this pipeline."
    return "Nobody serves this stage yet: choose an agent, or name a new one."


def _without_tools(definition: PipelineDefinition, phase: str) -> str:
    if definition.topology == "workflow":
        return "No tools: what it answers goes on by itself."
    if definition.topology == "team" and phase != definition.entry:
        return "No tools: it does what it is asked to, and answers."
    if definition.transitions_from.get(phase):
        return "No tools: nobody serves a stage that it leads to."
    if definition.topology == "team":
        return "No tools: there is nobody yet to delegate to."
    return "No tools: this stage is the end of the way."

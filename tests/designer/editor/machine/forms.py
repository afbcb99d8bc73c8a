"""Gestures in the inspector: the forms of stages, transitions, agents, tools and the settings."""

from __future__ import annotations

from typing import Any

from django.utils.text import slugify
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from designer.canvas.layout import supervisor_position
from designer.editor.forms.stage import NEW_AGENT, THE_GROUP
from orchestration.definition import HUMAN, NEW_SUPERVISION, InputFilter, Tool
from orchestration.tools import user_input_tool
from tests.designer.editor.machine.gestures import Gestures, picks, words
from tests.designer.editor.machine.model import free

MOST = 6
"""Maximum number of agents, and of tools."""

names = st.sampled_from(["Ada", "Refund clerk", "The desk"])
tool_names = st.sampled_from(["look_up", "tool-1", "refund"])


class Forms(Gestures):
    """Gestures in the left panel and in the inspector."""

    # Stages and transitions

    def stage_form(self, phase: str, /, **changes: Any) -> None:
        self.change("stage", phase, "stage-form", "update_stage", **changes)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, name=st.sampled_from(["Desk", "stage-1", "the end"]))
    def rename_in_form(self, pick: int, name: str) -> None:
        phase, key = self.phase(pick), slugify(name)
        if key != phase and key in self.model.stages:
            self.change_refused("stage", phase, "stage-form", "update_stage", phase=name)
            return
        with self.history.step() as model:
            model.rename_stage(phase, key)
        self.stage_form(phase, phase=name)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, text=words, at_once=st.booleans())
    def describe_stage(self, pick: int, text: str, at_once: bool) -> None:
        phase = self.phase(pick)
        with self.history.step(("stages", phase, "description"), at_once=at_once) as model:
            model.change("stages", phase, description=text)
        self.stage_form(phase, description=text, at_once=at_once)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, agent=st.none() | picks)
    def choose_agent(self, pick: int, agent: int | None) -> None:
        phase, agents = self.phase(pick), self.model.agents
        key = self.choose(agent, agents) if agents and agent is not None else None
        has_other_kind = self.model.stages[phase].kind != "agent"
        if key is None and has_other_kind:  # the form does not offer an empty choice
            return
        with self.history.step() as model:
            model.change("stages", phase, kind="agent", agent_id=key, group=None)
        self.stage_form(phase, agent_id=key or "")

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, name=names)
    def choose_new_agent(self, pick: int, name: str) -> None:
        phase = self.phase(pick)
        with self.history.step() as model:
            key = model.add_agent(name)
            model.change("stages", phase, kind="agent", agent_id=key, group=None)
        self.stage_form(phase, agent_id=NEW_AGENT, new_agent=name)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, choice=st.sampled_from([HUMAN, THE_GROUP]))
    def choose_human_or_group(self, pick: int, choice: str) -> None:
        phase = self.phase(pick)
        with self.history.step() as model:
            stage = model.stages[phase]
            if choice == HUMAN:
                model.change("stages", phase, kind="human", agent_id=None, group=None)
            elif stage.kind != "group":
                model.change("stages", phase, kind="group", agent_id=None)
                model.regroup(phase, stage.agent_ids)
        self.stage_form(phase, agent_id=choice)

    def group(self, pick: int) -> str | None:
        groups = [phase for phase, stage in self.model.stages.items() if stage.kind == "group"]
        return self.choose(pick, groups) if groups else None

    @precondition(lambda self: self.model.agents)
    @rule(pick=picks, agent=picks, parallel=st.booleans())
    def regroup(self, pick: int, agent: int, parallel: bool) -> None:
        """Add, remove or reorder a member of a group."""
        phase = self.group(pick)
        if phase is None:
            return
        members, key = self.model.agents_of(phase), self.choose(agent, self.model.agents)
        if key in members and parallel:
            changed, sent = (
                [member for member in members if member != key],
                {"take_out_member": key},
            )
        elif key in members:
            place = max(0, members.index(key) - 1)
            others = [member for member in members if member != key]
            changed, sent = [*others[:place], key, *others[place:]], {"move_up_member": key}
        else:
            changed, sent = [*members, key], {"add_member": key}
        with self.history.step() as model:
            model.regroup(phase, changed)
        self.stage_form(phase, **sent)

    @rule(pick=picks, parallel=st.booleans())
    def order_group(self, pick: int, parallel: bool) -> None:
        phase = self.group(pick)
        if phase is None or not self.model.agents_of(phase):
            return
        with self.history.step() as model:
            model.regroup(phase, model.agents_of(phase), parallel)
        self.stage_form(phase, order="parallel" if parallel else "ordered")

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, onward=st.none() | picks)
    def choose_next(self, pick: int, onward: int | None) -> None:
        phase = self.phase(pick)
        target = None if onward is None else self.phase(onward)
        with self.history.step() as model:
            model.lead(phase, target, [other for other in self.returns(phase) if other != target])
        self.stage_form(phase, next_phase=target or "")

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, other=picks)
    def toggle_return(self, pick: int, other: int) -> None:
        """Add or remove a return of a stage."""
        phase, target = self.phase(pick), self.phase(other)
        onward, returns = self.model.next_of(phase), self.returns(phase)
        if target == onward:
            return
        with self.history.step() as model:
            others = [other for other in returns if other != target]
            model.lead(phase, onward, others if target in returns else [*others, target])
        if target in returns:
            self.stage_form(phase, returns=others)
        else:
            self.stage_form(phase, add_return=target)

    def returns(self, phase: str) -> list[str]:
        transitions = self.model.transitions.items()
        return [t for (s, t), edge in transitions if s == phase and edge.kind == "return"]

    @precondition(lambda self: self.model.transitions)
    @rule(pick=picks, text=st.sampled_from(["", "a refund", "the desk asks"]), once=st.booleans())
    def describe_transition(self, pick: int, text: str, once: bool) -> None:
        edge = self.choose(pick, self.model.transitions)
        with self.history.step(("transitions", edge, "description"), at_once=once) as model:
            model.change("transitions", edge, description=text)
        self.transition_form(edge, description=text, at_once=once)

    @precondition(lambda self: self.model.transitions)
    @rule(pick=picks, kind=st.sampled_from(["next", "return"]))
    def change_transition_kind(self, pick: int, kind: str) -> None:
        edge = self.choose(pick, self.model.transitions)
        with self.history.step() as model:
            if kind == "next":
                model.make_next(edge)
            else:
                model.change("transitions", edge, kind=kind)
        self.transition_form(edge, kind=kind)

    @precondition(lambda self: self.model.transitions)
    @rule(pick=picks, keep=st.sampled_from(["full", "summary", "no_tools"]))
    def choose_input_filter(self, pick: int, keep: Any) -> None:
        edge = self.choose(pick, self.model.transitions)
        with self.history.step() as model:
            model.change("transitions", edge, input_filter=InputFilter(keep=keep))
        self.transition_form(edge, keep=keep)

    def transition_form(self, edge: tuple[str, str], /, **changes: Any) -> None:
        key = ">".join(edge)
        if self.model.settings["topology"] == "team":
            changes.setdefault("kind", self.model.transitions[edge].kind)
        self.change("transition", key, "transition-form", "update_transition", **changes)

    # Agents

    @precondition(lambda self: len(self.model.agents) < MOST)
    @rule(name=st.sampled_from(["", "Ada", "Refund clerk"]))
    def add_agent(self, name: str) -> None:
        with self.history.step() as model:
            model.add_agent(name)
        self.gesture("add_agent", name=name)

    @precondition(lambda self: self.model.agents)
    @rule(pick=picks)
    def delete_agent(self, pick: int) -> None:
        key = self.choose(pick, self.model.agents)
        with self.history.step() as model:
            model.delete_agent(key)
        self.gesture("delete_agent", agent=key)

    def agent_form(self, key: str, /, **changes: Any) -> None:
        """Change the agent alternately in the tab of one of its stages and on its own."""
        stages = sorted(self.model.stages.items())
        phase = next((phase for phase, stage in stages if stage.agent_id == key), None)
        if phase and self.history.steps % 2:
            self.change("stage", phase, "agent-form", "update_agent", tab="agent", **changes)
        else:
            self.change("agent", key, "agent-form", "update_agent", **changes)

    @precondition(lambda self: self.model.agents)
    @rule(pick=picks, name=names, at_once=st.booleans())
    def rename_agent(self, pick: int, name: str, at_once: bool) -> None:
        key = self.choose(pick, self.model.agents)
        new = self.model.derived_key(key, name)
        field = ("agents", key, "name") if new == key else None
        with self.history.step(field, at_once=at_once) as model:
            model.change("agents", key, name=name)
            model.rename_agent(key, new)
        self.agent_form(key, name=name, at_once=at_once)

    @precondition(lambda self: self.model.agents)
    @rule(pick=picks, text=words, at_once=st.booleans())
    def instruct_agent(self, pick: int, text: str, at_once: bool) -> None:
        key = self.choose(pick, self.model.agents)
        with self.history.step(("agents", key, "instructions"), at_once=at_once) as model:
            model.change("agents", key, instructions=text)
        self.agent_form(key, instructions=text, at_once=at_once)

    @precondition(lambda self: self.model.agents)
    @rule(pick=picks, key=st.sampled_from(["agent-ada", "clerk", "agent-1"]))
    def change_key_of_agent(self, pick: int, key: str) -> None:
        old = self.choose(pick, self.model.agents)
        if key != old and key in self.model.agents:
            self.change_refused("agent", old, "agent-form", "update_agent", id=key)
            return
        with self.history.step() as model:
            model.rename_agent(old, key)
        self.agent_form(old, id=key)

    @precondition(lambda self: self.model.agents and self.model.tools)
    @rule(pick=picks, tool=picks)
    def toggle_tool_of_agent(self, pick: int, tool: int) -> None:
        """Add or remove a tool of an agent."""
        key = self.choose(pick, self.model.agents)
        tools = {*self.model.agents[key].tools} ^ {self.choose(tool, self.model.tools)}
        with self.history.step() as model:
            model.change("agents", key, tools=tuple(sorted(tools)))
        self.agent_form(key, tools=sorted(tools))

    # Tools

    @precondition(lambda self: len(self.model.tools) < MOST)
    @rule()
    def add_tool(self) -> None:
        with self.history.step() as model:
            name = free("tool", model.tools)
            model.tools[name] = Tool(name=name)
        self.gesture("add_tool")

    @precondition(lambda self: self.model.tools)
    @rule(pick=picks)
    def delete_tool(self, pick: int) -> None:
        name = self.choose(pick, self.model.tools)
        with self.history.step() as model:
            model.delete_tool(name)
        self.gesture("delete_tool", tool=name)

    @precondition(lambda self: self.model.tools)
    @rule(pick=picks, name=tool_names)
    def rename_tool(self, pick: int, name: str) -> None:
        old = self.choose(pick, self.model.tools)
        if name != old and name in self.model.tools:
            self.change_refused("tool", old, "tool-form", "update_tool", name=name)
            return
        with self.history.step() as model:
            model.rename_tool(old, name)
        self.change("tool", old, "tool-form", "update_tool", name=name)

    @precondition(lambda self: self.model.tools)
    @rule(pick=picks, text=st.sampled_from(["", "for refunds"]), at_once=st.booleans())
    def describe_tool(self, pick: int, text: str, at_once: bool) -> None:
        name = self.choose(pick, self.model.tools)
        with self.history.step(("tools", name, "description"), at_once=at_once) as model:
            model.change("tools", name, description=text)
        sent = {"description": text, "at_once": at_once}
        self.change("tool", name, "tool-form", "update_tool", **sent)

    @precondition(lambda self: self.model.tools)
    @rule(pick=picks, kind=st.sampled_from(["function", "user_input"]))
    def choose_kind_of_tool(self, pick: int, kind: str) -> None:
        name = self.choose(pick, self.model.tools)
        defaults = {
            "function": Tool(name="any").parameters,
            "user_input": user_input_tool().parameters,
        }
        with self.history.step() as model:
            model.change("tools", name, kind=kind, parameters=defaults[kind])
        self.change("tool", name, "tool-form", "update_tool", kind=kind)

    # The settings

    def settings_form(self, **changes: Any) -> None:
        self.change("pipeline", "", "settings-form", "update_pipeline", **changes)

    @rule(name=st.sampled_from(["Support", "The desk"]), at_once=st.booleans())
    def rename_pipeline(self, name: str, at_once: bool) -> None:
        with self.history.step(("form", "name"), at_once=at_once) as model:
            model.settings["name"] = name
        self.settings_form(name=name, at_once=at_once)

    @rule(text=words, at_once=st.booleans())
    def describe_pipeline(self, text: str, at_once: bool) -> None:
        with self.history.step(("form", "description"), at_once=at_once) as model:
            model.settings["description"] = text
        self.settings_form(description=text, at_once=at_once)

    @rule(topology=st.sampled_from(["pipeline", "workflow", "team", "swarm"]))
    def choose_topology(self, topology: str) -> None:
        with self.history.step() as model:
            model.settings["topology"] = topology
        self.settings_form(topology=topology)

    @rule(field=st.sampled_from(["default_agent_id", "supervisor_id"]), pick=st.none() | picks)
    def choose_default_or_supervisor(self, field: str, pick: int | None) -> None:
        agents = self.model.agents
        key = self.choose(pick, agents) if agents and pick is not None else None
        with self.history.step() as model:
            if field == "supervisor_id" and (key is None or not model.settings[field]):
                model.settings["supervision"] = key and NEW_SUPERVISION
            model.settings[field] = key
            if field == "supervisor_id" and key and not model.settings["supervisor_position"]:
                model.settings["supervisor_position"] = supervisor_position(model.places.values())
        self.settings_form(**{field: key or ""})

    @rule(pick=st.none() | picks)
    def choose_entry(self, pick: int | None) -> None:
        phase = self.phase(pick) if self.model.stages and pick is not None else None
        with self.history.step() as model:
            model.settings["entry"] = phase
        self.settings_form(entry=phase or "")

    @rule(wait=st.booleans(), human=st.booleans(), most=st.sampled_from([0, 1, 8]))
    def choose_limits(self, wait: bool, human: bool, most: int) -> None:
        with self.history.step() as model:
            limits = model.settings["limits"].model_copy(update={"max_handoffs": most})
            on_handoff = "wait" if wait else "continue"
            model.settings |= {"limits": limits, "on_handoff": on_handoff, "allow_human": human}
        sent = {
            "max_handoffs": str(most),
            "on_handoff": on_handoff,
            "allow_human": "on" if human else [],
        }
        self.settings_form(**sent)

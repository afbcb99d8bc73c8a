"""Gestures in the inspector: the forms of stages, transitions, agents, tools and the settings."""

from __future__ import annotations

from typing import Any

from django.utils.text import slugify
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from designer.canvas.layout import supervisor_position
from designer.editor.forms.stage import NEW_AGENT, THE_GROUP
from orchestration.definition import HUMAN, InputFilter, Tool
from orchestration.tools import user_input_tool
from tests.designer.editor.machine.gestures import Gestures, picks, words
from tests.designer.editor.machine.sketch import free

MOST = 6
"""How many agents there are at most, and how many tools."""

names = st.sampled_from(["Ada", "Refund clerk", "The desk"])
tool_names = st.sampled_from(["look_up", "tool-1", "refund"])


class Forms(Gestures):
    """What one does in the panels on the left and on the right."""

    # Stages and transitions

    def stage_form(self, phase: str, /, **changes: Any) -> None:
        self.change("stage", phase, "stage-form", "update_stage", **changes)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, name=st.sampled_from(["Desk", "stage-1", "the end"]))
    def rename_in_form(self, pick: int, name: str) -> None:
        phase, key = self.phase(pick), slugify(name)
        if key != phase and key in self.sketch.stages:
            self.change_in_vain("stage", phase, "stage-form", "update_stage", phase=name)
            return
        with self.past.step() as sketch:
            sketch.rename_stage(phase, key)
        self.stage_form(phase, phase=name)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, text=words, at_once=st.booleans())
    def describe_stage(self, pick: int, text: str, at_once: bool) -> None:
        phase = self.phase(pick)
        with self.past.step(("stages", phase, "description"), at_once=at_once) as sketch:
            sketch.change("stages", phase, description=text)
        self.stage_form(phase, description=text, at_once=at_once)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, agent=st.none() | picks)
    def choose_agent(self, pick: int, agent: int | None) -> None:
        phase, agents = self.phase(pick), self.sketch.agents
        key = self.one(agent, agents) if agents and agent is not None else None
        nobody = self.sketch.stages[phase].kind != "agent"
        if key is None and nobody:  # the form offers to choose nobody to those alone
            return
        with self.past.step() as sketch:
            sketch.change("stages", phase, kind="agent", agent_id=key, group=None)
        self.stage_form(phase, agent_id=key or "")

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, name=names)
    def choose_new_agent(self, pick: int, name: str) -> None:
        phase = self.phase(pick)
        with self.past.step() as sketch:
            key = sketch.add_agent(name)
            sketch.change("stages", phase, kind="agent", agent_id=key, group=None)
        self.stage_form(phase, agent_id=NEW_AGENT, new_agent=name)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, whom=st.sampled_from([HUMAN, THE_GROUP]))
    def choose_human_or_group(self, pick: int, whom: str) -> None:
        phase = self.phase(pick)
        with self.past.step() as sketch:
            stage = sketch.stages[phase]
            if whom == HUMAN:
                sketch.change("stages", phase, kind="human", agent_id=None, group=None)
            elif stage.kind != "group":
                sketch.change("stages", phase, kind="group", agent_id=None)
                sketch.regroup(phase, stage.agent_ids)
        self.stage_form(phase, agent_id=whom)

    def group(self, pick: int) -> str | None:
        groups = [one for one, stage in self.sketch.stages.items() if stage.kind == "group"]
        return self.one(pick, groups) if groups else None

    @precondition(lambda self: self.sketch.agents)
    @rule(pick=picks, agent=picks, parallel=st.booleans())
    def regroup(self, pick: int, agent: int, parallel: bool) -> None:
        """A member comes into a group or leaves it, or they answer in another order."""
        phase = self.group(pick)
        if phase is None:
            return
        members, key = self.sketch.agents_of(phase), self.one(agent, self.sketch.agents)
        if key in members and parallel:
            left, sent = [one for one in members if one != key], {"take_out_member": key}
        elif key in members:
            place = max(0, members.index(key) - 1)
            left = [one for one in members if one != key]
            left, sent = [*left[:place], key, *left[place:]], {"move_up_member": key}
        else:
            left, sent = [*members, key], {"add_member": key}
        with self.past.step() as sketch:
            sketch.regroup(phase, left)
        self.stage_form(phase, **sent)

    @rule(pick=picks, parallel=st.booleans())
    def order_group(self, pick: int, parallel: bool) -> None:
        phase = self.group(pick)
        if phase is None or not self.sketch.agents_of(phase):
            return
        with self.past.step() as sketch:
            sketch.regroup(phase, sketch.agents_of(phase), parallel)
        self.stage_form(phase, order="parallel" if parallel else "ordered")

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, onward=st.none() | picks)
    def choose_next(self, pick: int, onward: int | None) -> None:
        phase = self.phase(pick)
        target = None if onward is None else self.phase(onward)
        with self.past.step() as sketch:
            sketch.lead(phase, target, [one for one in self.returns(phase) if one != target])
        self.stage_form(phase, next_phase=target or "")

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, other=picks)
    def turn_a_return(self, pick: int, other: int) -> None:
        """One more way back from a stage, or one less."""
        phase, target = self.phase(pick), self.phase(other)
        onward, returns = self.sketch.next_of(phase), self.returns(phase)
        if target == onward:
            return
        with self.past.step() as sketch:
            left = [one for one in returns if one != target]
            sketch.lead(phase, onward, left if target in returns else [*left, target])
        if target in returns:
            self.stage_form(phase, returns=left)
        else:
            self.stage_form(phase, add_return=target)

    def returns(self, phase: str) -> list[str]:
        ways = self.sketch.ways.items()
        return [t for (s, t), way in ways if s == phase and way.kind == "return"]

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, text=st.sampled_from(["", "a refund", "the desk asks"]), once=st.booleans())
    def describe_way(self, pick: int, text: str, once: bool) -> None:
        way = self.one(pick, self.sketch.ways)
        with self.past.step(("ways", way, "description"), at_once=once) as sketch:
            sketch.change("ways", way, description=text)
        self.way_form(way, description=text, at_once=once)

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, kind=st.sampled_from(["next", "return"]))
    def turn_way(self, pick: int, kind: str) -> None:
        way = self.one(pick, self.sketch.ways)
        with self.past.step() as sketch:
            if kind == "next":
                sketch.make_next(way)
            else:
                sketch.change("ways", way, kind=kind)
        self.way_form(way, kind=kind)

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, keep=st.sampled_from(["full", "summary", "no_tools"]))
    def choose_what_is_shown(self, pick: int, keep: Any) -> None:
        way = self.one(pick, self.sketch.ways)
        with self.past.step() as sketch:
            sketch.change("ways", way, input_filter=InputFilter(keep=keep))
        self.way_form(way, keep=keep)

    def way_form(self, way: tuple[str, str], /, **changes: Any) -> None:
        key = ">".join(way)
        if self.sketch.settings["topology"] == "team":
            changes.setdefault("kind", self.sketch.ways[way].kind)
        self.change("transition", key, "transition-form", "update_transition", **changes)

    # Agents

    @precondition(lambda self: len(self.sketch.agents) < MOST)
    @rule(name=st.sampled_from(["", "Ada", "Refund clerk"]))
    def add_agent(self, name: str) -> None:
        with self.past.step() as sketch:
            sketch.add_agent(name)
        self.gesture("add_agent", name=name)

    @precondition(lambda self: self.sketch.agents)
    @rule(pick=picks)
    def delete_agent(self, pick: int) -> None:
        key = self.one(pick, self.sketch.agents)
        with self.past.step() as sketch:
            sketch.delete_agent(key)
        self.gesture("delete_agent", agent=key)

    def agent_form(self, key: str, /, **changes: Any) -> None:
        """Now in the tab of a stage that it serves, if there is one, and now by itself."""
        stages = sorted(self.sketch.stages.items())
        phase = next((phase for phase, stage in stages if stage.agent_id == key), None)
        if phase and self.past.steps % 2:
            self.change("stage", phase, "agent-form", "update_agent", tab="agent", **changes)
        else:
            self.change("agent", key, "agent-form", "update_agent", **changes)

    @precondition(lambda self: self.sketch.agents)
    @rule(pick=picks, name=names, at_once=st.booleans())
    def rename_agent(self, pick: int, name: str, at_once: bool) -> None:
        key = self.one(pick, self.sketch.agents)
        with self.past.step(("agents", key, "name"), at_once=at_once) as sketch:
            sketch.change("agents", key, name=name)
        self.agent_form(key, name=name, at_once=at_once)

    @precondition(lambda self: self.sketch.agents)
    @rule(pick=picks, text=words, at_once=st.booleans())
    def instruct_agent(self, pick: int, text: str, at_once: bool) -> None:
        key = self.one(pick, self.sketch.agents)
        with self.past.step(("agents", key, "instructions"), at_once=at_once) as sketch:
            sketch.change("agents", key, instructions=text)
        self.agent_form(key, instructions=text, at_once=at_once)

    @precondition(lambda self: self.sketch.agents)
    @rule(pick=picks, key=st.sampled_from(["agent-ada", "clerk", "agent-1"]))
    def give_agent_another_key(self, pick: int, key: str) -> None:
        old = self.one(pick, self.sketch.agents)
        if key != old and key in self.sketch.agents:
            self.change_in_vain("agent", old, "agent-form", "update_agent", id=key)
            return
        with self.past.step() as sketch:
            sketch.rename_agent(old, key)
        self.agent_form(old, id=key)

    @precondition(lambda self: self.sketch.agents and self.sketch.tools)
    @rule(pick=picks, tool=picks)
    def turn_a_tool_of_an_agent(self, pick: int, tool: int) -> None:
        """One more tool, or one less."""
        key = self.one(pick, self.sketch.agents)
        tools = {*self.sketch.agents[key].tools} ^ {self.one(tool, self.sketch.tools)}
        with self.past.step() as sketch:
            sketch.change("agents", key, tools=tuple(sorted(tools)))
        self.agent_form(key, tools=sorted(tools))

    # Tools

    @precondition(lambda self: len(self.sketch.tools) < MOST)
    @rule()
    def add_tool(self) -> None:
        with self.past.step() as sketch:
            name = free("tool", sketch.tools)
            sketch.tools[name] = Tool(name=name)
        self.gesture("add_tool")

    @precondition(lambda self: self.sketch.tools)
    @rule(pick=picks)
    def delete_tool(self, pick: int) -> None:
        name = self.one(pick, self.sketch.tools)
        with self.past.step() as sketch:
            sketch.delete_tool(name)
        self.gesture("delete_tool", tool=name)

    @precondition(lambda self: self.sketch.tools)
    @rule(pick=picks, name=tool_names)
    def rename_tool(self, pick: int, name: str) -> None:
        old = self.one(pick, self.sketch.tools)
        if name != old and name in self.sketch.tools:
            self.change_in_vain("tool", old, "tool-form", "update_tool", name=name)
            return
        with self.past.step() as sketch:
            sketch.rename_tool(old, name)
        self.change("tool", old, "tool-form", "update_tool", name=name)

    @precondition(lambda self: self.sketch.tools)
    @rule(pick=picks, text=st.sampled_from(["", "for refunds"]), at_once=st.booleans())
    def describe_tool(self, pick: int, text: str, at_once: bool) -> None:
        name = self.one(pick, self.sketch.tools)
        with self.past.step(("tools", name, "description"), at_once=at_once) as sketch:
            sketch.change("tools", name, description=text)
        sent = {"description": text, "at_once": at_once}
        self.change("tool", name, "tool-form", "update_tool", **sent)

    @precondition(lambda self: self.sketch.tools)
    @rule(pick=picks, kind=st.sampled_from(["function", "user_input"]))
    def choose_what_answers(self, pick: int, kind: str) -> None:
        name = self.one(pick, self.sketch.tools)
        usual = {
            "function": Tool(name="any").parameters,
            "user_input": user_input_tool().parameters,
        }
        with self.past.step() as sketch:
            sketch.change("tools", name, kind=kind, parameters=usual[kind])
        self.change("tool", name, "tool-form", "update_tool", kind=kind)

    # The settings

    def settings_form(self, **changes: Any) -> None:
        self.change("pipeline", "", "settings-form", "update_pipeline", **changes)

    @rule(name=st.sampled_from(["Support", "The desk"]), at_once=st.booleans())
    def rename_pipeline(self, name: str, at_once: bool) -> None:
        with self.past.step(("form", "name"), at_once=at_once) as sketch:
            sketch.settings["name"] = name
        self.settings_form(name=name, at_once=at_once)

    @rule(text=words, at_once=st.booleans())
    def describe_pipeline(self, text: str, at_once: bool) -> None:
        with self.past.step(("form", "description"), at_once=at_once) as sketch:
            sketch.settings["description"] = text
        self.settings_form(description=text, at_once=at_once)

    @rule(topology=st.sampled_from(["pipeline", "workflow", "team", "swarm"]))
    def choose_topology(self, topology: str) -> None:
        with self.past.step() as sketch:
            sketch.settings["topology"] = topology
        self.settings_form(topology=topology)

    @rule(field=st.sampled_from(["default_agent_id", "supervisor_id"]), pick=st.none() | picks)
    def choose_who_stands_by(self, field: str, pick: int | None) -> None:
        agents = self.sketch.agents
        key = self.one(pick, agents) if agents and pick is not None else None
        with self.past.step() as sketch:
            sketch.settings[field] = key
            if field == "supervisor_id" and key and not sketch.settings["supervisor_position"]:
                sketch.settings["supervisor_position"] = supervisor_position(sketch.places.values())
        self.settings_form(**{field: key or ""})

    @rule(pick=st.none() | picks)
    def choose_entry(self, pick: int | None) -> None:
        phase = self.phase(pick) if self.sketch.stages and pick is not None else None
        with self.past.step() as sketch:
            sketch.settings["entry"] = phase
        self.settings_form(entry=phase or "")

    @rule(wait=st.booleans(), human=st.booleans(), most=st.sampled_from([0, 1, 8]))
    def choose_limits(self, wait: bool, human: bool, most: int) -> None:
        with self.past.step() as sketch:
            limits = sketch.settings["limits"].model_copy(update={"max_handoffs": most})
            how = "wait" if wait else "continue"
            sketch.settings |= {"limits": limits, "on_handoff": how, "allow_human": human}
        sent = {"max_handoffs": str(most), "on_handoff": how, "allow_human": "on" if human else []}
        self.settings_form(**sent)

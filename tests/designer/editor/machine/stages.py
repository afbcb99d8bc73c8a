"""Gestures with stages and transitions: add, delete, move and connect."""

from __future__ import annotations

import json
from typing import Any

from django.utils.text import slugify
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Note, Position, Stage
from tests.designer.editor.machine.gestures import (
    Gestures,
    Place,
    listed,
    picks,
    places,
    several,
)
from tests.designer.editor_requests import now

MOST = 8
"""Maximum number of stages: small pipelines cover every case."""

kinds = st.sampled_from(["agent", "group", "human"])


class Stages(Gestures):
    """Gestures with stages and transitions."""

    @precondition(lambda self: len(self.model.stages) < MOST)
    @rule(at=places, kind=kinds, pick=st.none() | picks, agent=st.none() | picks)
    def add_stage(self, at: Place, kind: str, pick: int | None, agent: int | None) -> None:
        source = self.phase(pick) if pick is not None and self.model.stages else None
        agent_id = None
        if agent is not None and self.model.agents and kind == "agent":
            agent_id = self.choose(agent, self.model.agents)
        phase = self.model.free_phase(agent_id)
        stage = Stage.model_validate({"phase": phase, "kind": kind, "agent_id": agent_id})
        with self.history.step() as model:
            model.add_stage(stage, at, source)
        sent = {"kind": kind, "source": source or "", "agent": agent_id or ""}
        self.gesture("add_stage", x=at[0], y=at[1], **sent)

    @precondition(lambda self: 0 < len(self.model.stages) < MOST)
    @rule(at=places, pick=picks, name=st.sampled_from(["", "Ada", "Grace"]))
    def create_connected(self, at: Place, pick: int, name: str) -> None:
        source = self.phase(pick)
        with self.history.step() as model:
            agent = model.add_agent(name)
            model.add_stage(Stage(phase=model.free_phase(agent), agent_id=agent), at, source)
        self.gesture("create_stage", x=at[0], y=at[1], kind="new", name=name, source=source)

    @precondition(lambda self: self.model.transitions and len(self.model.stages) < MOST)
    @rule(at=places, pick=picks, kind=kinds)
    def create_between(self, at: Place, pick: int, kind: str) -> None:
        source, target = self.choose(pick, self.model.transitions)
        with self.history.step() as model:
            phase = model.free_phase(None)
            model.add_stage(Stage.model_validate({"phase": phase, "kind": kind}), at)
            model.splice(phase, source, target)
        sent = {"source": source, "target": target, "kind": kind}
        self.gesture("create_stage", x=at[0], y=at[1], **sent)

    @precondition(lambda self: len(self.model.stages) < MOST)
    @rule(
        phase=st.sampled_from(["lobby", "desk"]),
        kind=kinds,
        name=st.sampled_from(["", "Ada", "Intake"]),
        pick=st.none() | picks,
    )
    def describe(self, phase: str, kind: str, name: str, pick: int | None) -> None:
        source = self.phase(pick) if pick is not None and self.model.stages else ""
        sent = {"phase": phase, "kind": kind, "served_by": name, "source": source}
        known = [key for key, agent in self.model.agents.items() if agent.name == name]
        if phase in self.model.stages or len(known) > 1 or (kind == "human" and name):
            self.refused("describe_stage", **sent)
            return
        self.gesture("describe_stage", **sent)
        at = now(self.pipeline).layout.stages[phase]
        taken = {(place.x, place.y) for place in self.model.places.values()}
        assert (at.x, at.y) not in taken, "the position is free"
        with self.history.step() as model:
            agent_id = (known[0] if known else model.add_agent(name)) if name else None
            stage = Stage.model_validate({"phase": phase, "kind": kind})
            model.add_stage(stage, (at.x, at.y), source)
            if agent_id:
                model.serve(phase, agent_id)

    @precondition(lambda self: self.model.stages and self.model.agents)
    @rule(pick=picks, agent=picks)
    def serve(self, pick: int, agent: int) -> None:
        phase, agent_id = self.phase(pick), self.choose(agent, self.model.agents)
        with self.history.step() as model:
            model.serve(phase, agent_id)
        self.gesture("serve_stage", stage=phase, agent=agent_id)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, other=picks)
    def connect(self, pick: int, other: int) -> None:
        source, target = self.phase(pick), self.phase(other)
        if (source, target) in self.model.transitions:
            self.refused("connect", source=source, target=target)
            return
        with self.history.step() as model:
            model.connect(source, target)
        self.gesture("connect", source=source, target=target)

    @precondition(lambda self: self.model.stages or self.model.notes)
    @rule(
        stages=several,
        notes=several,
        at=places,
        into=st.none() | st.booleans(),
        pick=picks,
        nudge=st.booleans(),
        at_once=st.booleans(),
    )
    def move(self, stages: set[int], notes: set[int], at: Place, **how: Any) -> None:
        """Move stages and notes together, by keys or not, and perhaps into or out of a frame."""
        phases = self.choose_some(stages, self.model.stages)
        note_keys = self.choose_some(notes, self.model.notes)
        frames, into = self.model.frames, how["into"]
        frame = self.choose(how["pick"], frames) if frames and into else None
        changes = bool(phases) and into is not None and (frame is not None or not into)
        to = {phase: (at[0] + 8 * n, at[1]) for n, phase in enumerate(phases)}
        note_positions = {key: (at[0], at[1] + 8 * n) for n, key in enumerate(note_keys)}
        sent = {
            "moves": json.dumps([{"phase": key, "x": x, "y": y} for key, (x, y) in to.items()]),
            "notes": json.dumps(
                [{"note": key, "x": x, "y": y} for key, (x, y) in note_positions.items()]
            ),
            "frame": (frame or ":out") if changes else "",
            "by_keys": "on" if how["nudge"] else "",
        }
        if not phases and not note_keys:
            self.refused("move_stages", **sent)
            return
        nudged = ("nudge", *phases, *note_keys) if how["nudge"] and not changes else None
        with self.history.step(nudged, at_once=how["at_once"]) as model:
            for phase, (x, y) in to.items():
                model.places[phase] = Position(x=x, y=y)
            for key, (x, y) in note_positions.items():
                model.change("notes", key, x=float(x), y=float(y))
            if changes:
                model.put_in_frame(frame, phases)
        self.gesture("move_stages", at_once=how["at_once"], **sent)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, at=places)
    def place(self, pick: int, at: Place) -> None:
        phase = self.phase(pick)
        with self.history.step() as model:
            model.places[phase] = Position(x=at[0], y=at[1])
        self.gesture("place_stage", stage=phase, x=at[0], y=at[1])

    @rule(at=places)
    def move_supervisor(self, at: Place) -> None:
        with self.history.step() as model:
            model.settings["supervisor_position"] = Position(x=at[0], y=at[1])
        self.gesture("move_supervisor", x=at[0], y=at[1])

    @precondition(lambda self: self.model.stages)
    @rule(stages=several)
    def tidy(self, stages: set[int]) -> None:
        """Read the new positions from the definition; nothing else may change."""
        phases = self.choose_some(stages, self.model.stages)
        self.gesture("tidy", stages=listed(phases))
        layout = now(self.pipeline).layout
        with self.history.step() as model:
            for phase in phases or model.stages:
                model.places[phase] = layout.stages[phase]
            note_positions: dict[str, Note] = {note.id: note for note in layout.notes}
            for key in model.notes:
                model.change("notes", key, x=note_positions[key].x, y=note_positions[key].y)
            model.settings["supervisor_position"] = layout.supervisor

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks, name=st.sampled_from(["Desk", "stage-1", "the end"]))
    def rename(self, pick: int, name: str) -> None:
        phase, key = self.phase(pick), slugify(name)
        if key != phase and key in self.model.stages:
            self.refused("rename_stage", phase=phase, name=name)
            return
        with self.history.step() as model:
            model.rename_stage(phase, key)
        self.gesture("rename_stage", phase=phase, name=name)

    @rule(
        stages=several,
        transitions=several,
        notes=several,
        frames=several,
        reconnects=st.booleans(),
    )
    def delete(self, reconnects: bool, **several: set[int]) -> None:
        """Delete parts of all kinds together, perhaps with new transitions around the stages."""
        selected = {
            kind: self.choose_some(chosen, getattr(self.model, kind))
            for kind, chosen in several.items()
        }
        transitions = [f"{source}>{target}" for source, target in selected["transitions"]]
        keys = {kind: listed(selected[kind]) for kind in ("stages", "notes", "frames")}
        view = "bypass_stages" if reconnects else "delete_parts"
        if not any(selected.values()):
            self.refused(view, transitions="[]", **keys)
            return
        with self.history.step() as model:
            if reconnects:
                model.bypass(selected["stages"], selected["transitions"])
                selected |= {"stages": [], "transitions": []}
            frames = [key for key in selected["frames"] if key in model.frames]
            model.delete(selected["stages"], selected["transitions"], selected["notes"], frames)
        self.gesture(view, transitions=json.dumps(transitions), **keys)

    @precondition(lambda self: self.model.transitions)
    @rule(pick=picks, stage=picks, at=st.none() | places)
    def splice(self, pick: int, stage: int, at: Place | None) -> None:
        (source, target), phase = self.choose(pick, self.model.transitions), self.phase(stage)
        sent = {"source": source, "target": target, "stage": phase}
        sent |= {"x": at[0], "y": at[1]} if at else {}
        if phase in (source, target):
            self.refused("splice_stage", **sent)
            return
        with self.history.step() as model:
            model.splice(phase, source, target)
            if at:
                model.places[phase] = Position(x=at[0], y=at[1])
        self.gesture("splice_stage", **sent)

    @precondition(lambda self: self.model.transitions)
    @rule(pick=picks, stage=picks, end=st.sampled_from(["source", "target"]))
    def replug(self, pick: int, stage: int, end: str) -> None:
        edge, phase = self.choose(pick, self.model.transitions), self.phase(stage)
        moved = (phase, edge[1]) if end == "source" else (edge[0], phase)
        sent = {"source": edge[0], "target": edge[1], "end": end, "stage": phase}
        if moved != edge and moved in self.model.transitions:
            self.refused("move_plug", **sent)
            return
        with self.history.step() as model:
            if moved != edge:
                model.replug(edge, end, phase)
        self.gesture("move_plug", **sent)

    @precondition(lambda self: self.model.stages)
    @rule(pick=picks)
    def make_entry(self, pick: int) -> None:
        phase = self.phase(pick)
        with self.history.step() as model:
            model.settings["entry"] = phase
        self.gesture("make_entry", entry=phase)

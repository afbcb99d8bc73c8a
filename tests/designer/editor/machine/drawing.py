"""Gestures of drawing: stages come, go, move and lead to one another."""

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
"""How many stages there are at most: small pipelines meet every case."""

kinds = st.sampled_from(["agent", "group", "human"])


class Drawing(Gestures):
    """What one does with stages and the ways between them."""

    @precondition(lambda self: len(self.sketch.stages) < MOST)
    @rule(at=places, kind=kinds, pick=st.none() | picks, agent=st.none() | picks)
    def add_stage(self, at: Place, kind: str, pick: int | None, agent: int | None) -> None:
        source = self.phase(pick) if pick is not None and self.sketch.stages else None
        agent_id = None
        if agent is not None and self.sketch.agents and kind == "agent":
            agent_id = self.one(agent, self.sketch.agents)
        phase = self.sketch.free_phase(agent_id)
        stage = Stage.model_validate({"phase": phase, "kind": kind, "agent_id": agent_id})
        with self.past.step() as sketch:
            sketch.add_stage(stage, at, source)
        sent = {"kind": kind, "source": source or "", "agent": agent_id or ""}
        self.gesture("add_stage", x=at[0], y=at[1], **sent)

    @precondition(lambda self: 0 < len(self.sketch.stages) < MOST)
    @rule(at=places, pick=picks, name=st.sampled_from(["", "Ada", "Grace"]))
    def create_connected(self, at: Place, pick: int, name: str) -> None:
        source = self.phase(pick)
        with self.past.step() as sketch:
            agent = sketch.add_agent(name)
            sketch.add_stage(Stage(phase=sketch.free_phase(agent), agent_id=agent), at, source)
        self.gesture("create_stage", x=at[0], y=at[1], kind="new", name=name, source=source)

    @precondition(lambda self: self.sketch.ways and len(self.sketch.stages) < MOST)
    @rule(at=places, pick=picks, kind=kinds)
    def create_between(self, at: Place, pick: int, kind: str) -> None:
        source, target = self.one(pick, self.sketch.ways)
        with self.past.step() as sketch:
            phase = sketch.free_phase(None)
            sketch.add_stage(Stage.model_validate({"phase": phase, "kind": kind}), at)
            sketch.splice(phase, source, target)
        sent = {"source": source, "target": target, "kind": kind}
        self.gesture("create_stage", x=at[0], y=at[1], **sent)

    @precondition(lambda self: len(self.sketch.stages) < MOST)
    @rule(
        phase=st.sampled_from(["lobby", "desk"]),
        kind=kinds,
        name=st.sampled_from(["", "Ada", "Intake"]),
        pick=st.none() | picks,
    )
    def describe(self, phase: str, kind: str, name: str, pick: int | None) -> None:
        source = self.phase(pick) if pick is not None and self.sketch.stages else ""
        sent = {"phase": phase, "kind": kind, "served_by": name, "source": source}
        known = [key for key, agent in self.sketch.agents.items() if agent.name == name]
        if phase in self.sketch.stages or len(known) > 1 or (kind == "human" and name):
            self.refused("describe_stage", **sent)
            return
        self.gesture("describe_stage", **sent)
        at = now(self.pipeline).layout.stages[phase]
        taken = {(one.x, one.y) for one in self.sketch.places.values()}
        assert (at.x, at.y) not in taken, "it stands where nothing stood"
        with self.past.step() as sketch:
            agent_id = (known[0] if known else sketch.add_agent(name)) if name else None
            stage = Stage.model_validate({"phase": phase, "kind": kind})
            sketch.add_stage(stage, (at.x, at.y), source)
            if agent_id:
                sketch.serve(phase, agent_id)

    @precondition(lambda self: self.sketch.stages and self.sketch.agents)
    @rule(pick=picks, agent=picks)
    def serve(self, pick: int, agent: int) -> None:
        phase, agent_id = self.phase(pick), self.one(agent, self.sketch.agents)
        with self.past.step() as sketch:
            sketch.serve(phase, agent_id)
        self.gesture("serve_stage", stage=phase, agent=agent_id)

    @precondition(lambda self: self.sketch.stages)
    @rule(one=picks, other=picks)
    def connect(self, one: int, other: int) -> None:
        source, target = self.phase(one), self.phase(other)
        if (source, target) in self.sketch.ways:
            self.refused("connect", source=source, target=target)
            return
        with self.past.step() as sketch:
            sketch.connect(source, target)
        self.gesture("connect", source=source, target=target)

    @precondition(lambda self: self.sketch.stages or self.sketch.notes)
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
        """Stages and notes together, by keys or not, into a frame, out of all, or neither."""
        phases = self.some(stages, self.sketch.stages)
        slips = self.some(notes, self.sketch.notes)
        frames, into = self.sketch.frames, how["into"]
        frame = self.one(how["pick"], frames) if frames and into else None
        changes = bool(phases) and into is not None and (frame is not None or not into)
        to = {phase: (at[0] + 8 * n, at[1]) for n, phase in enumerate(phases)}
        lie = {key: (at[0], at[1] + 8 * n) for n, key in enumerate(slips)}
        sent = {
            "moves": json.dumps([{"phase": one, "x": x, "y": y} for one, (x, y) in to.items()]),
            "notes": json.dumps([{"note": one, "x": x, "y": y} for one, (x, y) in lie.items()]),
            "frame": (frame or ":out") if changes else "",
            "by_keys": "on" if how["nudge"] else "",
        }
        if not phases and not slips:
            self.refused("move_stages", **sent)
            return
        nudged = ("nudge", *phases, *slips) if how["nudge"] and not changes else None
        with self.past.step(nudged, at_once=how["at_once"]) as sketch:
            for phase, (x, y) in to.items():
                sketch.places[phase] = Position(x=x, y=y)
            for key, (x, y) in lie.items():
                sketch.change("notes", key, x=float(x), y=float(y))
            if changes:
                sketch.put_in_frame(frame, phases)
        self.gesture("move_stages", at_once=how["at_once"], **sent)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, at=places)
    def place(self, pick: int, at: Place) -> None:
        phase = self.phase(pick)
        with self.past.step() as sketch:
            sketch.places[phase] = Position(x=at[0], y=at[1])
        self.gesture("place_stage", stage=phase, x=at[0], y=at[1])

    @rule(at=places)
    def move_supervisor(self, at: Place) -> None:
        with self.past.step() as sketch:
            sketch.settings["supervisor_position"] = Position(x=at[0], y=at[1])
        self.gesture("move_supervisor", x=at[0], y=at[1])

    @precondition(lambda self: self.sketch.stages)
    @rule(stages=several)
    def tidy(self, stages: set[int]) -> None:
        """Where all comes to stand is read from the definition; nothing but that may change."""
        phases = self.some(stages, self.sketch.stages)
        self.gesture("tidy", stages=listed(phases))
        layout = now(self.pipeline).layout
        with self.past.step() as sketch:
            for phase in phases or sketch.stages:
                sketch.places[phase] = layout.stages[phase]
            lie: dict[str, Note] = {note.id: note for note in layout.notes}
            for key in sketch.notes:
                sketch.change("notes", key, x=lie[key].x, y=lie[key].y)
            sketch.settings["supervisor_position"] = layout.supervisor

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks, name=st.sampled_from(["Desk", "stage-1", "the end"]))
    def rename(self, pick: int, name: str) -> None:
        phase, key = self.phase(pick), slugify(name)
        if key != phase and key in self.sketch.stages:
            self.refused("rename_stage", phase=phase, name=name)
            return
        with self.past.step() as sketch:
            sketch.rename_stage(phase, key)
        self.gesture("rename_stage", phase=phase, name=name)

    @rule(stages=several, ways=several, notes=several, frames=several, reconnects=st.booleans())
    def delete(self, reconnects: bool, **several: set[int]) -> None:
        """Parts of all kinds together, perhaps with ways around the stages among them."""
        picked = {kind: self.some(of, getattr(self.sketch, kind)) for kind, of in several.items()}
        ways = [f"{source}>{target}" for source, target in picked["ways"]]
        keys = {kind: listed(picked[kind]) for kind in ("stages", "notes", "frames")}
        view = "bypass_stages" if reconnects else "delete_parts"
        if not any(picked.values()):
            self.refused(view, transitions="[]", **keys)
            return
        with self.past.step() as sketch:
            if reconnects:
                sketch.bypass(picked["stages"], picked["ways"])
                picked |= {"stages": [], "ways": []}
            frames = [key for key in picked["frames"] if key in sketch.frames]
            sketch.delete(picked["stages"], picked["ways"], picked["notes"], frames)
        self.gesture(view, transitions=json.dumps(ways), **keys)

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, stage=picks, at=st.none() | places)
    def splice(self, pick: int, stage: int, at: Place | None) -> None:
        (source, target), phase = self.one(pick, self.sketch.ways), self.phase(stage)
        sent = {"source": source, "target": target, "stage": phase}
        sent |= {"x": at[0], "y": at[1]} if at else {}
        if phase in (source, target):
            self.refused("splice_stage", **sent)
            return
        with self.past.step() as sketch:
            sketch.splice(phase, source, target)
            if at:
                sketch.places[phase] = Position(x=at[0], y=at[1])
        self.gesture("splice_stage", **sent)

    @precondition(lambda self: self.sketch.ways)
    @rule(pick=picks, stage=picks, end=st.sampled_from(["source", "target"]))
    def replug(self, pick: int, stage: int, end: str) -> None:
        way, phase = self.one(pick, self.sketch.ways), self.phase(stage)
        moved = (phase, way[1]) if end == "source" else (way[0], phase)
        sent = {"source": way[0], "target": way[1], "end": end, "stage": phase}
        if moved != way and moved in self.sketch.ways:
            self.refused("move_plug", **sent)
            return
        with self.past.step() as sketch:
            if moved != way:
                sketch.replug(way, end, phase)
        self.gesture("move_plug", **sent)

    @precondition(lambda self: self.sketch.stages)
    @rule(pick=picks)
    def make_entry(self, pick: int) -> None:
        phase = self.phase(pick)
        with self.past.step() as sketch:
            sketch.settings["entry"] = phase
        self.gesture("make_entry", entry=phase)

"""Reading of a document: the definition that Baton exported, or one built from its components.

The components come first: an agent, a tool or a relation that another program changed, added or
removed wins over the data of Baton in the metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.interchange.agent_spec.agent_reading import AgentReading, kinds_of
from orchestration.interchange.agent_spec.document import REFERENCED, Component, Document
from orchestration.interchange.agent_spec.flow_reading import FlowReading
from orchestration.interchange.agent_spec.metadata import data_of
from orchestration.interchange.agent_spec.structure import Pair, structure_of
from orchestration.interchange.reading import Reading, shown
from orchestration.interchange.results import UNNAMED, Import, Loss
from orchestration.loading import DEFINITION, read_document

FORMAT_KEY: Final = "agent-spec"
VERSIONS: Final = (
    "25.3.0", "25.3.1", "25.4.0", "25.4.1", "25.4.2", "26.1.0", "26.1.2", "26.3.1",
)  # fmt: skip
"""Versions of Agent Spec whose components are known."""

_KINDS: Final = ("Swarm", "ManagerWorkers", "Flow", "Agent")
_TOPOLOGIES: Final = {"Swarm": "swarm", "ManagerWorkers": "team", "Flow": "workflow"}
_PARTS: Final = frozenset(("agents", "stages", "tools", "transitions", "variables", "entry"))


def read(text: str) -> Import:
    """Return the definition of a document; raise `DefinitionError` without any agent."""
    value = read_document(text, DEFINITION)
    if not isinstance(value, dict):
        raise DefinitionError([Fault("$", "An Agent Spec document is an object.")])
    return _Reader(value).read()


def recognises(text: str, value: object) -> bool:
    """Report whether a document is a component of Agent Spec."""
    if not isinstance(value, dict):
        return False
    is_versioned = "agentspec_version" in value or "air_version" in value
    return is_versioned or REFERENCED in value or value.get("component_type") in _KINDS


class _Reader:
    """One document while it is read."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.reading = Reading(FORMAT_KEY)
        self.document = Document(root)
        self.root = self._main(root)
        self.data = self._pipeline_data()
        self.exported = self._exported()
        self.agents = AgentReading(self.reading, self.document, self.exported)

    def read(self) -> Import:
        """Return the definition with all rows of the report."""
        self._check_version()
        first, pairs = self._components()
        if self.exported is not None:
            return self._finish_exported(self.exported, first, pairs)
        transitions = [
            {"source": source, "target": target, "kind": kind}
            for (source, target), kind in zip(pairs, kinds_of(pairs, first), strict=True)
        ]
        for each in transitions:
            self.reading.keep("Transitions", f"{each['source']} → {each['target']}")
        self.reading.fields["transitions"] = transitions
        name, description = self._names()
        return self.reading.finish(
            name,
            description=description,
            topology=_TOPOLOGIES.get(self.root.kind, "pipeline"),
            entry=first,
            variables=self.agents.variables,
        )

    def _main(self, root: Mapping[str, Any]) -> Component:
        """Return the component to read: the document, or the largest one of a list."""
        part = self.document.part(root, "$")
        if part is not None and part.kind:
            return part
        listed = root.get(REFERENCED)
        referenced = listed.items() if isinstance(listed, dict) else ()
        for kind in _KINDS:
            for key, value in referenced:
                part = self.document.part(value, f"$.{REFERENCED}.{key}")
                if part is not None and part.kind == kind:
                    return part
        return Component("$", root)

    def _check_version(self) -> None:
        fields = self.document.root.fields if self.document.root else {}
        version = fields.get("agentspec_version", fields.get("air_version"))
        if version is not None and version not in VERSIONS:
            self.reading.rows.append(
                Loss(
                    "Version",
                    ("$.agentspec_version",),
                    "comment",
                    f"{shown(version)} is not known",
                    f"The document was read as version {VERSIONS[-1]}.",
                )
            )

    def _components(self) -> tuple[str | None, list[Pair]]:
        """Return the first stage and the pairs of stages of the document."""
        root = self.root
        match root.kind:
            case "Swarm":
                return self._swarm()
            case "ManagerWorkers":
                manager = self.agents.read(
                    root.fields.get("group_manager"), root.at("group_manager")
                )
                workers = [self.agents.read(each, path) for path, each in root.entries("workers")]
                if manager is None:
                    return None, []
                return manager, [(manager, each) for each in workers if each not in (None, manager)]
            case "Flow":
                return FlowReading(self.reading, self.document, self.agents).read(root)
            case "Agent":
                return self.agents.read_alone(root) or None, []
            case _:
                return None, []

    def _swarm(self) -> tuple[str | None, list[Pair]]:
        root = self.root
        first = self.agents.read(root.fields.get("first_agent"), root.at("first_agent"))
        pairs: dict[Pair, None] = {}
        for path, value in root.entries("relationships"):
            ends = value if isinstance(value, list) else []
            phases = [self.agents.read(each, f"{path}[{at}]") for at, each in enumerate(ends[:2])]
            match phases:
                case [str(source), str(target)]:
                    pairs[source, target] = None
                case [_, _]:
                    pass  # the missing agent is reported
                case _:
                    self.reading.lose(
                        "Relationship", path, "left out", "The agents are not connected."
                    )
        mode = root.fields.get("handoff", "optional")
        if mode != "always":
            self.reading.rows.append(
                Loss(
                    "Handoff mode",
                    (root.at("handoff"),),
                    "comment",
                    "always: agents hand over the conversation",
                    "Agents do not send each other messages.",
                    differs=True,
                )
            )
        return first, list(pairs)

    def _names(self) -> tuple[str, str]:
        fields = self.root.fields
        stored = self.data if self.root.kind == "Agent" else {}
        name = stored.get("name", fields.get("name"))
        description = stored.get("description", fields.get("description"))
        return (
            self.reading.name(name, self.root.at("name"), UNNAMED),
            self.reading.text(description, self.root.at("description")),
        )

    # Exports of Baton

    def _pipeline_data(self) -> dict[str, Any]:
        data = data_of(self.root.fields).get("pipeline")
        return data if isinstance(data, dict) else {}

    def _exported(self) -> PipelineDefinition | None:
        """Return the parts of an export of Baton that are no components."""
        known = {
            key: value
            for key, value in self.data.items()
            if key not in ("components", "name", "description")
        }
        if "topology" not in known:
            return None
        try:
            return PipelineDefinition.model_validate({"name": "-", **known})
        except ValidationError:
            self.reading.lose(
                "Pipeline", self.root.at("metadata"), "not valid", "Settings of Baton are left out."
            )
            return None

    def _finish_exported(
        self, exported: PipelineDefinition, first: str | None, pairs: list[Pair]
    ) -> Import:
        fields = self.reading.fields
        found = {each["phase"] for each in fields["stages"]}
        components = self.data.get("components")
        listed = components if isinstance(components, list) else []
        gone = {each for each in listed if isinstance(each, str)} - found
        for name in ("agents", "stages", "tools"):
            rest = getattr(exported, name)
            fields[name] += [each.model_dump(mode="json", exclude_defaults=True) for each in rest]
        fields["transitions"] = [
            each.model_dump(mode="json", exclude_defaults=True)
            for each in exported.transitions
            if each.source not in gone and each.target not in gone
        ]
        settings = exported.model_dump(mode="json", exclude_defaults=True, exclude=set(_PARTS))
        settings.pop("name")
        settings |= {
            "topology": self._topology(exported),
            "variables": self.agents.variables,
            "allow_human": exported.allow_human,
        }
        name, settings["description"] = self._names()
        settings["entry"] = None if exported.entry in gone else exported.entry
        draft = self.reading.finish(name, allow_empty=True, **settings)
        self._apply_changes(draft.definition, settings, first, pairs)
        self.reading.keep("Settings of Baton", "metadata")
        for each in fields["transitions"]:
            self.reading.keep("Transitions", f"{each['source']} → {each['target']}")
        return self.reading.finish(name, allow_empty=True, **settings)

    def _topology(self, exported: PipelineDefinition) -> str:
        """Return the stored topology if it belongs to the kind of the document."""
        native = _TOPOLOGIES.get(self.root.kind)
        is_same = native is None or native == exported.topology
        is_same |= (native, exported.topology) == ("swarm", "pipeline")
        is_empty = self.root.kind == "Flow" and not self.data.get("components")
        return exported.topology if is_same or is_empty or native is None else native

    def _apply_changes(
        self,
        draft: PipelineDefinition,
        settings: dict[str, Any],
        first: str | None,
        pairs: list[Pair],
    ) -> None:
        """Apply relations that another program removed or added."""
        expected = structure_of(draft)
        known = set(expected.pairs)
        removed = known - set(pairs)
        added = [pair for pair in pairs if pair not in known]
        transitions = [
            each
            for each in self.reading.fields["transitions"]
            if (each["source"], each["target"]) not in removed
        ]
        following = {each["source"] for each in transitions if each.get("kind", "next") == "next"}
        for source, target in added:
            kind = "return" if source in following else "next"
            transitions.append({"source": source, "target": target, "kind": kind})
            following.add(source)
        self.reading.fields["transitions"] = transitions
        if first is not None and first != expected.first:
            settings["entry"] = first

"""Proof of a round trip: a definition is exported, read back, and compared with itself."""

from __future__ import annotations

from dataclasses import dataclass

from orchestration.definition import PipelineDefinition
from orchestration.difference import ABSENT, Difference, difference
from orchestration.exceptions import DefinitionError, UnknownNameError
from orchestration.interchange.features import FEATURES
from orchestration.interchange.formats import Format


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Result of reading an export back."""

    format: str
    definition: PipelineDefinition | None
    """The definition that was read back; None if the document is refused."""
    difference: Difference
    """Changes from the exported definition to the one that was read back."""
    unexplained: tuple[str, ...] = ()
    """Parts that differ although the report lists no loss for them: `Payload (a → b)`."""
    refusal: str = ""
    """Reason of a refusal, in one sentence."""

    @property
    def is_same(self) -> bool:
        """True if both definitions behave the same."""
        return self.definition is not None and not self.difference

    @property
    def is_proved(self) -> bool:
        """True if both are the same, or differ in exactly the losses of the report."""
        return self.definition is not None and (not self.difference or not self.unexplained)


def round_trip(definition: PipelineDefinition, chosen: Format) -> RoundTrip:
    """Export a definition, read its files back like an import of its archive, and compare both.

    Raises `UnknownNameError` for a format that is not both written and read.
    """
    if chosen.write is None or chosen.read is None:
        raise UnknownNameError("format for round trips", chosen.key, known=())
    files = chosen.write(definition)
    first_file = next(iter(files.values()))
    try:
        if chosen.read_archive is None:
            result = chosen.read(first_file).definition
        else:
            result = chosen.read_archive(first_file, files).definition
    except DefinitionError as error:  # without agents, or larger than an import may be
        return RoundTrip(chosen.key, None, Difference(()), refusal=error.faults[0].sentence)
    changes = difference(definition, result)
    return RoundTrip(chosen.key, result, changes, _unexplained(definition, result, chosen))


def _unexplained(
    before: PipelineDefinition, after: PipelineDefinition, chosen: Format
) -> tuple[str, ...]:
    """Return the parts that the format keeps but that differ, and lost parts that are there."""
    special = chosen.exceptions(before)
    found: list[str] = []
    for feature in FEATURES:
        old, new = feature.values(before), feature.values(after)
        for place in {**old, **new}:
            support = special.get((feature.key, place), chosen.support[feature.key])
            is_kept = support.kept in ("native", "metadata")
            is_same = old.get(place, ABSENT) == new.get(place, ABSENT)
            is_lost = place not in old or support.kept == "lost"
            if (is_kept and not is_same) or (is_lost and place in new):
                found.append(f"{feature.title} ({place})")
    return tuple(found)

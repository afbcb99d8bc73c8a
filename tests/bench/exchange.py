"""Time of exports and imports of a large pipeline, for each format, compared with Baton JSON."""

from __future__ import annotations

import argparse
import os
from statistics import median
from time import process_time

import django

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export, read
from tests.bench.graphs import definition_of, graph

GOAL_MS = 200
"""Maximum time of an export of 300 stages; pictures of pixels are excepted."""


def main() -> int:
    """Measure and print a table; the exit code is 1 if an export exceeds the goal."""
    parser = argparse.ArgumentParser(prog="scripts/bench exchange", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="exports of each format (5)")
    parser.add_argument("--stages", type=int, default=300, help="of the pipeline (300)")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()  # the pictures use the style sheets of the project
    from designer.exchange import EXPORT_FORMATS

    definition = large_pipeline(options.stages)
    times: dict[str, list[float]] = {each.key: [] for each in EXPORT_FORMATS}
    reads: dict[str, list[float]] = {}
    for _ in range(options.rounds + 1):  # the first round imports modules, and does not count
        for each in EXPORT_FORMATS:
            begin = process_time()
            each.files(definition)
            times[each.key].append((process_time() - begin) * 1e3)
            if each.format.read is not None:
                text = next(iter(export(definition, each.key).files.values()))
                begin = process_time()
                read(text, each.key)
                reads.setdefault(each.key, []).append((process_time() - begin) * 1e3)
    cost = {key: median(values[1:]) for key, values in times.items()}
    print("| format | export, CPU | to Baton JSON | import, CPU |\n|---|---|---|---|")  # noqa: T201 - its purpose
    for each in EXPORT_FORMATS:
        came_back = f"{median(reads[each.key][1:]):.0f} ms" if each.key in reads else ""
        ratio = cost[each.key] / cost["baton"]
        print(  # noqa: T201 - its purpose
            f"| {each.format.title} | {cost[each.key]:.0f} ms | {ratio:.1f} | {came_back} |"
        )
    return int(any(ms > GOAL_MS for key, ms in cost.items() if key != "png"))


def large_pipeline(size: int) -> PipelineDefinition:
    """Return the graph of the editor's bench with instructions, descriptions and payloads."""
    payload = {"type": "object", "properties": {"order": {"type": "integer", "title": "Order"}}}
    raw = definition_of(graph(size), "Large")
    for agent in raw["agents"]:
        agent["instructions"] = "Be brief. " * 20
    for number, transition in enumerate(raw["transitions"]):
        transition["description"] = "When it is about that."
        if number % 2:
            transition["input_schema"] = payload
    return PipelineDefinition.model_validate(raw)


if __name__ == "__main__":
    raise SystemExit(main())

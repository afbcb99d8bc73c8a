"""Python code with agents that is no export, and its parts."""

from __future__ import annotations

import ast

from orchestration.interchange import Import, read
from orchestration.interchange.openai_agents.reading.parts import ModuleParts
from orchestration.interchange.openai_agents.reading.source import parsed
from orchestration.interchange.reading import Reading

FOREIGN = '''
from textwrap import dedent
from typing import Literal

from agents import Agent, Handoff, Runner, WebSearchTool, function_tool, handoff
from agents.extensions import handoff_filters
from agents.extensions.handoff_prompt import RECOMMENDED_PROMPT_PREFIX
from pydantic import BaseModel
from shop import find_parcel

STYLE = "Be brief."


class Refund(BaseModel):
    order: int
    reason: Literal["late", "broken"]
    notes: list[str] = []


@function_tool(needs_approval=True)
async def pay_back(context: RunContextWrapper[Shop], order: int, amount: float = 1.0) -> str:
    """Pay an order back.

    Args:
        order: The number.
    """


billing_agent: Agent = Agent[Shop](
    name="Billing Agent",
    handoff_description="Answers about invoices",
    instructions=f"""{RECOMMENDED_PROMPT_PREFIX}
    Answer about invoices. {STYLE}""",
    model="gpt-4.1-mini",
    model_settings=ModelSettings(temperature=0.2, top_p=0.5),
    tools=[pay_back, WebSearchTool(), find_parcel],
    hooks=Hooks(),
)
spanish = billing_agent.clone(name="Facturas", instructions="Responde en español.")


async def to_spanish(context, arguments):
    return spanish


triage = Agent(
    "Triage",
    instructions=dedent("""
        Find out what it is about.
    """),
    handoffs=[
        handoff(
            billing_agent,
            tool_name_override="refund",
            tool_description_override="A refund",
            input_type=Refund,
            on_handoff=log,
            input_filter=handoff_filters.remove_all_tools,
        ),
        unknown,
    ],
)
triage.handoffs.append(
    Handoff(
        tool_name="transfer_to_spanish",
        tool_description="",
        input_json_schema={},
        on_invoke_handoff=to_spanish,
        agent_name=spanish.name,
    )
)
billing_agent.handoffs = [triage]
for agent in []:
    agent.handoffs += [triage]


async def main():
    result = await Runner.run(triage, input("You: "))
'''


def foreign() -> Import:
    return read(FOREIGN)


def parts_of(*lines: str, **beside: str) -> ModuleParts:
    """The parts of a module; `beside` are the other modules of its archive, without `.py`."""
    others = {f"{name}.py": text for name, text in beside.items()}
    return ModuleParts(parsed("\n".join(lines)), Reading("openai-agents"), others)


def lost(reading: Reading) -> list[tuple[str, str, str]]:
    """The part, the place and the description of each loss."""
    return [(row.part, row.places[0], row.description) for row in reading.rows]


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body

"""Functions `run` and `first_agent` of the module `agents.py`, and the stub of the supervisor."""

from __future__ import annotations

from collections.abc import Iterator

from orchestration.interchange.openai_agents.plan import ProjectPlan
from orchestration.interchange.project import uses_routing
from orchestration.interchange.python_code import comment

_RUN = '''\
async def run(items, agent=None, context=None):
    """Answer a message; the result's `last_agent` answers the next one."""
    return await Runner.run(
        agent or STAGES[ENTRY],
        items,
        max_turns=MAX_TURNS,
        hooks={hooks},
        context=context,
    )'''

_RUN_TEAM = '''\
async def run(items, agent=None, context=None):
    """Answer a message; each message goes to the lead of the team."""
    return await Runner.run(STAGES[ENTRY], items, max_turns=MAX_TURNS, context=context)'''

_RUN_CHAIN = '''\
async def run(items, agent=None, context=None):
    """Run the stages one after the other; each message begins at the entry."""
    return await runtime.run_chain(items, STAGES, NEXT, ENTRY, MAX_TURNS, context)'''

_FIRST = '''\
def first_agent(text):
    """Return the agent that answers the first message of a conversation."""
    return STAGES[ENTRY]'''

_FIRST_ROUTED = '''\
def first_agent(text):
    """Return the agent that answers the first message of a conversation, by the rules."""
    name = route(IncomingMessage(text), State(ENTRY))
    return {**AGENTS, **STAGES}[name]'''

_SUPERVISOR = '''\
class Supervisor(runtime.PipelineHooks):
    """Observer of a run. Write here what the supervisor does."""

    async def on_handoff(self, context, from_agent, to_agent):
        """Observe a handoff."""
        await super().on_handoff(context, from_agent, to_agent)

    async def on_agent_end(self, context, agent, output):
        """Observe an answer."""'''

_MAIN = """\
if __name__ == "__main__":
    asyncio.run(runtime.chat(run, first_agent))"""


def run_sections(plan: ProjectPlan) -> Iterator[str]:
    """Yield the supervisor, the functions and the start of the module."""
    definition = plan.definition
    if not plan.hands_over:
        yield _RUN_CHAIN if definition.topology == "workflow" else _RUN_TEAM
    else:
        hooks = "runtime.PipelineHooks(MAX_HANDOFFS{})"
        if definition.supervisor_id is not None:
            yield f"{comment(f'The supervisor is {definition.supervisor_id}.')}\n{_SUPERVISOR}"
            hooks = "Supervisor(MAX_HANDOFFS{})"
        detects = definition.limits.detect_cycles
        stops = definition.topology == "swarm" if detects is None else detects
        yield _RUN.replace("{hooks}", hooks.format(", stops_at_cycle=True" if stops else ""))
    yield _FIRST_ROUTED if uses_routing(definition) else _FIRST
    yield _MAIN

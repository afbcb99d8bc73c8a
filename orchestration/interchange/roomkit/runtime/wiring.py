"""Routing and handoffs of the agents of a kit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roomkit import (
    Agent,
    ChannelCategory,
    ConversationPipeline,
    ConversationRouter,
    ConversationState,
    HandoffHandler,
    HookExecution,
    HookResult,
    HookTrigger,
    RoomContext,
    RoomEvent,
    RoomKit,
    RoutingRule,
    get_conversation_state,
    save_conversation_state,
    setup_handoff,
)
from roomkit.memory import MemoryProvider, SlidingWindowMemory
from roomkit.orchestration.handoff import HandoffMemoryProvider, build_handoff_tool

NOBODY = "_none_"
"""Target of a message that no agent answers."""


class StageRouter(ConversationRouter):
    """Router that begins at the entry, and leaves a conversation to a person after a handoff."""

    def __init__(
        self,
        pipeline: ConversationPipeline,
        entry: str,
        rules: Sequence[RoutingRule] = (),
        default_agent_id: str | None = None,
        supervisor_id: str | None = None,
    ) -> None:
        super().__init__(list(rules), default_agent_id, supervisor_id)
        self.entry = entry
        self.phases: dict[str, list[str]] = {}
        for stage in pipeline.stages:
            self.phases.setdefault(stage.agent_id, []).append(stage.phase)

    def select_agent(
        self, event: RoomEvent, context: RoomContext, state: ConversationState
    ) -> str | None:
        """Return the channel of the agent that answers a message."""
        if is_new(state):
            state = state.model_copy(update={"phase": self.entry})
        elif state.active_agent_id is None:
            return NOBODY
        return super().select_agent(event, context, state) or NOBODY

    def first_phase(self, agent_id: str) -> str:
        """Return the stage in which an agent begins: the entry, or its first stage."""
        phases = self.phases.get(agent_id, [self.entry])
        return self.entry if self.entry in phases else phases[0]


def is_new(state: ConversationState) -> bool:
    """Report whether a conversation has had no message yet."""
    return state.active_agent_id is None and not state.phase_history


def install(
    kit: RoomKit,
    agents: Sequence[Agent],
    pipeline: ConversationPipeline,
    router: StageRouter,
    aliases: Mapping[str, str],
) -> HandoffHandler:
    """Register the agents, route messages to them, and offer each the targets of its stages."""

    async def enter_stage(event: RoomEvent, context: RoomContext) -> HookResult:
        state = get_conversation_state(context.room)
        source = context.get_binding(event.source.channel_id)
        if is_new(state) and source and source.category != ChannelCategory.INTELLIGENCE:
            agent = router.select_agent(event, context, state)
            if agent is not None and agent != NOBODY:
                entered = state.transition(router.first_phase(agent), agent, "first message")
                await save_conversation_state(kit.store, context.room.id, entered)
        return HookResult.allow()

    hook = kit.hook(HookTrigger.BEFORE_BROADCAST, execution=HookExecution.SYNC, priority=-110)
    hook(enter_stage)
    hook = kit.hook(HookTrigger.BEFORE_BROADCAST, execution=HookExecution.SYNC, priority=-100)
    hook(router.as_hook())
    handler = HandoffHandler(
        kit=kit,
        router=router,
        agent_aliases=dict(aliases),
        phase_map={agent: phases[0] for agent, phases in router.phases.items()},
        allowed_transitions=pipeline.get_allowed_transitions(),
    )
    handler.agents = {agent.channel_id: agent for agent in agents}
    for agent in agents:
        kit.register_channel(agent)
        targets = reachable(pipeline, router.phases.get(agent.channel_id, [router.entry]))
        if targets:
            setup_handoff(agent, handler, tool=build_handoff_tool(targets))
    return handler


def reachable(
    pipeline: ConversationPipeline, phases: Sequence[str]
) -> list[tuple[str, str | None]]:
    """Return the agents, with their stages, to which the agent of some stages can hand over."""
    allowed = pipeline.get_allowed_transitions()
    following = {target for phase in phases for target in allowed.get(phase, ())}
    texts: dict[str, list[str]] = {}
    for stage in pipeline.stages:
        if stage.phase in following:
            text = f"next_phase {stage.phase}"
            about = f"{text}: {stage.description}" if stage.description else text
            texts.setdefault(stage.agent_id, []).append(about)
    return [(agent, "; ".join(lines)) for agent, lines in texts.items()]


def history(max_events: int = 1_000) -> MemoryProvider:
    """Return the messages that an agent sees: the last ones, and the summary of a handoff."""
    return HandoffMemoryProvider(SlidingWindowMemory(max_events=max_events))


async def open_room(kit: RoomKit, room_id: str, agents: Sequence[Agent], channel_id: str) -> None:
    """Create a room with all agents and the channel of a user."""
    await kit.create_room(room_id=room_id)
    await kit.attach_channel(room_id, channel_id)
    for agent in agents:
        await kit.attach_channel(room_id, agent.channel_id, category=ChannelCategory.INTELLIGENCE)

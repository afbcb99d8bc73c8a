"""Check of a requested handoff against the state of the conversation and its run."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration import events as e
from orchestration.conversation.compiled import CompiledPipeline
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.exceptions import FilterError
from orchestration.handoff import Filter, HandoffResult, find_loop, handoff_tool_names
from orchestration.messages import clean


def check_handoff(
    request: e.HandoffRequested,
    run: RunProgress | None,
    conversation: ReducedState,
    pipeline: CompiledPipeline,
) -> HandoffResult:
    """Check a handoff request against the handler, the limit and the cycle rule."""
    result = pipeline.handoffs.judge(request.target, request.to_phase, conversation.state)
    if not result.accepted:
        return result
    result = _with_payload(result, request, pipeline)
    return result if run is None else _within_limits(result, run, pipeline)


def filter_handoff(
    result: HandoffResult,
    request: e.HandoffRequested,
    conversation: ReducedState,
    pipeline: CompiledPipeline,
    filters: Mapping[tuple[str, str], Filter],
) -> tuple[HandoffResult, str | None]:
    """Apply the filter on trial: its failure refuses the handoff (contract S-4).

    Returns the result, and the context of the target if a filter of the caller replaces the
    history.
    """
    if not filters and not pipeline.filters:
        return result, None
    target, state = result.to_agent, conversation.state
    source, to_phase = state.phase, result.to_phase
    custom = filters.get((source, to_phase))
    if custom is not None:
        try:
            texts = [_labelled(m.agent_id, m.text) for m in conversation.history if m.text]
            prompt = custom(texts, request.payload)
        except FilterError as error:
            return result.refused("filter_failed", str(error)), None
        except Exception as error:  # noqa: BLE001 - foreign code: its error refuses
            why = f"The filter of this handoff failed: {type(error).__name__}: {error}"
            return result.refused("filter_failed", why), None
        if prompt is not None:
            return result, clean(str(prompt))
    declared = pipeline.filters.get((source, to_phase))
    if target is not None and declared is not None:
        try:
            declared.select(conversation.view(target).messages, request.payload, state)
        except FilterError as error:
            why = f"The filter of this handoff failed: {error}"
            return result.refused("filter_failed", why), None
    return result, None


def _with_payload(
    result: HandoffResult, request: e.HandoffRequested, pipeline: CompiledPipeline
) -> HandoffResult:
    """Return the result, or a refusal if a typed handoff lacks its payload."""
    source, target = result.before.phase, result.to_phase
    if request.payload is not None or not pipeline.payload_errors(source, target, {}):
        return result
    tool = handoff_tool_names(source, pipeline.definition)[target]
    return result.refused("not_allowed", f"{result.to_agent} needs a payload: call {tool}.")


def _within_limits(
    result: HandoffResult, run: RunProgress, pipeline: CompiledPipeline
) -> HandoffResult:
    """Return the result, or a refusal at the handoff limit or in a cycle (contract S-5)."""
    if not result.accepted:
        return result
    limit = pipeline.max_handoffs
    counts_all = pipeline.counts_requests
    if (run.requests if counts_all else run.handoffs + 1) > limit - counts_all:
        unit = "handoff request" if counts_all else "handoff"
        why = f"This run has reached its limit of {limit} {unit}{'' if limit == 1 else 's'}."
        return result.refused("limit", why)
    loop = pipeline.detects_cycles and find_loop([*run.path, result.to_agent or ""])
    if loop:
        cycle = " → ".join([*loop, loop[0]])
        return result.refused("cycle", f"The handoffs form a cycle: {cycle}.")
    return result


def _labelled(agent_id: str | None, text: str) -> str:
    return f"[{agent_id}]: {text}" if agent_id else text

"""Every rule, in the order in which issues are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from orchestration.validation import (
    agents,
    calls,
    comparisons,
    cues,
    groups,
    handoffs,
    manners,
    prompts,
    routing,
    shadows,
    stages,
    teams,
    tools,
    ways,
)
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue

Rule = Callable[[Draft], Iterator[Issue]]

RULES: tuple[Rule, ...] = (
    stages.stages_missing,
    stages.entry_missing,
    stages.entry_unknown,
    stages.stage_duplicate,
    stages.stage_agentless,
    stages.stage_agent_unknown,
    stages.human_stage_agent,
    groups.group_stage_agent,
    groups.group_misplaced,
    groups.group_agent_unknown,
    groups.group_dependency_unknown,
    groups.group_dependency_self,
    groups.group_cycle,
    stages.transition_unknown,
    stages.transition_duplicate,
    stages.next_duplicate,
    agents.agent_duplicate,
    agents.agent_reserved,
    tools.tool_duplicate,
    tools.tool_unknown,
    tools.tool_name_clash,
    tools.handoff_name_clash,
    tools.subtask_unnamed,
    calls.http_address_wrong,
    calls.http_argument_unknown,
    calls.http_header_wrong,
    calls.mcp_server_missing,
    handoffs.input_schema_invalid,
    handoffs.filter_invalid,
    agents.supervisor_unknown,
    agents.default_agent_unknown,
    agents.alias_unknown,
    routing.rule_duplicate,
    routing.rule_agent_unknown,
    routing.rule_phase_unknown,
    routing.condition_invalid,
    comparisons.comparison_invalid,
    comparisons.comparison_unknown,
    teams.team_leaderless,
    teams.team_worker_human,
    ways.loop_endless,
    ways.stage_unreachable,
    teams.team_stage_unasked,
    ways.transition_unused,
    ways.loop_closed,
    ways.dead_end,
    ways.ping_pong,
    ways.human_unreachable,
    ways.agent_twice,
    ways.max_handoffs_low,
    agents.agent_idle,
    prompts.prompt_way_missing,
    routing.rule_never,
    routing.rule_unused,
    comparisons.comparison_never,
    shadows.rule_shadowed,
    handoffs.handoff_setting_unused,
    tools.tool_setting_unused,
    calls.http_key_shown,
    calls.http_argument_unused,
    manners.stand_in_without_examples,
    manners.approval_unused,
    cues.cue_never,
    cues.cue_tool_unknown,
    cues.cue_target_unknown,
    cues.cue_way_missing,
)
"""Every rule, in the order in which issues are shown: errors first, then warnings."""

_WAYS = frozenset({"stages", "transitions", "settings"})

WHOLE: Mapping[Rule, frozenset[str]] = {
    stages.stages_missing: frozenset({"stages"}),
    stages.entry_missing: frozenset({"stages", "settings"}),
    stages.entry_unknown: frozenset({"stages", "settings"}),
    agents.supervisor_unknown: frozenset({"agents", "settings"}),
    agents.default_agent_unknown: frozenset({"agents", "settings"}),
    agents.alias_unknown: frozenset({"agents", "settings"}),
    ways.loop_endless: _WAYS,
    ways.stage_unreachable: _WAYS | {"rules"},
    teams.team_stage_unasked: _WAYS,
    ways.loop_closed: _WAYS,
    ways.dead_end: _WAYS,
    ways.ping_pong: _WAYS,
    ways.human_unreachable: _WAYS,
    ways.max_handoffs_low: _WAYS,
    routing.rule_unused: frozenset({"agents", "rules", "settings"}),
    shadows.rule_shadowed: frozenset({"agents", "rules", "settings"}),
}
"""The rules that look at the pipeline as a whole, and at which kinds of parts. Each of the others
looks at parts of one kind, one by one: `Draft` gives them those that are in focus."""

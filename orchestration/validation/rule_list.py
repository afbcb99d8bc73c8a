"""Every rule, in the order in which issues are shown, and the rules for special purposes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.rules import (
    agents,
    comparisons,
    cue_rules,
    groups,
    handoffs,
    limits,
    prompts,
    reachability,
    remote_tools,
    routing,
    shadowed_rules,
    stages,
    supervision,
    teams,
    tool_settings,
    tools,
    variables,
)

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
    agents.response_schema_invalid,
    tools.tool_duplicate,
    tools.tool_schema_invalid,
    tools.tool_unknown,
    tools.tool_name_clash,
    tools.handoff_name_clash,
    tools.subtask_unnamed,
    remote_tools.http_address_wrong,
    remote_tools.http_argument_unknown,
    remote_tools.http_header_wrong,
    remote_tools.mcp_server_missing,
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
    reachability.loop_endless,
    reachability.stage_unreachable,
    teams.team_stage_unasked,
    reachability.transition_unused,
    reachability.loop_closed,
    reachability.dead_end,
    reachability.ping_pong,
    reachability.human_unreachable,
    reachability.agent_twice,
    reachability.max_handoffs_low,
    limits.budget_exceeded,
    agents.agent_idle,
    agents.agent_name_shared,
    agents.agent_uninstructed,
    supervision.supervision_unused,
    supervision.supervision_without_action,
    supervision.supervision_limit_high,
    supervision.supervisor_serves_stage,
    prompts.prompt_transition_missing,
    variables.prompt_variable_undeclared,
    variables.condition_variable_undeclared,
    variables.filter_variable_undeclared,
    routing.rule_never,
    routing.rule_unused,
    comparisons.comparison_never,
    shadowed_rules.rule_shadowed,
    handoffs.handoff_setting_unused,
    tools.tool_setting_unused,
    remote_tools.http_key_shown,
    remote_tools.http_argument_unused,
    tool_settings.stand_in_without_examples,
    tool_settings.approval_unused,
    tool_settings.question_in_subtask,
    cue_rules.cue_never,
    cue_rules.cue_tool_unknown,
    cue_rules.cue_target_unknown,
    cue_rules.cue_transition_missing,
)
"""Every rule, in the order in which issues are shown: errors first, then warnings."""

STORAGE_RULES: tuple[Rule, ...] = (
    agents.agent_duplicate,
    stages.stage_duplicate,
    tools.tool_duplicate,
    routing.rule_duplicate,
    stages.transition_duplicate,
    stages.next_duplicate,
    stages.human_stage_agent,
    groups.group_stage_agent,
    groups.group_misplaced,
)
"""Rules that are constraints in the database: unique keys and checks."""

REFERENCE_RULES: tuple[Rule, ...] = (
    stages.transition_unknown,
    stages.stage_agent_unknown,
    routing.rule_agent_unknown,
    agents.supervisor_unknown,
    agents.default_agent_unknown,
    stages.entry_unknown,
)
"""Rules about references to parts that do not exist; an import can keep these as problems."""

_TRANSITIONS = frozenset({"stages", "transitions", "settings"})

WHOLE: Mapping[Rule, frozenset[str]] = {
    stages.stages_missing: frozenset({"stages"}),
    stages.entry_missing: frozenset({"stages", "settings"}),
    stages.entry_unknown: frozenset({"stages", "settings"}),
    agents.supervisor_unknown: frozenset({"agents", "settings"}),
    agents.default_agent_unknown: frozenset({"agents", "settings"}),
    agents.alias_unknown: frozenset({"agents", "settings"}),
    agents.agent_uninstructed: frozenset({"agents", "stages"}),
    supervision.supervision_unused: frozenset({"settings"}),
    supervision.supervision_without_action: frozenset({"settings"}),
    supervision.supervision_limit_high: frozenset({"settings"}),
    supervision.supervisor_serves_stage: frozenset({"agents", "stages", "settings"}),
    reachability.loop_endless: _TRANSITIONS,
    reachability.stage_unreachable: _TRANSITIONS | {"rules"},
    teams.team_stage_unasked: _TRANSITIONS,
    reachability.loop_closed: _TRANSITIONS,
    reachability.dead_end: _TRANSITIONS,
    reachability.ping_pong: _TRANSITIONS,
    reachability.human_unreachable: _TRANSITIONS,
    reachability.max_handoffs_low: _TRANSITIONS,
    limits.budget_exceeded: _TRANSITIONS | {"tools"},
    routing.rule_unused: frozenset({"agents", "rules", "settings"}),
    shadowed_rules.rule_shadowed: frozenset({"agents", "rules", "settings"}),
    tool_settings.question_in_subtask: frozenset({"agents", "stages", "tools", "settings"}),
}
"""Rules about the pipeline as a whole, with the kinds of parts that they depend on. Each other rule
checks single parts of one kind: `Draft` supplies the parts in the focus.
"""

HELP: Mapping[str, RuleHelp] = {
    **stages.HELP,
    **groups.HELP,
    **agents.HELP,
    **tools.HELP,
    **remote_tools.HELP,
    **handoffs.HELP,
    **supervision.HELP,
    **routing.HELP,
    **comparisons.HELP,
    **teams.HELP,
    **reachability.HELP,
    **limits.HELP,
    **prompts.HELP,
    **variables.HELP,
    **shadowed_rules.HELP,
    **tool_settings.HELP,
    **cue_rules.HELP,
}
"""Help of all rules, by the code of the issue."""

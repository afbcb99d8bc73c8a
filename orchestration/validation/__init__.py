"""What is wrong with a definition: `validate` returns every issue at once.

A rule is a small generator that looks at a `Draft` and yields issues. None raises, whatever the
definition holds, and none knows another. Each takes time linear in what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from orchestration.definition import PipelineDefinition
from orchestration.validation import (
    agents,
    comparisons,
    cues,
    groups,
    handoffs,
    prompts,
    routing,
    shadows,
    stages,
    teams,
    tools,
    ways,
)
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, Kind, Severity, Where

__all__ = ["RULES", "Draft", "Issue", "Kind", "Rule", "Severity", "Where", "errors", "validate"]

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
    cues.cue_never,
    cues.cue_tool_unknown,
    cues.cue_target_unknown,
    cues.cue_way_missing,
)
"""Every rule, in the order in which issues are shown: errors first, then warnings."""


def validate(definition: PipelineDefinition) -> tuple[Issue, ...]:
    """All issues of a definition: errors before warnings, each in the order of `RULES`."""
    draft = Draft(definition)
    found = [issue for rule in RULES for issue in rule(draft)]
    return tuple(sorted(found, key=lambda issue: issue.severity != "error"))


def errors(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Those of `issues` that bar a rehearsal."""
    return tuple(issue for issue in issues if issue.severity == "error")

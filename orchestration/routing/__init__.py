"""Routing of inbound messages: router, conditions and CEL expressions."""

from orchestration.routing.cel import (
    CONDITION_VARIABLES,
    FILTER_VARIABLES,
    FUNCTIONS,
    MAX_LENGTH,
    Function,
    Predicate,
    Variable,
    compile_expression,
    compile_filter,
)
from orchestration.routing.conditions import (
    RoutingContext,
    cel_condition,
    compile_conditions,
    compile_row,
    value_of,
)
from orchestration.routing.pipeline import (
    ConversationPipeline,
    PhaseMap,
    PipelineStage,
    definition_rules,
)
from orchestration.routing.router import (
    PRIORITY,
    ConversationRouter,
    RoutingConditions,
    RoutingDecision,
    RoutingExplanation,
    RoutingRule,
    RuleResult,
)

__all__ = [
    "CONDITION_VARIABLES",
    "FILTER_VARIABLES",
    "FUNCTIONS",
    "MAX_LENGTH",
    "PRIORITY",
    "ConversationPipeline",
    "ConversationRouter",
    "Function",
    "PhaseMap",
    "PipelineStage",
    "Predicate",
    "RoutingConditions",
    "RoutingContext",
    "RoutingDecision",
    "RoutingExplanation",
    "RoutingRule",
    "RuleResult",
    "Variable",
    "cel_condition",
    "compile_conditions",
    "compile_expression",
    "compile_filter",
    "compile_row",
    "definition_rules",
    "value_of",
]

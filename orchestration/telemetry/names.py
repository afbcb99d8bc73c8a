"""Names of OpenTelemetry's conventions for generative AI, and Baton's own names.

The conventions (repository semantic-conventions-genai, November 2026) are in development and still
rename attributes. All names are here, so that a change of theirs is a change of this module.
"""

from __future__ import annotations

# Operations: the first word of a span's name
INVOKE_WORKFLOW = "invoke_workflow"
INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"

OPERATION = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
AGENT_NAME = "gen_ai.agent.name"
AGENT_VERSION = "gen_ai.agent.version"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TRANSFER_MODE = "gen_ai.transfer.mode"
TRANSFER_TARGET = "gen_ai.transfer.target.name"
ERROR_TYPE = "error.type"

# Content of conversations, only on request
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"

PASS_CONTROL = "pass_control"  # noqa: S105 - not a password
"""Transfer mode of a handoff."""
RETURN_TO_CALLER = "return_to_caller"
"""Transfer mode of a delegation and a subtask."""

# Baton's own, without a name in the conventions
PAUSE = "pause"
PAUSE_REASON = "baton.pause.reason"
PHASE = "baton.phase"
TARGET_PHASE = "baton.transition.target"
TRANSITION_KIND = "baton.transition.kind"
TRANSFER_TARGET_TYPE = "baton.transfer.target.type"
"""`agent` or `human`."""
TASK_KIND = "baton.task.kind"
RUN = "baton.run.id"
REQUEST = "baton.request.id"
STOP_REASON = "baton.stop_reason"
UNFINISHED = "baton.unfinished"
"""True for a step that the end of its run cut off."""

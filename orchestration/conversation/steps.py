"""Steps of the loop, as a closed union: the planner returns them and the engine does them."""

from __future__ import annotations

from orchestration.conversation.subtasks import Task
from orchestration.events import HandoffRequested, InputRequested, Resource, StopReason
from orchestration.messages import ToolCall, Value


class Receive(Value, frozen=True):
    """Record the message that started the run."""


class TakeAnswer(Value, frozen=True):
    """Use the message as the result of the call that asked the user."""

    request: InputRequested


class Route(Value, frozen=True):
    """Select the agent that answers."""


class Enter(Value, frozen=True):
    """Enter a stage: a handoff's target, the stage of the selected agent, or the next stage."""

    from_phase: str
    to_phase: str
    agent_id: str | None
    reason: str


class CallModel(Value, frozen=True):
    """Call the active agent's model: one turn."""

    agent_id: str
    turn: int
    started: bool
    """True if a previous process started the turn and did not finish it."""


class AskApproval(Value, frozen=True):
    """Request a person's approval of a call."""

    call: ToolCall


class AwaitApproval(Value, frozen=True):
    """Pause: calls wait for approval, and no other work is possible."""


class Work(Value, frozen=True):
    """Pending work other than model calls: tools, subtasks, and questions to the user."""


class CallTools(Work, frozen=True):
    """Run the calls of a turn in parallel."""

    calls: tuple[ToolCall, ...]


class Spawn(Work, frozen=True):
    """Start or continue subtasks in parallel."""

    tasks: tuple[Task, ...]


class RefuseCallStep(Value, frozen=True):
    """Answer a call with an error that the model can correct."""

    call: ToolCall
    error: str


class AskUser(Work, frozen=True):
    """Ask the user the question of a call, or wait for the answer."""

    call: ToolCall


class IssueCommand(Work, frozen=True):
    """Issue the command of a supervisor's call."""

    call: ToolCall


class EndSupervision(Value, frozen=True):
    """Continue the run without the supervisor, which has reached its own limit."""

    used: int
    limit: int


class RequestHandoff(Value, frozen=True):
    """Read a handoff call, or an answer that names its target (contract H-4)."""

    call: ToolCall
    by_name: bool = False


class DecideHandoff(Value, frozen=True):
    """Accept or reject a requested handoff."""

    request: HandoffRequested


class ReportCycle(Value, frozen=True):
    """Report that the handoffs form a cycle."""

    loop: tuple[str, ...]


class StopAtLimit(Value, frozen=True):
    """Stop at a limit."""

    resource: Resource
    used: float
    limit: float


class Finish(Value, frozen=True):
    """End the run."""

    reason: StopReason


class Fail(Value, frozen=True):
    """End the run with an error of the pipeline."""

    error: str
    message: str


Step = (
    Receive
    | TakeAnswer
    | Route
    | Enter
    | CallModel
    | AskApproval
    | AwaitApproval
    | CallTools
    | Spawn
    | RefuseCallStep
    | AskUser
    | IssueCommand
    | EndSupervision
    | RequestHandoff
    | DecideHandoff
    | ReportCycle
    | StopAtLimit
    | Finish
    | Fail
)

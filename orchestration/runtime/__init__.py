"""The runtime: engine, turns, sessions, journals and traces."""

from orchestration.runtime.engine import Engine
from orchestration.runtime.engine_settings import AskTheUser, EngineSettings, RunSettings
from orchestration.runtime.journal import Journal, MemoryJournal, NoJournal
from orchestration.runtime.results import HandoffRecord, ResultReader, RunResult
from orchestration.runtime.session import Session
from orchestration.runtime.traces import (
    MAX_BYTES,
    MAX_EVENTS,
    MAX_LINE,
    MAX_NAME,
    TraceFile,
    exceeded_limit,
    head_line,
    read_trace,
)
from orchestration.runtime.turn_inspection import (
    ContextEntry,
    HandoffContexts,
    Recording,
    TurnRequest,
)

__all__ = [
    "MAX_BYTES",
    "MAX_EVENTS",
    "MAX_LINE",
    "MAX_NAME",
    "AskTheUser",
    "ContextEntry",
    "Engine",
    "EngineSettings",
    "HandoffContexts",
    "HandoffRecord",
    "Journal",
    "MemoryJournal",
    "NoJournal",
    "Recording",
    "ResultReader",
    "RunResult",
    "RunSettings",
    "Session",
    "TraceFile",
    "TurnRequest",
    "exceeded_limit",
    "head_line",
    "read_trace",
]

"""Pipelines: their list, templates, samples, import, export and help."""

from designer.pipelines.actions import free_name, import_definition
from designer.pipelines.checklist import checklist_of, close_checklist, record_export
from designer.pipelines.conversation_export import NoConversationsError, start_selection_export
from designer.pipelines.forms import SettingsForm
from designer.pipelines.sample_pipelines import create_samples, samples
from designer.pipelines.settings import update_settings
from designer.pipelines.traces import trace_lines

__all__ = [
    "NoConversationsError",
    "SettingsForm",
    "checklist_of",
    "close_checklist",
    "create_samples",
    "free_name",
    "import_definition",
    "record_export",
    "samples",
    "start_selection_export",
    "trace_lines",
    "update_settings",
]

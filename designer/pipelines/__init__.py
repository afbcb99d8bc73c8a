"""Pipelines: their list, templates, samples, import, export and help."""

from designer.pipelines.actions import import_definition
from designer.pipelines.checklist import checklist_of, close_checklist
from designer.pipelines.forms import SettingsForm
from designer.pipelines.sample_pipelines import create_samples, samples
from designer.pipelines.settings import update_settings

__all__ = [
    "SettingsForm",
    "checklist_of",
    "close_checklist",
    "create_samples",
    "import_definition",
    "samples",
    "update_settings",
]

"""Exchange with other formats: the Export dialog, its files, and pictures of a pipeline."""

from designer.exchange.dialog import KEPT
from designer.exchange.export_formats import EXPORT_FORMATS, ExportFormat, export_format
from designer.exchange.files import archive

__all__ = [
    "EXPORT_FORMATS",
    "KEPT",
    "ExportFormat",
    "archive",
    "export_format",
]

"""Editor."""

from designer.editor.consumer import EditorConsumer

__all__ = [
    "EditorConsumer",
]

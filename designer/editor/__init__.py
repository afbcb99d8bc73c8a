"""The editor: canvas, inspector, outline, rules and everything around them."""

from designer.editor.consumer import EditorConsumer

__all__ = [
    "EditorConsumer",
]

"""The trace: events as rows, timelines, search and effects on the canvas."""

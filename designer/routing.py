"""Consumers by websocket path, and by channel in a worker."""

from typing import Any

from django.urls import URLPattern, URLResolver, path

from designer.editor import EditorConsumer
from designer.rehearsal import (
    WORKERS_CHANNEL,
    ConversationConsumer,
    WatchConsumer,
    WorkerConsumer,
)

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/conversations/<int:pk>/", ConversationConsumer.as_asgi()),
    path("ws/watch/<str:token>/", WatchConsumer.as_asgi()),
    path("ws/pipelines/<int:pk>/", EditorConsumer.as_asgi()),
]

channel_consumers: dict[str, Any] = {WORKERS_CHANNEL: WorkerConsumer.as_asgi()}

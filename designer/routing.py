"""Consumers by websocket path."""

from django.urls import URLPattern, URLResolver, path

from designer.editor import EditorConsumer
from designer.rehearsal import ConversationConsumer, WatchConsumer

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/conversations/<int:pk>/", ConversationConsumer.as_asgi()),
    path("ws/watch/<str:token>/", WatchConsumer.as_asgi()),
    path("ws/pipelines/<int:pk>/", EditorConsumer.as_asgi()),
]

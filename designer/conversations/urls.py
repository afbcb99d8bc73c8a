"""Paths of the pages of conversations."""

from django.urls import URLPattern, URLResolver, path

from designer.conversations import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("conversations/", views.conversations, name="conversations"),
    path("conversations/charts/", views.conversation_charts, name="conversation_charts"),
    path("conversations/selection/tag/", views.tag_selection, name="tag_selection"),
    path("conversations/selection/pin/", views.pin_selection, name="pin_selection"),
    path(
        "pipelines/<int:pk>/conversations/all/",
        views.pipeline_conversations,
        name="pipeline_conversations",
    ),
    path(
        "pipelines/<int:pk>/conversations/charts/",
        views.pipeline_conversation_charts,
        name="pipeline_conversation_charts",
    ),
    path("pipelines/<int:pk>/retention/", views.pipeline_retention, name="pipeline_retention"),
]

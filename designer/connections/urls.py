"""Paths of the connections page and of the tool import."""

from django.urls import URLPattern, URLResolver, path

from designer.connections import tool_import_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("connections/", views.connections, name="connections"),
    path("connections/add/", views.connection_add, name="connection_add"),
    path("connections/try/", views.connection_try, name="new_connection_try"),
    path("connections/models/", views.connection_models, name="new_connection_models"),
    path(
        "connections/environment/<slug:name>/try/",
        views.environment_try,
        name="environment_try",
    ),
    path("connections/<int:pk>/", views.connection, name="connection"),
    path("connections/<int:pk>/try/", views.connection_try, name="connection_try"),
    path("connections/<int:pk>/models/", views.connection_models, name="connection_models"),
    path("connections/<int:pk>/delete/", views.connection_delete, name="connection_delete"),
    path("pipelines/<int:pk>/tools/import/", tool_import_views.tool_import, name="tool_import"),
    path(
        "pipelines/<int:pk>/tools/document/",
        tool_import_views.tools_of_document,
        name="tools_of_document",
    ),
    path(
        "pipelines/<int:pk>/tools/server/",
        tool_import_views.tools_of_server,
        name="tools_of_server",
    ),
    path("pipelines/<int:pk>/tools/take/", tool_import_views.tools_take, name="tools_take"),
]

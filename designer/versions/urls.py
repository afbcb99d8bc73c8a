"""Paths of versions, all of them below a pipeline."""

from django.urls import URLPattern, URLResolver, include, path

from designer.versions import views
from designer.versions.history import views as history_views

pipeline_urls: list[URLPattern | URLResolver] = [
    path("", views.versions, name="versions"),
    path("save/", views.version_save, name="version_save"),
    path("publish/", views.version_publish, name="version_publish"),
    path("history/", history_views.edit_history, name="edit_history"),
    path("history/<int:number>/", history_views.edit_history, name="edit_history_point"),
    path(
        "history/<int:number>/restore/",
        history_views.history_restore,
        name="edit_history_restore",
    ),
    path("roll-back/", views.version_roll_back, name="version_roll_back"),
    path("<int:number>/promote/", views.version_promote, name="version_promote"),
    path("<int:number>/restore/", views.version_restore, name="version_restore"),
    path("<int:number>/export/", views.version_export, name="version_export"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/versions/", include(pipeline_urls)),
]

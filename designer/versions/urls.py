"""Paths of versions, all of them below a pipeline."""

from django.urls import URLPattern, URLResolver, include, path

from designer.versions import views

pipeline_urls: list[URLPattern | URLResolver] = [
    path("", views.versions, name="versions"),
    path("save/", views.version_save, name="version_save"),
    path("publish/", views.version_publish, name="version_publish"),
    path("roll-back/", views.version_roll_back, name="version_roll_back"),
    path("<int:number>/promote/", views.version_promote, name="version_promote"),
    path("<int:number>/restore/", views.version_restore, name="version_restore"),
    path("<int:number>/export/", views.version_export, name="version_export"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/versions/", include(pipeline_urls)),
]

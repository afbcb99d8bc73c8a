"""Path of the backups."""

from django.urls import URLPattern, URLResolver, path

from designer.backup import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("jobs/backup/", views.backup_start, name="backup_start"),
]

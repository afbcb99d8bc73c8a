"""Paths of the jobs."""

from django.urls import URLPattern, URLResolver, path

from designer.jobs import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("jobs/", views.jobs, name="jobs"),
    path("jobs/<int:pk>/", views.job, name="job"),
    path("jobs/<int:pk>/progress/", views.job_progress, name="job_progress"),
    path("jobs/<int:pk>/stop/", views.job_stop, name="job_stop"),
    path("jobs/<int:pk>/download/", views.job_download, name="job_download"),
]

"""Paths of differences."""

from django.urls import URLPattern, URLResolver, path

from designer.versions import difference_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/difference/", views.versions, name="difference"),
    path(
        "pipelines/<int:pk>/difference/report.md",
        difference_views.difference_report,
        {"form": "md"},
        name="difference_markdown",
    ),
    path(
        "pipelines/<int:pk>/difference/report.json",
        difference_views.difference_report,
        {"form": "json"},
        name="difference_json",
    ),
    path(
        "pipelines/<int:pk>/difference/report.svg",
        difference_views.difference_report,
        {"form": "svg"},
        name="difference_svg",
    ),
    path(
        "pipelines/<int:pk>/difference/meaning/",
        difference_views.difference_meaning,
        name="difference_meaning",
    ),
    path(
        "pipelines/<int:pk>/difference/file/",
        difference_views.difference_file,
        name="difference_file",
    ),
    path(
        "pipelines/<int:pk>/difference/apply/",
        difference_views.difference_apply,
        name="difference_apply",
    ),
]

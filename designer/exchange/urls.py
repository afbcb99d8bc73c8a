"""Paths of the Export dialog."""

from django.urls import URLPattern, URLResolver, path

from designer.exchange import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/exchange/", views.exchange, name="exchange"),
    path("pipelines/<int:pk>/exchange/file/", views.exchange_file, name="exchange_file"),
    path(
        "pipelines/<int:pk>/exchange/download/", views.exchange_download, name="exchange_download"
    ),
    path(
        "pipelines/<int:pk>/exchange/difference/",
        views.exchange_difference,
        name="exchange_difference",
    ),
]

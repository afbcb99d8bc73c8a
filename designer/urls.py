"""Paths of the site: each subject lists its own."""

from django.urls import URLPattern, URLResolver, include, path

from designer.administration import admin_site

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("designer.accounts.urls")),
    path("", include("designer.pipelines.urls")),
    path("", include("designer.exchange.urls")),
    path("", include("designer.editor.urls")),
    path("", include("designer.versions.urls")),
    path("", include("designer.rehearsal.urls")),
    path("", include("designer.conversations.urls")),
    path("", include("designer.connections.urls")),
    path("", include("designer.versions.difference_urls")),
    path("", include("designer.audit.urls")),
    path("", include("designer.jobs.urls")),
    path("", include("designer.backup.urls")),
    path("admin/", admin_site.urls),
]

handler400 = "designer.serving.refusals.bad_request"
handler403 = "designer.serving.refusals.forbidden"
handler404 = "designer.serving.refusals.not_found"
handler500 = "designer.serving.refusals.server_error"

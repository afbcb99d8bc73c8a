"""Paths of the list of pipelines, of templates, trace files and help pages."""

from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, path
from django.views.generic import RedirectView

from designer.pipelines import help_views, import_views, template_views, trace_views, views
from orchestration.definition import VERSION

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.pipelines, name="pipelines"),
    path("pipelines/create/", views.pipeline_create, name="pipeline_create"),
    path("pipelines/import/", import_views.pipeline_import, name="pipeline_import"),
    path(
        "pipelines/<int:pk>/import/<int:number>/",
        import_views.import_choice,
        name="import_choice",
    ),
    path("pipelines/samples/", views.samples_create, name="samples_create"),
    path("pipelines/<int:pk>/imported/", import_views.import_report, name="import_report"),
    path("pipelines/<int:pk>/rename/", views.pipeline_rename, name="pipeline_rename"),
    path("pipelines/<int:pk>/tags/", views.pipeline_tags, name="pipeline_tags"),
    path("pipelines/<int:pk>/duplicate/", views.pipeline_duplicate, name="pipeline_duplicate"),
    path("pipelines/<int:pk>/delete/", views.pipeline_delete, name="pipeline_delete"),
    path("pipelines/<int:pk>/export/", views.pipeline_export, name="pipeline_export"),
    path(
        "schema/",
        login_not_required(RedirectView.as_view(pattern_name="definition_schema")),
        {"version": VERSION},
        name="newest_schema",
    ),
    path(
        "schema/baton.pipeline-<int:version>.json",
        views.definition_schema,
        name="definition_schema",
    ),
    path("pipelines/<int:pk>/template/", template_views.template_save, name="template_save"),
    path("templates/samples/", template_views.sample_use, name="sample_use"),
    path("templates/<int:pk>/use/", template_views.template_use, name="template_use"),
    path("templates/<int:pk>/rename/", template_views.template_rename, name="template_rename"),
    path("templates/<int:pk>/delete/", template_views.template_delete, name="template_delete"),
    path("help/problems/", help_views.problems_help, name="problems_help"),
    path("help/problems/<slug:code>/", help_views.problem_help, name="problem_help"),
    path("conversations/<int:pk>/export/", trace_views.trace_export, name="trace_export"),
    path("conversations/<int:pk>/close/", trace_views.trace_close, name="trace_close"),
    path(
        "pipelines/<int:pk>/conversations/export/",
        trace_views.conversations_export,
        name="conversations_export",
    ),
    path("traces/open/", trace_views.trace_open, name="trace_open"),
]

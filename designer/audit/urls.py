"""Path of the audit trail."""

from django.urls import URLPattern, URLResolver, path

from designer.audit import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("audit/", views.audit_trail, name="audit_trail"),
]

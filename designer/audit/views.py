"""Page of the audit trail, for administrators."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from designer.audit.forms import AuditFilterForm
from designer.core import HtmxHttpRequest
from designer.models import AuditEntry

PAGE = 100
"""Number of entries on a page."""


@require_GET
@never_cache
def audit_trail(request: HtmxHttpRequest) -> HttpResponse:
    """Show the newest entries, or those before an entry, that match the filter."""
    if not request.user.is_staff:
        raise Http404
    form = AuditFilterForm(request.GET)
    entries = list(_matching(form)[: PAGE + 1])
    older = request.GET.copy()
    if len(entries) > PAGE:
        older["before"] = str(entries[PAGE - 1].pk)
    context = {
        "form": form,
        "entries": entries[:PAGE],
        "older": older.urlencode() if len(entries) > PAGE else "",
        "is_filtered": any(request.GET.values()),
    }
    return render(request, "audit/audit_trail.html", context)


def _matching(form: AuditFilterForm) -> QuerySet[AuditEntry]:
    """Return the entries that match the valid fields of a form."""
    form.is_valid()
    values = form.cleaned_data
    entries = AuditEntry.objects.all()
    if action := values.get("action"):
        entries = entries.filter(action=action)
    if text := values.get("q"):
        entries = entries.filter(
            Q(actor_name__icontains=text)
            | Q(target__icontains=text)
            | Q(detail__icontains=text)
            | Q(address=text)
            | Q(request_id=text)
        )
    if before := values.get("before"):
        entries = entries.filter(pk__lt=before)
    return entries

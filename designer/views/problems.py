"""What is done about problems."""

from __future__ import annotations

from django.http import HttpResponse

from designer.actions.fixes import fix_issue
from designer.forms.problem import FixForm, token_of
from designer.http import HtmxHttpRequest, get_pipeline
from designer.views.answers import edited, gesture, refused


@gesture
def fix_problem(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Mend one issue, where its rule says how."""
    pipeline = get_pipeline(request, pk)
    form = FixForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    meant = form.cleaned_data["issue"]
    change = fix_issue(
        pipeline=pipeline, user=request.user, is_meant=lambda issue: token_of(issue) == meant
    )
    return edited(request, change)

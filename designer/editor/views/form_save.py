"""Saving a form of the inspector while someone types in it: its fields are left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Literal

from django.db import transaction
from django.forms import BaseForm, BoundField
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from designer import definitions
from designer.core import (
    Change,
    HtmxHttpRequest,
    KeyField,
    PageState,
    PartForm,
    PickField,
    PicksField,
    RefusedError,
    RowForms,
    Selection,
)
from designer.editor.forms.group import GroupField
from designer.editor.fragments.edits import render_edit
from designer.editor.fragments.inspector import base_of, inspector, present
from designer.editor.views.responses import (
    PRECONDITION_FAILED,
    UNPROCESSABLE,
    FaultyFormError,
    StaleFormError,
    address_of,
    refused,
    replace_address,
    sentence,
    tell_selected,
)
from designer.models import Pipeline

STALE = (
    "This was changed elsewhere since you opened it, so it is not saved. "
    "What you typed is still here."
)


def save(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    form: BaseForm,
    act: Callable[[], Change],
    *,
    selects: Callable[[], Selection] | None = None,
) -> HttpResponse:
    """Run the action for a form, and answer with what it touched and how the form stands now.

    `selects` says what is selected afterwards, where the form can rename it.
    """
    shown = PageState.parse(request.POST)
    if not form.is_valid():
        raise FaultyFormError([form], faulty(request, pipeline, form))
    try:
        change = unless_stale(request, pipeline, act, form)
    except RefusedError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        raise FaultyFormError([form], faulty(request, pipeline, form)) from None
    if not request.htmx:
        return redirect(reverse("editor", args=[pipeline.pk]))
    now = replace(shown, selection=selects() if selects else shown.selection)
    return _saved(request, change, form, shown, now)


def faulty(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    *forms: BaseForm,
    about: str = "",
    general: Sequence[object] = (),
) -> HttpResponse:
    """Return the errors of forms next to their fields; the typed text stays."""
    if not request.htmx:
        return refused(request, pipeline, *forms)
    token = request.POST.get("form_token") or PageState.parse(request.POST).token
    faults = [
        (f"{token}-{form.add_prefix(name)}", " ".join(map(str, form.errors.get(name, ()))))
        for form in forms
        for name in form.fields
    ]
    every = [*general, *(error for form in forms for error in form.non_field_errors())]
    context = {
        "faults": [*faults, (f"{token}{about}-form", " ".join(map(str, every)))],
        "in_inspector": "form_token" not in request.POST,
    }
    return HttpResponse(
        render_to_string("editor/forms/_field_errors.html", context), status=UNPROCESSABLE
    )


def rows_saved(
    request: HtmxHttpRequest,
    change: Change,
    sent: RowForms | None,
    *,
    block: Literal["cues", "examples", "payload"],
    adds: bool,
    anew: bool,
    beside: BaseForm | None = None,
    as_json: bool = False,
) -> HttpResponse:
    """Return the saved rows: rendered anew if their number changed, otherwise untouched.

    `beside` is the form that was sent with them; `as_json` shows it in their place.
    """
    if not request.htmx:
        return redirect(reverse("editor", args=[change.pipeline.pk]))
    shown = PageState.parse(request.POST)
    html = render_edit(change, request.user, shown, keep_inspector=True)
    shows = _shows(request, change, shown)
    context: dict[str, Any] = {"pipeline": change.pipeline, "inspector": shows}
    context["has_sights"] = "sights" in shows
    held: dict[str, str] = getattr(request, "held", {})
    if held and sent is not None:
        sent = type(sent).sent(request.typed)
        sent.is_valid()
    if "rows" in shows:
        if as_json:
            shows["rows"] = None
        elif adds and shows["rows"] is not None:
            shows["rows"] = shows["rows"].with_blank()
        pairs = _pairs(sent, shows["rows"])
        is_merged = hasattr(request, "merged_with")
        if adds or anew or pairs is None or is_merged:
            html += render_to_string(f"editor/inspector/_{block}.html", {**context, "oob": True})
        else:
            pairs += [(_as_typed(request, beside), shows["payload"])] if beside else []
            context["fields"] = [field for pair in pairs for field in _different(*pair)]
            context["told"] = _told(pairs, f"{shown.token}-{block}")
    return _answer(
        request, html, context, [*(sent.forms if sent else ()), *([beside] if beside else ())]
    )


def _pairs(sent: RowForms | None, fresh: RowForms | None) -> list[tuple[BaseForm, BaseForm]] | None:
    """Each row as it was sent and as it is; None where those are not as many, or no rows.

    The last row may be one in which nothing was said yet.
    """
    if sent is None or fresh is None:
        return [] if sent is fresh else None
    left_over = len(sent.forms) - len(fresh.forms)
    if left_over == 0 or (left_over == 1 and sent.is_last_blank):
        return list(zip(sent.forms, fresh.forms, strict=False))
    return None


def unless_stale(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    act: Callable[[], Change],
    *sent: BaseForm | RowForms | None,
) -> Change:
    """Run the action of forms; StaleFormError, and nothing done, where they stand on stale ground.

    Nothing can change between the look and the action: the pipeline is held for both.
    """
    with transaction.atomic():
        if _is_stale(request, pipeline):
            forms = [form for form in sent if form is not None]
            raise StaleFormError(forms, _stale(request, pipeline))
        return act()


def _stale(request: HtmxHttpRequest, pipeline: Pipeline) -> HttpResponse:
    """Return the response to an outdated form that cannot be merged."""
    shown = PageState.parse(request.POST)
    way_on = (address_of(pipeline, shown.selection, shown), "Show it as it is now")
    more = render_to_string("editor/forms/_not_saved.html")
    return sentence(request, pipeline, STALE, PRECONDITION_FAILED, more=more, way_on=way_on)


def _is_stale(request: HtmxHttpRequest, pipeline: Pipeline) -> bool:
    """Report whether the form's part changed since the form was rendered."""
    shown = PageState.parse(request.POST)
    base = request.POST.get("base", "")
    if not base:
        return False
    definition = definitions.read(Pipeline.objects.select_for_update().get(pk=pipeline.pk))
    if present(definition, shown.selection) != shown.selection:
        return False
    return base != base_of(definition, shown.selection, shown.tab)


def _saved(
    request: HtmxHttpRequest, change: Change, form: BaseForm, was: PageState, now: PageState
) -> HttpResponse:
    html = render_edit(change, request.user, now, keep_inspector=True)
    shows = _shows(request, change, now)
    context: dict[str, Any] = {"pipeline": change.pipeline, "inspector": shows}
    context["has_sights"] = "sights" in shows
    context["merged_with"] = getattr(request, "merged_with", "")
    form = _as_typed(request, form)
    fresh = shows.get("form")
    if isinstance(fresh, BaseForm) and type(fresh) is type(form):
        context["fields"] = list(_different(form, fresh, has_other_names=_renames(change)))
        context["suggesting"] = list(_suggesting(fresh)) if _asks_others(change) else ()
        context["told"] = _told([(form, fresh)], now.token)
        context["helped"] = list(_helped(form, fresh))
    response = _answer(request, html, context, [form])
    if now.selection != was.selection:
        tell_selected(response, now.selection)
        replace_address(response, change.pipeline, now.selection, now)
    return response


def _as_typed(request: HtmxHttpRequest, form: BaseForm) -> BaseForm:
    """The form as the page shows it: before it was put together, and with what is refused."""
    if not hasattr(request, "typed"):
        return form
    typed = type(form)(request.typed)
    for name in typed.fields.keys() - form.fields.keys():
        del typed.fields[name]
    return typed


def _answer(
    request: HtmxHttpRequest, html: str, context: dict[str, Any], sent: Iterable[BaseForm]
) -> HttpResponse:
    """The answer to forms that are saved, perhaps but for some of their fields: those stay."""
    held: dict[str, str] = getattr(request, "held", {})
    if held:
        token = context["inspector"]["token"]
        ids = {f"{token}-{name}": text for name, text in held.items()}
        told = [(id_, text) for id_, text in context.get("told", ()) if id_ not in ids]
        context["told"] = [*told, *((id_, text) for id_, text in ids.items() if text)]
        context["fields"] = [one for one in context.get("fields", ()) if one.auto_id not in ids]
        context["helped"] = [one for one in context.get("helped", ()) if one[0].auto_id not in ids]
        fields = [form[name] for form in sent for name in form.fields]
        context["but"] = [
            (f"{token}-{one.html_name}", one.label) for one in fields if held.get(one.html_name)
        ]
    status = UNPROCESSABLE if held else HTTPStatus.OK
    return HttpResponse(html + render_to_string("editor/forms/_saved.html", context), status=status)


def _shows(request: HtmxHttpRequest, change: Change, shown: PageState) -> dict[str, Any]:
    """Return the inspector's context after a change."""
    pipeline, user = change.pipeline, request.user
    if change.definition is None:
        return inspector(pipeline, user, definitions.read(pipeline), shown)
    return inspector(pipeline, user, change.definition, shown, change.issues)


def _told(pairs: Sequence[tuple[BaseForm, BaseForm]], about: str) -> list[tuple[str, str]]:
    """Return the remarks next to the submitted fields: issues of the rules, or nothing."""
    fields = (fresh[name] for sent, fresh in pairs for name in sent.fields)
    said = [(field.auto_id, " ".join(map(str, field.errors))) for field in fields]
    general = (str(error) for _, fresh in pairs for error in fresh.non_field_errors())
    return [*said, (f"{about}-form", " ".join(general))]


def _helped(sent: BaseForm, fresh: BaseForm) -> Iterable[tuple[BoundField, str]]:
    """Fields of keys, each with what is said of one that was made of what was typed, if it was."""
    for name, field in sent.fields.items():
        if isinstance(field, KeyField):
            typed, kept = (str(form[name].value() or "").strip() for form in (sent, fresh))
            made = f"Saved as “{kept}”: it has letters, digits, “-” and “_” alone."
            yield fresh[name], made if typed != kept else ""


def _renames(change: Change) -> bool:
    """Report whether a stage, an agent or a tool was added or removed: renaming does both."""
    parts = ("stages", "agents", "tools")
    pairs = ((getattr(change.before, name), getattr(change.after, name)) for name in parts)
    return any(
        (before[key] is None) != (part is None)
        for before, after in pairs
        for key, part in after.items()
    )


def _asks_others(change: Change) -> bool:
    """Report whether an agent uses another provider now, which has other models."""
    before, after = change.before.agents, change.after.agents
    pairs = ((was, after[key]) for key, was in before.items())
    return any(
        was is not None
        and now is not None
        and (was.provider, was.fallback) != (now.provider, now.fallback)
        for was, now in pairs
    )


def _suggesting(form: BaseForm) -> Iterable[BoundField]:
    fields = (form[name] for name in form.fields)
    return (field for field in fields if hasattr(field.field.widget, "suggestions"))


def _different(
    sent: BaseForm, fresh: BaseForm, *, has_other_names: bool = False
) -> Iterable[BoundField]:
    """The fields that became something else than what was sent, or offer other names now."""
    unfinished = sent.unfinished if isinstance(sent, PartForm) else set()
    for name in sent.fields:
        if name in unfinished:
            continue
        field = fresh[name]
        offers = has_other_names and isinstance(field.field, PickField | PicksField | GroupField)
        if offers or _plain(sent[name].value()) != _plain(field.value()):
            yield field


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    return "" if value is None else str(value).replace("\r\n", "\n")

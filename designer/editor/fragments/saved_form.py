"""Fragments after a form of the inspector is saved: fields in use are left alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from django.contrib.auth.models import User
from django.forms import BaseForm, BoundField
from django.template.loader import render_to_string

from designer import definitions
from designer.core import (
    Change,
    KeyField,
    MultiPickField,
    PageState,
    PartForm,
    PickField,
    RowForms,
    slug,
)
from designer.editor.forms.group import GroupField
from designer.editor.forms.payload import SentPayload
from designer.editor.forms.sent_forms import SentForms
from designer.editor.forms.shared_form import SavedForm
from designer.editor.fragments.edits import render_edit
from designer.editor.fragments.inspector import inspector

Block = Literal["cues", "examples", "payload"]
"""Part of the inspector that shows rows, named like its template."""


def render_saved_fields(user: User, saved: SavedForm[Any], shown: PageState) -> str:
    """Render a form that is saved: the fields that became different from what was submitted."""
    change, form = saved.change, saved.typed.fields
    html = render_edit(change, user, shown, keep_inspector=True)
    context = _context(change, user, shown) | {"merged_with": saved.merged_with}
    fresh = context["inspector"].get("form")
    if isinstance(fresh, BaseForm) and type(fresh) is type(form):
        context["fields"] = list(_different(form, fresh, has_other_names=_renames(change)))
        context["suggesting"] = list(_suggesting(fresh)) if _changes_provider(change) else ()
        context["field_errors"] = _field_errors([(form, fresh)], shown.token)
        context["key_notes"] = list(_key_notes(form, fresh))
    return html + _render_saved(context, saved)


def render_saved_rows(user: User, saved: SavedForm[Any], shown: PageState, block: Block) -> str:
    """Render rows that are saved: again if their number changed, otherwise only changed fields."""
    change, sent, typed = saved.change, saved.sent, saved.typed
    html = render_edit(change, user, shown, keep_inspector=True)
    context = _context(change, user, shown)
    shows = context["inspector"]
    if "rows" in shows:
        if isinstance(sent, SentPayload) and sent.write_as == "json":
            shows["rows"] = None
        elif sent.adds_row and shows["rows"] is not None:
            shows["rows"] = shows["rows"].with_blank()
        pairs = _row_pairs(typed.rows, shows["rows"])
        has_other_rows = sent.adds_row or sent.removed_row is not None or saved.merged_with
        if has_other_rows or pairs is None:
            html += render_to_string(f"editor/inspector/_{block}.html", {**context, "oob": True})
        else:
            pairs += [(typed.fields, shows["payload"])] if typed.fields is not None else []
            context["fields"] = [field for pair in pairs for field in _different(*pair)]
            context["field_errors"] = _field_errors(pairs, f"{shown.token}-{block}")
    return html + _render_saved(context, saved)


def render_field_errors(
    sent: SentForms[Any], token: str, *, block: Block | None, in_inspector: bool
) -> str:
    """Render the errors of forms next to their fields; the typed text stays."""
    errors = [
        (f"{token}-{form.add_prefix(name)}", " ".join(map(str, form.errors.get(name, ()))))
        for form in sent.forms
        for name in form.fields
    ]
    general = [*sent.general_errors]
    general += [str(error) for form in sent.forms for error in form.non_field_errors()]
    prefix = f"{token}-{block}" if block else token
    refused_keys = [
        (f"{token}-{form.add_prefix(name)}", field.help_text)
        for form in sent.forms
        for name, field in form.fields.items()
        if isinstance(field, KeyField) and field.help_text and name in form.errors
    ]
    context = {
        "refused_keys": refused_keys,  # their notes about the saved key no longer apply
        "errors": [*errors, (f"{prefix}-form", " ".join(general))],
        "in_inspector": in_inspector,
    }
    return render_to_string("components/_field_errors.html", context)


def _context(change: Change, user: User, shown: PageState) -> dict[str, Any]:
    """Return the inspector after a change."""
    if change.definition is None:
        definition, issues = definitions.read(change.pipeline), None
    else:
        definition, issues = change.definition, change.issues
    shows = inspector(change.pipeline, user, definition, shown, issues)
    return {"pipeline": change.pipeline, "inspector": shows, "has_preview": "preview" in shows}


def _render_saved(context: dict[str, Any], saved: SavedForm[Any]) -> str:
    """Render the head, the field errors and the changed fields; refused fields stay as typed."""
    if saved.refused:
        token = context["inspector"]["token"]
        ids = {f"{token}-{name}": text for name, text in saved.refused.items()}
        errors = [(id_, text) for id_, text in context.get("field_errors", ()) if id_ not in ids]
        context["field_errors"] = [*errors, *((id_, text) for id_, text in ids.items() if text)]
        context["fields"] = [
            field for field in context.get("fields", ()) if field.auto_id not in ids
        ]
        context["key_notes"] = [
            (field, "" if field.auto_id in ids else note)
            for field, note in context.get("key_notes", ())
        ]
        fields = [form[name] for form in saved.typed.forms for name in form.fields]
        context["refused"] = [
            (f"{token}-{field.html_name}", field.label)
            for field in fields
            if saved.refused.get(field.html_name)
        ]
    return render_to_string("editor/forms/_saved.html", context)


def _row_pairs(
    sent: RowForms | None, fresh: RowForms | None
) -> list[tuple[BaseForm, BaseForm]] | None:
    """Return each row as submitted and as it is now; None if their numbers differ.

    The last submitted row may be empty.
    """
    if sent is None or fresh is None:
        return [] if sent is fresh else None
    surplus = len(sent.forms) - len(fresh.forms)
    if surplus == 0 or (surplus == 1 and sent.is_last_blank):
        return list(zip(sent.forms, fresh.forms, strict=False))
    return None


def _field_errors(pairs: Sequence[tuple[BaseForm, BaseForm]], prefix: str) -> list[tuple[str, str]]:
    """Return the texts next to the submitted fields: errors of the rules, or empty."""
    fields = (fresh[name] for sent, fresh in pairs for name in sent.fields)
    errors = [(field.auto_id, " ".join(map(str, field.errors))) for field in fields]
    general = (str(error) for _, fresh in pairs for error in fresh.non_field_errors())
    return [*errors, (f"{prefix}-form", " ".join(general))]


def _key_notes(sent: BaseForm, fresh: BaseForm) -> Iterable[tuple[BoundField, str]]:
    """Return the fields of keys, each with a note if the key differs from the typed text."""
    for name, field in sent.fields.items():
        if isinstance(field, KeyField) and field.help_text:
            typed, key = (str(form[name].value() or "").strip() for form in (sent, fresh))
            if slug(typed).strip("-_") == key:
                note = f"Saved as “{key}”: only letters, digits, “-” and “_” are allowed."
            else:
                note = f"Changed to “{key}”, after the new name."
            yield fresh[name], note if typed != key else ""


def _renames(change: Change) -> bool:
    """Report whether a stage, an agent or a tool was added or removed: renaming does both."""
    parts = ("stages", "agents", "tools")
    pairs = ((getattr(change.before, name), getattr(change.after, name)) for name in parts)
    return any(
        (before[key] is None) != (part is None)
        for before, after in pairs
        for key, part in after.items()
    )


def _changes_provider(change: Change) -> bool:
    """Report whether an agent's provider changed, and with it the suggested models."""
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
    """Return the fields that differ from the submitted ones, or that have other options now."""
    unfinished = sent.unfinished if isinstance(sent, PartForm) else set()
    for name in sent.fields:
        if name in unfinished:
            continue
        field = fresh[name]
        has_other_options = has_other_names and isinstance(
            field.field, PickField | MultiPickField | GroupField
        )
        if has_other_options or _plain(sent[name].value()) != _plain(field.value()):
            yield field


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return "" if value is None else str(value).replace("\r\n", "\n")

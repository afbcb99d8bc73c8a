"""Tags that load ES modules: `{% import_map %}` first, then `{% module "js/core/page.js" %}`."""

from django import template
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from designer.serving import import_map as maps

register = template.Library()


@register.simple_tag
def import_map() -> SafeString:
    """The map of module names, where they are hashed. No module may be loaded before it."""
    text = maps.import_map()
    # Our own file names, in quotes: nothing in them ends a script, and escaped they were no JSON.
    return mark_safe(f'<script type="importmap">{text}</script>' if text else "")  # noqa: S308


@register.simple_tag(takes_context=True)
def module(context: Context, name: str) -> SafeString:
    """A module, and beside it at once all that it imports, so that none waits for another."""
    script = format_html('<script type="module" src="{}"></script>', static(name))
    return _preloads(context, name) + script


def _preloads(context: Context, name: str) -> SafeString:
    """Links to what a module imports and no earlier one on this page did."""
    loaded: set[str] = context.dicts[0].setdefault("loaded_modules", set())
    imported = getattr(staticfiles_storage, "imported_by", None)  # not while developing
    wanted = [one for one in imported(name) if one not in loaded] if imported else []
    loaded.update(wanted, [name])
    links = ((static(one),) for one in wanted)
    return format_html_join("", '<link rel="modulepreload" href="{}">', links)

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
    """Render the import map, if names are hashed. It must come before the first module."""
    text = maps.import_map()
    # The names are ours: none can end a script element, and escaping would break the JSON.
    return mark_safe(f'<script type="importmap">{text}</script>' if text else "")  # noqa: S308


@register.simple_tag(takes_context=True)
def module(context: Context, name: str) -> SafeString:
    """Render a module with preload links to its static imports, so that all load at once."""
    script = format_html('<script type="module" src="{}"></script>', static(name))
    return _preloads(context, name) + script


def _preloads(context: Context, name: str) -> SafeString:
    """Render preload links to the imports that no earlier module of the page has loaded."""
    loaded: set[str] = context.dicts[0].setdefault("loaded_modules", set())
    imports_of = getattr(staticfiles_storage, "imported_by", None)  # absent during development
    names = imports_of(name) if imports_of else []
    missing = [module for module in names if module not in loaded]
    loaded.update(missing, [name])
    links = ((static(module),) for module in missing)
    return format_html_join("", '<link rel="modulepreload" href="{}">', links)

"""Tags that load ES modules."""

from django.template import Context, Template
from django.test import override_settings

PAGE = Template(
    '{% load modules %}{% import_map %}{% module "js/core/page.js" %}{% module "js/core/page.js" %}'
)


def test_without_hashed_names_a_module_is_loaded_directly():
    html = PAGE.render(Context())
    assert html == '<script type="module" src="/static/js/core/page.js"></script>' * 2


def test_static_imports_are_preloaded_once(collected):
    hashed = {"BACKEND": "designer.serving.static_files.HashedStaticFilesStorage"}
    with override_settings(STATIC_ROOT=collected.location, STORAGES={"staticfiles": hashed}):
        html = PAGE.render(Context())
    links = html.count('rel="modulepreload"')
    assert links == len(collected.imported_by("js/core/page.js"))
    assert html.startswith('<script type="importmap">')
    assert html.count('<script type="module"') == 2

"""How static files are kept for serving: compressed, under names that change with their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hashed names, also inside ES modules: `import "./x.js"` is rewritten to `./x.<hash>.js`."""

    support_js_module_import_aggregation = True

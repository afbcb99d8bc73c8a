"""Settings for tests: the settings of Baton, without access to the user's data."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("BATON_SECRET_KEY", "only-for-tests-" + "x" * 50)
for _name in ("BATON_PRODUCTION", "BATON_DEBUG", "DATABASE_URL", "REDIS_URL"):
    os.environ.pop(_name, None)

from designer.settings import *  # noqa: E402, F403
from designer.settings import DATABASES, STORAGES, TEMPLATES  # noqa: E402

_scratch = tempfile.TemporaryDirectory(prefix="baton-tests-")
DATA_DIR = Path(_scratch.name)

# A file, as on a real server: SQLite's shared memory supports neither a busy timeout nor WAL.
DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TEMPLATES[0]["BACKEND"] = "tests.markup.Templates"

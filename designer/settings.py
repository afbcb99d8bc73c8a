"""Django settings, safe by default; docs/operations.md lists the environment variables."""

import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from designer import environment

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("BATON_DATA_DIR") or BASE_DIR / "data").absolute()

# BATON_PRODUCTION is for a server behind TLS; without it Baton is meant for loopback alone.
PRODUCTION = environment.switch("BATON_PRODUCTION")
DEBUG = environment.switch("BATON_DEBUG") and not PRODUCTION
SECRET_KEY = environment.secret_key(DATA_DIR, production=PRODUCTION)
ALLOWED_HOSTS = environment.words(
    "BATON_ALLOWED_HOSTS", default="" if PRODUCTION else "localhost,127.0.0.1,[::1]"
)
CSRF_TRUSTED_ORIGINS = environment.words("BATON_CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "daphne",
    "whitenoise.runserver_nostatic",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "designer",
]

MIDDLEWARE = [
    # first: static files need no page headers
    "designer.serving.static_files.StaticFilesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "designer.serving.compression.CompressionMiddleware",
    "designer.serving.import_map.PolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "designer.serving.refusals.SignInMiddleware",
    "designer.serving.refusals.NotFoundMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "designer.urls"
ASGI_APPLICATION = "designer.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["designer.templatetags.figures"],
        },
    },
]

# Databases and the channel layer.
#
# SQLite takes the write lock when a transaction begins: with Django's default, a reader that turns
# writer fails at once as "locked", and no time-out helps. PostgreSQL gets a connection per
# request: one that is kept breaks when the database restarts.


def database() -> dict[str, Any]:
    """Return the configuration for DATABASE_URL, by default a SQLite file among the data."""
    url = os.environ.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'baton.sqlite3'}"
    config: dict[str, Any] = dict(
        dj_database_url.parse(url, conn_max_age=0, conn_health_checks=True)
    )
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["CONN_MAX_AGE"] = None  # a file does not restart, and opening it costs a millisecond
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
            **config.get("OPTIONS", {}),
        }
    return config


def channel_layer() -> dict[str, Any]:
    """Return the channel layer for REDIS_URL, by default a hub within this process.

    The publish/subscribe layer survives a restart of Redis, where the other one closes every
    socket; what it loses meanwhile is only a bell: the events are in the database.
    """
    if url := os.environ.get("REDIS_URL"):
        return {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [url], "prefix": "baton"},
        }
    return {"BACKEND": "designer.core.channel_layer.LocalChannelLayer"}


DATABASES = {"default": database()}
CHANNEL_LAYERS = {"default": channel_layer()}

# Live runs: how long a worker holds a run without renewing its lease, in seconds.
LEASE_SECONDS = environment.seconds("BATON_LEASE_SECONDS", default=10.0)

# What a million tokens cost, by model: sent, and answered. What is not here has no price.
PRICES = environment.prices("BATON_PRICES")

# What the secrets of connections are encrypted with: the first encrypts, all of them decrypt, and
# what was encrypted before there were any is read with one derived from the secret key.
ENCRYPTION_KEYS = environment.encryption_keys("BATON_ENCRYPTION_KEYS")

# The MCP servers over stdio that people may have started, by name: nobody types a command.
MCP_STDIO = environment.commands("BATON_MCP_STDIO")

# What connections and tools may reach beside public addresses: networks and hosts.
ALLOWED_ADDRESSES = environment.addresses("BATON_ALLOWED_ADDRESSES")

# After how many seconds a reader is let go to whom nothing comes any more.
SLOW_READER_SECONDS = 10.0

# How many events a page shows at first, and how many more at once.
TRACE_PAGE = 200

# How often it is looked, without a bell, whether anything is new to who reads, in seconds; and
# within how many the right of each to read is looked at. Who is sent away hears a bell at once; who
# signs out in another tab, none.
READER_CHECK_SECONDS = 10.0
RIGHTS_CHECK_SECONDS = 30.0

# How many AG-UI streams one process serves: altogether, and of one person or one link to watch.
AGUI_STREAMS = 200
AGUI_STREAMS_EACH = 20

# How many bytes one of them sends before its reader has to show how far it has come.
AGUI_BYTES = 1024 * 1024

# How long someone who leaves the editor is thought to be there: a page loaded anew comes back.
LEAVING_SECONDS = 3.0

# People.
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign_in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Counts of failed tries to sign in, and pictures of pipelines, kept by each server process for
# itself: a bound needs no more, and a picture is drawn in a moment.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
    "pictures": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pictures",
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
}

# Static files: hashed names, kept for ever by browsers; as they are while developing.
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(os.environ.get("BATON_STATIC_ROOT") or BASE_DIR / "staticfiles").absolute()
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "designer.serving.static_files.HashedStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Bounds and headers. No page carries inline script or style but the import map, which
# PolicyMiddleware allows by its hash; none is framed, and nothing is loaded from elsewhere.
# 'self' in connect-src covers the websockets of the same origin too.
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000  # a hundred cues have ten fields each
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "designer.serving.refusals.csrf_failure"

SECURE_PROXY_SSL_HEADER: tuple[str, str] | None = None

if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    # Only for a proxy that always sets this header itself: anyone could send it otherwise.
    if environment.switch("BATON_BEHIND_PROXY"):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# A report of an error shows no secret, in development neither.
DEFAULT_EXCEPTION_REPORTER_FILTER = "designer.serving.error_reports.SecretFilter"

# What goes wrong is said on standard error, in development and production alike.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},
        # They write down what servers answer, word for word, and a server may echo a key.
        "httpcore": {"level": "WARNING"},
        "mcp": {"level": "CRITICAL"},
    },
}

# Words and times.
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

"""Django settings, safe by default; docs/operations.md lists the environment variables."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from designer import environment

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("BATON_DATA_DIR") or BASE_DIR / "data").absolute()

# BATON_PRODUCTION is for a server with TLS; without it Baton only serves loopback.
PRODUCTION = environment.switch("BATON_PRODUCTION")
DEBUG = environment.switch("BATON_DEBUG") and not PRODUCTION
SECRET_KEY = environment.secret_key(DATA_DIR, production=PRODUCTION)
ALLOWED_HOSTS = environment.allowed_hosts("BATON_ALLOWED_HOSTS", production=PRODUCTION)
CSRF_TRUSTED_ORIGINS = environment.words("BATON_CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "designer.apps.DaphneConfig",
    "whitenoise.runserver_nostatic",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "designer",  # before the apps with commands that it replaces: auth and django_tasks_db
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
]

MIDDLEWARE = [
    # first: static files need no page headers
    "designer.serving.static_files.StaticFilesMiddleware",
    "designer.monitoring.request_ids.request_id_middleware",  # before all that may fail
    "designer.monitoring.probes.probe_middleware",
    "django.middleware.security.SecurityMiddleware",
    "designer.serving.compression.CompressionMiddleware",
    "designer.serving.cache_policy.no_store_middleware",
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
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "designer.serving.template_source.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
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
# SQLite takes the write lock at the start of a transaction: with Django's default, a reader that
# begins to write fails immediately with "locked" in spite of the timeout. PostgreSQL uses a pool:
# a connection belongs to a thread for a request or a call, and is checked before its next use. It
# is opened on demand. A restart of the database is noticed within seconds.


def database() -> dict[str, Any]:
    """Return the configuration for DATABASE_URL, by default a SQLite file in the data folder."""
    default = f"sqlite:///{DATA_DIR / 'baton.sqlite3'}"
    config = environment.database_url("DATABASE_URL", default)
    config |= {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
    if config["ENGINE"] == "django.db.backends.postgresql":
        pool = {
            "min_size": 0,
            "max_size": environment.number("BATON_DATABASE_CONNECTIONS", default=20),
            "timeout": 4.0,
            "reconnect_timeout": 4.0,
        }
        config["OPTIONS"] = {"pool": pool, **config.get("OPTIONS", {})}
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["CONN_MAX_AGE"] = None  # persistent: opening the file costs a millisecond
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 5,
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
            **config.get("OPTIONS", {}),
        }
    return config


def channel_layer(secret_key: str) -> dict[str, Any]:
    """Return the channel layer for REDIS_URL, by default a layer within this process.

    The publish/subscribe layer survives a restart of Redis; the other one closes every socket. It
    may lose notifications, but the events are in the database. The prefix keeps the channels of
    another installation on the same Redis apart: its conversations have the same numbers.
    """
    if url := environment.redis_url("REDIS_URL"):
        # Without time limits, one request to a frozen server would block all later ones.
        installation = sha256(secret_key.encode()).hexdigest()[:12]
        host = {"address": url, "socket_timeout": 2.0, "socket_connect_timeout": 2.0}
        return {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [host], "prefix": f"baton-{installation}"},
        }
    return {"BACKEND": "designer.core.channel_layer.LocalChannelLayer"}


DATABASES = {"default": database()}
CHANNEL_LAYERS = {"default": channel_layer(SECRET_KEY)}

# Allow several server processes on one SQLite database, although they wait for each other.
SEVERAL_SERVERS = environment.switch("BATON_SEVERAL_SERVERS")

# Folder of pg_dump and pg_restore, for backups; by default they are found by PATH.
POSTGRESQL_BIN = os.environ.get("BATON_POSTGRESQL_BIN", "")

# Processes that drive runs: `here`, the servers themselves, or `workers`, `manage.py work`.
RUNS = environment.run_location(
    "BATON_RUNS",
    engine=DATABASES["default"]["ENGINE"],
    redis_url=environment.redis_url("REDIS_URL"),
)

# Maximum number of runs at the same time: of one process, and of one user in all processes. Further
# runs wait in a queue, and a full queue accepts no more messages.
MAX_RUNS = environment.number("BATON_MAX_RUNS", default=200)
RUNS_PER_USER = environment.number("BATON_RUNS_PER_USER", default=50)
MAX_QUEUED_RUNS = environment.number("BATON_MAX_QUEUED_RUNS", default=1_000)

# Seconds that a worker holds a run without renewing its lease.
LEASE_SECONDS = environment.seconds("BATON_LEASE_SECONDS", default=4.0)

# Long work in background tasks: the queue, the seconds that a worker holds a part of a job without
# renewing its lease, and the kinds of jobs.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
JOB_LEASE_SECONDS = environment.seconds("BATON_JOB_LEASE_SECONDS", default=30.0)
JOB_KINDS = {
    "export-conversations": "designer.pipelines.conversation_export.EXPORT",
    "delete-conversations": "designer.rehearsal.retention.RETENTION",
    "summarise-conversations": "designer.conversations.recording.SUMMARIES",
    "export-spans": "designer.monitoring.span_jobs.SPANS",
    "back-up": "designer.backup.job.BACKUP",
}

# Functions that start a job if there is work for it, called once a minute.
REGULAR_JOBS = [
    "designer.monitoring.span_jobs.start_span_export",
    "designer.conversations.start_summaries",
    "designer.rehearsal.start_expiry",
]

# Seconds without an event or text after which a run counts as stalled and loses its worker. It is
# longer than the longest time limit of a turn or a tool.
STALL_SECONDS = environment.seconds("BATON_STALL_SECONDS", default=3_900.0)

# Prices of a million input and output tokens by model; other models have no price.
PRICES = environment.model_prices("BATON_PRICES")

# Keys for the secrets of connections: the first encrypts, all decrypt. Secrets stored before the
# first key was set are decrypted with a key derived from the secret key.
ENCRYPTION_KEYS = environment.encryption_keys("BATON_ENCRYPTION_KEYS")

# Commands of MCP servers over stdio by name; users can only choose a name.
MCP_STDIO = environment.commands("BATON_MCP_STDIO")

# Networks and hosts that connections and tools may reach, in addition to public addresses.
ALLOWED_ADDRESSES = environment.addresses("BATON_ALLOWED_ADDRESSES")

# Seconds without an acknowledgement after which a slow reader is disconnected.
SLOW_READER_SECONDS = 10.0

# Number of events on a page at first, and in each further request.
TRACE_PAGE = 200

# Seconds between checks for new events and between checks of permissions. Removed members are
# notified at once; a sign-out in another tab is only found by the check.
READER_CHECK_SECONDS = 10.0
RIGHTS_CHECK_SECONDS = 30.0

# Maximum number of AG-UI streams per process: in total, and per user or share link.
AGUI_STREAMS = 200
AGUI_STREAMS_EACH = 20

# Maximum number of bytes of an AG-UI stream before its client must reconnect with its position.
AGUI_BYTES = 1024 * 1024

# Seconds after which a user who left the editor counts as absent: a reload reconnects sooner.
LEAVING_SECONDS = 3.0

# Users.
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

# Sign-in by OpenID Connect, in addition to passwords. The names with OIDC are the library's;
# designer/accounts/openid finds the addresses of the provider and checks its tokens strictly.
OPENID_PROVIDER = environment.openid_provider()
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
if OPENID_PROVIDER:
    AUTHENTICATION_BACKENDS.append("designer.accounts.openid.backend.OpenIdBackend")
OIDC_AUTHENTICATION_CALLBACK_URL = "openid_callback"
OIDC_RP_SCOPES = "openid email profile"
OIDC_USE_PKCE = True
OIDC_MAX_STATES = 10
OIDC_TIMEOUT = 10
LOGIN_REDIRECT_URL_FAILURE = "sign_in"

# Mail for invitations and for resetting passwords; without a server, links are shown instead.
_mail = environment.mail_server("BATON_MAIL_URL")
MAIL_ENABLED = bool(_mail)
globals().update(_mail)
DEFAULT_FROM_EMAIL = os.environ.get("BATON_MAIL_FROM") or "baton@localhost"
PASSWORD_RESET_TIMEOUT = 60 * 60

# Pictures of pipelines, which are rendered quickly: each process has its own cache.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
    "pictures": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pictures",
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
}

# Static files: hashed names, cached by browsers without limit; original names during development.
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

# Limits and headers. The only inline script or style is the import map, which PolicyMiddleware
# allows by its hash. Pages load nothing from other origins and cannot be framed, except the chat
# in the editor's drawer. 'self' in
# connect-src includes websockets of the same origin.
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000  # 100 cues with ten fields each
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
        "frame-src": [SELF],
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

# Number of proxies that append the address of their client to X-Forwarded-For.
TRUSTED_PROXIES = environment.trusted_proxies("BATON_BEHIND_PROXY")

if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    # Only for a proxy that always sets this header: otherwise clients could forge it.
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Error reports contain no secrets, even in development.
DEFAULT_EXCEPTION_REPORTER_FILTER = "designer.serving.error_reports.SecretFilter"

# Errors and sign-ins are logged to standard error, one line or JSON object each.
LOG_FORMAT = environment.choice("BATON_LOG_FORMAT", "text", "json")
# Address for error reports (extra `sentry`); empty: none.
SENTRY_DSN = environment.sentry_dsn("SENTRY_DSN")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "designer.monitoring.log_format.TextFormatter"},
        "json": {"()": "designer.monitoring.log_format.JsonLineFormatter"},
    },
    "filters": {
        "database": {"()": "designer.serving.error_reports.DatabaseFailureFilter"},
        "foreign_host": {"()": "designer.monitoring.log_format.ForeignHostFilter"},
        "request": {"()": "designer.monitoring.log_format.RequestFilter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["database", "foreign_host", "request"],
        },
        "errors": {"class": "designer.monitoring.metrics.ErrorCounter"},
    },
    "root": {"handlers": ["console", "errors"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},
        "designer.accounts.sign_in": {"level": "INFO"},
        "designer.requests": {
            "level": "INFO" if environment.switch("BATON_LOG_REQUESTS") else "WARNING"
        },
        # These libraries log responses verbatim, and a server may echo a key.
        "httpcore": {"level": "WARNING"},
        # It repeats the error of the call that waits for a connection.
        "psycopg.pool": {"level": "ERROR"},
        "mcp": {"level": "CRITICAL"},
    },
}

if SENTRY_DSN:  # after the console, whose filters shorten expected failures
    LOGGING["handlers"]["sentry"] = {
        "class": "designer.monitoring.sentry.SentryHandler",
        "dsn": SENTRY_DSN,
    }
    LOGGING["root"]["handlers"].append("sentry")

# Token for /health/ready and /metrics; empty: both are off.
METRICS_TOKEN = environment.token("BATON_METRICS_TOKEN")

# Address of the metrics of a worker, which serves no pages; no port: off.
METRICS_HOST = os.environ.get("BATON_METRICS_HOST") or "127.0.0.1"
METRICS_PORT = environment.port("BATON_METRICS_PORT")

# Export the contents of messages and tool calls with the spans of runs.
SPANS_WITH_CONTENT = environment.switch("BATON_OTEL_CONTENT")

# Days after which entries of the audit trail are deleted.
AUDIT_DAYS = environment.days("BATON_AUDIT_DAYS", default=365)

# Folder for the backups that administrators start on the page Jobs; empty: no such backups.
BACKUP_DIR = os.environ.get("BATON_BACKUP_DIR", "")

# Language and time zone.
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

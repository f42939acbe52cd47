"""Settings of the site. The environment is read here and nowhere else."""

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from focusweb import database, environment
from focusweb.failpoints import read_plan
from focusweb.mail_server import base_url, mail_sender, read_mail_server
from focusweb.runtime import data_folder
from focusweb.web import static_files
from focusweb.web.request_limits import MAX_BODY_BYTES

#: In a wheel, what lies beside the code is inside this package.
_INSTALLED = Path(__file__).resolve().parent / "installed"
BASE_DIR = _INSTALLED if _INSTALLED.is_dir() else _INSTALLED.parent.parent

# Before any import of numpy. Our matrices are small: a second thread for them gains nothing,
# and on a busy machine the two wait for each other (5.7 s instead of 0.6 s for a preview).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# --- The data folder ------------------------------------------------------------------------

_USUAL_DATA_DIR = (
    Path.home() / ".local/share/focusweb" if BASE_DIR == _INSTALLED else BASE_DIR / "data"
)
DATA_DIR = environment.folder("FOCUSWEB_DATA", _USUAL_DATA_DIR)
try:
    data_folder.prepare(DATA_DIR)
    SECRET_KEY = environment.secret_key(DATA_DIR)
except OSError as error:
    raise ImproperlyConfigured(
        f"The data folder {DATA_DIR} cannot be written ({error.strerror}). "
        "Free some space or name another folder with FOCUSWEB_DATA."
    ) from error
#: Keys from before: what they signed is still read (links in mails, sessions).
SECRET_KEY_FALLBACKS = environment.words("FOCUSWEB_SECRET_KEY_FALLBACKS")
#: What the environment sets, for backups.
GIVEN = environment.given()
RUN_DIR = DATA_DIR / "run"
INDEX_DIR = DATA_DIR / "index"
SEARCH_ENGINE = environment.text("FOCUSWEB_SEARCH") or "whoosh"

# --- The web site ---------------------------------------------------------------------------

HOST = environment.text("FOCUSWEB_HOST") or "127.0.0.1"
PORT = environment.whole_number("FOCUSWEB_PORT", 8000, 1, 65535)
HTTPS = environment.flag("FOCUSWEB_HTTPS", False)
#: Whose X-Forwarded-For and X-Forwarded-Proto are believed.
PROXY = environment.text("FOCUSWEB_PROXY", "127.0.0.1" if HTTPS else "")
DEBUG = environment.flag("FOCUSWEB_DEBUG", False)
# An empty list would refuse every request.
ALLOWED_HOSTS = environment.words("FOCUSWEB_ALLOWED_HOSTS") or [
    host for host in ("localhost", "127.0.0.1", "[::1]", HOST) if host
]
CSRF_TRUSTED_ORIGINS = environment.origins("FOCUSWEB_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_q",
    "crawler",
    "topics",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # A secret beside what a stranger can choose is not guessed by the size of the answer (BREACH):
    # random bytes are added, and tokens of forms are masked differently each time.
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "topics.middleware.headers.safety_headers",
    # What follows reads bodies.
    "topics.middleware.limits_and_faults.limit_body",
    "topics.middleware.limits_and_faults.explain_methods",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "topics.middleware.preferences.use_preferences",
    "topics.middleware.sign_in.RequireSignIn",
    "topics.middleware.limits_and_faults.LimitForms",
    "topics.middleware.limits_and_faults.ReportFaults",
    "topics.middleware.limits_and_faults.mark_browsers",
    "topics.middleware.spacing.chinese_spacing",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "focusweb.urls"
WSGI_APPLICATION = "focusweb.wsgi.application"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "topic_list"
LOGOUT_REDIRECT_URL = "login"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "topics.installation.health.health_context",
                "topics.middleware.limits_and_faults.fault_context",
                "topics.delivery.alerts.alert_context",
            ],
        },
    },
]
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
# `manage.py up` makes files with hashes in their names; without them, files are served from where
# they lie.
HASHED_STATIC_DIR = static_files.folder_for(DATA_DIR, BASE_DIR / "static")
_IS_HASHED = static_files.is_complete(HASHED_STATIC_DIR) and not DEBUG
STATIC_ROOT = HASHED_STATIC_DIR if _IS_HASHED else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "focusweb.web.static_files.HashedStorage"
        if _IS_HASHED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not _IS_HASHED
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = static_files.add_static_headers
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "topics.accounts.passwords.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
#: Time for which a link for a new password can be used.
PASSWORD_RESET_TIMEOUT = 4 * 3600
AUTHENTICATION_BACKENDS = ["focusweb.login.LimitedBackend"]
PASSWORD_HASHERS = [
    "focusweb.web.password_hashing.OneAtATimeArgon2Hasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "report-uri": ["/csp-report"],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# A browser takes a cookie of this name from this very host only, and over HTTPS.
_HOST_ONLY = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
UPLOAD_PASS_NAME = f"{_HOST_ONLY}upload"
BROWSER_COOKIE_NAME = f"{_HOST_ONLY}browser"
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
# The most rows of one form have up to seven fields each.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS

# --- Languages and time ---------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("zh-hans", _("Simplified Chinese")),
    # Generated from the simplified one, see tools/translations.py.
    ("zh-hant", _("Traditional Chinese")),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = environment.time_zone("FOCUSWEB_TIME_ZONE", "UTC")

# --- Database, cache, queue (each value was measured) ------------------------------------------

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_database = environment.database_address(
    "DATABASE_URL", f"sqlite:///{DATA_DIR / 'focusweb.sqlite3'}"
)
if _database["ENGINE"] == database.POSTGRESQL and not database.has_driver():
    raise ImproperlyConfigured(
        "DATABASE_URL names PostgreSQL, whose driver is not installed. Run: "
        ".venv/bin/python -m pip install --require-hashes -r requirements-postgres.lock"
    )
if SEARCH_ENGINE == "postgres" and _database["ENGINE"] != database.POSTGRESQL:
    raise ImproperlyConfigured(
        "FOCUSWEB_SEARCH is postgres, but DATABASE_URL does not name a PostgreSQL database. "
        "Choose another search engine, or set DATABASE_URL."
    )
if _database["ENGINE"] == database.POSTGRESQL:
    database.store_nul_as_replacement()
_database["OPTIONS"] = {**database.options(_database["ENGINE"]), **_database.get("OPTIONS", {})}
DATABASES: dict[str, Any] = {"default": _database}
#: Time for which a page waits for a lock of the database; background work has the 20 s above.
WEB_DATABASE_WAIT_S = 5
CACHES = {
    "default": {  # shared by the web process and the cluster, so not in memory
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "cache",
    }
}
Q_CLUSTER: dict[str, Any] = {
    "name": "focusweb",
    "orm": "default",
    "workers": environment.whole_number("FOCUSWEB_WORKERS", 2, 1, 64),
    "queue_limit": 2,
    "bulk": 1,
    "poll": 0.5,
    "timeout": 90,  # a slice aims at 45 s and watches its own deadline
    "retry": 400,  # > timeout * (ceil((queue_limit + 1) / workers) + 1)
    "max_attempts": 3,
    "ack_failures": True,  # our own tables decide on retries
    "catch_up": False,
    "save_limit": 200,
    "recycle": 200,
    "max_rss": 700_000,
    "guard_cycle": 0.5,
    "scheduler": False,  # manage.py timer does what is due by the clock
    "ALT_CLUSTERS": {},  # its absence with Q_CLUSTER_NAME set is a KeyError
}

# --- Crawling -------------------------------------------------------------------------------

CONTACT_URL = environment.text("FOCUSWEB_CONTACT_URL")
CONNECT_TO = environment.text("FOCUSWEB_CONNECT_TO")
#: Hosts whose certificate is not verified.
UNPROVED_HOSTS = environment.text("FOCUSWEB_UNPROVED_HOSTS")
SEARXNG_URL = environment.text("FOCUSWEB_SEARXNG_URL")
#: Least rest between two requests to one site, in seconds. Hosts of FOCUSWEB_CONNECT_TO are
#: on this machine and have their own value.
SITE_DELAY_S = environment.number("FOCUSWEB_SITE_DELAY", 2.0, 0.0, 3600.0)
MAPPED_SITE_DELAY_S = environment.number("FOCUSWEB_MAPPED_SITE_DELAY", 0.0, 0.0, 3600.0)
#: Most requests to one site on one day (UTC).
SITE_PAGES_PER_DAY = environment.whole_number("FOCUSWEB_SITE_PAGES_PER_DAY", 2000, 1, 10_000_000)
SITE_BYTES_PER_DAY = (1 << 20) * environment.whole_number(
    "FOCUSWEB_SITE_MB_PER_DAY", 500, 1, 1_000_000
)
#: The largest PDF file that is read.
PDF_BYTES = (1 << 20) * environment.whole_number("FOCUSWEB_PDF_MB", 20, 1, 50)
FETCH_THREADS = environment.whole_number("FOCUSWEB_FETCH_THREADS", 16, 1, 256)
#: 0 for one less than the cores.
PARSE_CHILDREN = environment.whole_number("FOCUSWEB_PARSE_CHILDREN", 0, 0, 64)
DEMO = environment.flag("FOCUSWEB_DEMO", True)
DEMO_PORT = environment.whole_number("FOCUSWEB_DEMO_PORT", 8899, 1, 65535)

#: Where a test kills this process; see `focusweb.failpoints`.
KILL_AT = environment.checked("FOCUSWEB_KILL_AT", read_plan)

# --- Mail -----------------------------------------------------------------------------------

#: None: what would be sent is kept as files in the data folder.
MAIL_SERVER = read_mail_server("FOCUSWEB_SMTP_URL", environment.text("FOCUSWEB_SMTP_URL"))
MAIL_FROM = mail_sender(
    "FOCUSWEB_MAIL_FROM", environment.text("FOCUSWEB_MAIL_FROM"), MAIL_SERVER is not None
)
#: What links in mails begin with.
BASE_URL = base_url("FOCUSWEB_BASE_URL", environment.text("FOCUSWEB_BASE_URL"), HOST, PORT)
#: Receivers of webhooks, as host:port, that may have a private address and do without TLS.
WEBHOOK_HOSTS = environment.host_ports("FOCUSWEB_WEBHOOK_HOSTS")

# --- Plugins --------------------------------------------------------------------------------

PLUGINS_DIR = DATA_DIR / "plugins"
LOAD_PLUGINS = environment.names("FOCUSWEB_LOAD_PLUGINS")
SAFE_MODE = environment.flag("FOCUSWEB_SAFE_MODE", False)

# --- Log ------------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["stderr"],
        "level": environment.log_level("FOCUSWEB_LOG_LEVEL", "WARNING"),
    },
}

"""Settings of the service. Everything that varies is an environment variable (docs/operating.md)."""

import sys
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from casino import environment

BASE_DIR = Path(__file__).resolve().parent.parent
env = environment.load(BASE_DIR)

# --- Secrets: never a default. Django refuses to use an empty SECRET_KEY, but starts without one.
SECRET_KEY = env.secret("SECRET_KEY")
# Key of the HMAC under a PIN's Argon2id hash; lies outside the database on purpose.
PIN_KEY = env.secret("PIN_KEY")

DEBUG = env.flag("DEBUG", default=False)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", "")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "pgtrigger",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "casino",
    "tables",
    "audit",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "casino.content_policy.ContentPolicy",
    "casino.plain_addresses.PlainAddresses",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
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
                "tables.pages.navigation.navigation",
                "tables.pages.typed.typed",
            ]
        },
    }
]

# --- Database. The service writes as a role that may only insert facts; migrations run as the owner.
OWNER_COMMANDS = {"migrate", "makemigrations", "grant", "sqlmigrate", "showmigrations"}
DATABASE_URL = env.text("DATABASE_URL", "")
DATABASE_OWNER_URL = env.text("DATABASE_OWNER_URL", DATABASE_URL)
RUNS_AS_OWNER = len(sys.argv) > 1 and sys.argv[1] in OWNER_COMMANDS
# Django keeps psycopg from preparing any statement, also those that ask for it. Ours ask where it pays (the door's
# two: their planning costs more than their work); no other statement is ever executed this often on one connection.
PREPARE_WHAT_ASKS = 2**31


def database(url: str, *, pooled: bool) -> dict[str, object]:
    """Return Django's description of the PostgreSQL at url."""
    if not url:
        # Django's own dummy backend: no command that needs a database runs, all others do.
        return {}
    parsed = dj_database_url.parse(url)
    config: dict[str, object] = dict(parsed)
    if config["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL (postgres://...)")
    options: dict[str, object] = {"prepare_threshold": PREPARE_WHAT_ASKS}
    options.update(parsed.get("OPTIONS", {}))
    # PostgreSQL compiles a statement that it thinks long. Ours are read in milliseconds and thought far longer once a
    # table holds what was rolled back: the floor took ten times as long to compile as to read.
    options["options"] = f"-c jit=off {options.get('options', '')}".rstrip()
    if pooled:
        options["pool"] = {
            "min_size": 1,
            "max_size": env.number("DATABASE_POOL", 16),
            "timeout": 10,
        }
    config["OPTIONS"] = options
    config["CONN_MAX_AGE"] = 0
    # A connection that the server closed (restart, failover) is replaced, not handed out.
    config["CONN_HEALTH_CHECKS"] = True
    return config


DATABASES = {
    "default": database(DATABASE_OWNER_URL, pooled=False) if RUNS_AS_OWNER else database(DATABASE_URL, pooled=True)
}
# The role whose grants `manage.py grant` sets: by default the one that DATABASE_URL logs in as.
SERVICE_ROLE = env.text("DATABASE_SERVICE_ROLE", "") or (
    str(dj_database_url.parse(DATABASE_URL)["USER"]) if DATABASE_URL else "casino_service"
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- People
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
# OWASP's smallest profile: the key carries the weight, and a pit changes dealers every twenty minutes.
PIN_TIME_COST, PIN_MEMORY_KIB = 2, 19 * 1024
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
SESSION_COOKIE_AGE = env.number("SESSION_HOURS", 12) * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
# Two clones on one host differ only in the port, and cookies do not: each has names of its own.
SESSION_COOKIE_NAME = env.text("COOKIE_PREFIX", "casino") + "_session"
CSRF_COOKIE_NAME = env.text("COOKIE_PREFIX", "casino") + "_csrf"
LANGUAGE_COOKIE_NAME = env.text("COOKIE_PREFIX", "casino") + "_language"
CSRF_COOKIE_SAMESITE = "Strict"

# --- Transport. HTTPS unless told otherwise (`./run` serves plain HTTP unless HTTPS=1 asks it for TLS).
HTTPS = env.flag("HTTPS", default=True)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Machines inside the house probe and read figures over plain HTTP; nobody logs in there.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", 365 * 24 * 3600) if HTTPS else 0
TRUST_PROXY = env.flag("TRUST_PROXY", default=False)
if TRUST_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# The certificate of the floor's own authority, for tablets to take away; none where the house has a certificate.
TLS_AUTHORITY_FILE = env.path("TLS_AUTHORITY_FILE", Path()) if env.text("TLS_AUTHORITY_FILE", "") else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "frame-ancestors": "'none'",
    "form-action": "'self'",
    "base-uri": "'none'",
}
# An envelope request holds at most 1 MB (the door answers batch_too_large itself up to this).
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

# How people reach the service from outside; printed on paper (the address where a report is verified).
SITE_URL = env.text("SITE_URL", "http://127.0.0.1:8000/")

# The live floor's own process. Beside us at this port (`./run`), or 0: a proxy leads /live/ to it, at our own address.
LIVE_PORT = env.number("LIVE_PORT", 0)
# With this token Prometheus reads /metrics; without one nobody does.
METRICS_TOKEN = env.text("METRICS_TOKEN", "")

# --- Words
LANGUAGE_CODE = env.text("LANGUAGE", "en") if env.text("LANGUAGE", "en") in {"en", "ru"} else "en"
LANGUAGES = [("en", "English"), ("ru", "Русский")]
LOCALE_PATHS = [BASE_DIR / "casino" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# --- Files served by ourselves
STATIC_URL = "/static/"
STATIC_ROOT = env.path("STATIC_ROOT", BASE_DIR / "staticfiles")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
# Finished PDFs: kept, served again after years, backed up with the database (docs/operating.md).
MEDIA_ROOT = env.path("FILES_DIR", environment.run_dir(BASE_DIR) / "files")

# --- Seals: the key lies outside database and repository; the seals themselves leave both, as files and by mail.
SEAL_KEY_FILE = env.path("SEAL_KEY_FILE", Path()) if env.text("SEAL_KEY_FILE", "") else None
SEALS_DIR = env.path("SEALS_DIR", environment.run_dir(BASE_DIR) / "seals")
SEAL_MAIL_TO = env.words("SEAL_MAIL_TO", "")

# --- Papers are signed (PAdES) where the house has a key and a certificate for it.
PAPER_KEY_FILE = env.path("PAPER_KEY_FILE", Path()) if env.text("PAPER_KEY_FILE", "") else None
PAPER_CERTIFICATE_FILE = env.path("PAPER_CERTIFICATE_FILE", Path()) if env.text("PAPER_CERTIFICATE_FILE", "") else None

# --- Mail, for seals alone
EMAIL_HOST = env.text("MAIL_HOST", "localhost")
EMAIL_PORT = env.number("MAIL_PORT", 25)
EMAIL_HOST_USER = env.text("MAIL_USER", "")
EMAIL_HOST_PASSWORD = env.secret("MAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("MAIL_TLS", default=False)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.text("MAIL_FROM", "casino@localhost")

# --- API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tables.api.authentication.DeviceAuthentication",
        "tables.api.authentication.StaffSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["tables.api.authentication.MayDo"],
    "EXCEPTION_HANDLER": "tables.api.refusals.answer_refusal",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["tables.api.parsing.PlainJSON"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_VERSIONING_CLASS": None,
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Casino tables and audit",
    "DESCRIPTION": "What happens at the tables, written once, and everything that was recorded, read back.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- What reports say about the program that made them, and where a reader may ask whether they are ours.
VERSION = "0.1.0"
BUILD = env.text("BUILD", "") or environment.commit(BASE_DIR) or "unknown"

# --- Broker: kombu's pgmq in a PostgreSQL database of its own, or a RabbitMQ of the house.
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "")

# --- Log: to standard output, for whatever collects it
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stdout": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stdout"], "level": env.text("LOG_LEVEL", "INFO")},
}

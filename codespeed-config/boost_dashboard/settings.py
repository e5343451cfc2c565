"""Django settings; everything that differs between installations is in ``configuration.py``."""

from __future__ import annotations

import os
import tomllib
import warnings
from pathlib import Path

from boost_dashboard import compatibility
from boost_dashboard.configuration import read_configuration

compatibility.install()
compatibility.draw_late()
# Codespeed warns on every start that anybody may post; WriteToken sees to it that nobody can.
warnings.filterwarnings("ignore", module=r"codespeed\.apps")

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = read_configuration(os.environ, ROOT)
LINES_FILE = ROOT / "lines.toml"

DEBUG = False
SECRET_KEY = CONFIGURATION.secret_key
ALLOWED_HOSTS = list(CONFIGURATION.allowed_hosts)

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "boost_dashboard.apps.DashboardConfig",
    "codespeed",
    "benchmark_requests",
]
MIDDLEWARE = [
    "boost_dashboard.middleware.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # pages hold no secret that compression could tell
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "boost_dashboard.middleware.WriteToken",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "boost_dashboard.middleware.BadQuery",
]
ROOT_URLCONF = "boost_dashboard.urls"
WSGI_APPLICATION = "boost_dashboard.wsgi.application"

DATABASES = {"default": CONFIGURATION.database}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"  # what Codespeed's migrations were made with
USE_TZ = False  # Codespeed stores and compares naive times; ours are UTC throughout
TIME_ZONE = "UTC"
USE_I18N = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024  # a full run is sent in one request

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Before the applications, so that our base_site.html wins over Codespeed's.
        "DIRS": [Path(__file__).parent / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["boost_dashboard.templatetags.legacy_conditions"],
            "context_processors": ["django.template.context_processors.request"],
        },
    }
]

# Static files are served from the packages that hold them: nothing is copied, so an interrupted
# start can leave nothing half-written behind.
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
# What set-up fetched from npm.
PLOTS = ROOT / ".cache" / "frontend" / "uplot"
STATICFILES_DIRS = [("vendor/uplot", PLOTS)]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Every script and style is a file of ours; nothing inline, nothing from elsewhere.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "boost_dashboard.server.log_lines.OneLine",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # Without its own handlers, which would mail errors to administrators that do not exist.
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        # What a client did wrong is in the line of its request; errors of ours have a traceback.
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "CRITICAL"},
        "waitress": {"level": "WARNING"},
        "waitress.queue": {"level": "ERROR"},
        "matplotlib": {"level": "WARNING"},
        "codespeed": {"level": "WARNING"},  # lines per request, about nothing
    },
}
# No page has a form or a session: what a token in a header protects cannot be forged from another
# site. TLS, its redirect and its header belong to the proxy in front.
SILENCED_SYSTEM_CHECKS = ["security.W003", "security.W004", "security.W008"]

# Codespeed: the defaults of the package, then ours.
from codespeed.settings import *  # noqa: E402, F403

with LINES_FILE.open("rb") as _file:
    DEFAULT_LINE = tomllib.load(_file)["default"]

PROJECTS = ("Flink",)  # of which results are taken
WEBSITE_NAME = "flink-boost"
DEF_EXECUTABLE = f"patched {DEFAULT_LINE}"
TIMELINE_GRID_PAGING = 10
CHANGE_THRESHOLD = 2.0  # per cent
SHOW_AUTHOR_EMAIL_ADDRESS = False
# Codespeed's own log-in stays out of the way: WriteToken checks every request before it.
ALLOW_ANONYMOUS_POST = True

"""Entry point of the WSGI server: ``gunicorn boost_dashboard.wsgi:application``."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "boost_dashboard.settings")
application = get_wsgi_application()

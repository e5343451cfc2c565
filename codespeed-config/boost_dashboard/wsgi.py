"""Entry point of the WSGI server: ``gunicorn boost_dashboard.wsgi:application``.

All that pages need is loaded here, before the server forks: the first visitor does not wait for it.
"""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "boost_dashboard.settings")
application = get_wsgi_application()
get_resolver().check()

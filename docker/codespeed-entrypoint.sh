#!/bin/sh
# `serve` makes the database ready and becomes the server; anything else is run as a command.
# The environment is that of codespeed-config/boost_dashboard/configuration.py.
set -eu
python=/opt/flink-boost/.venv/bin/python
case ${1:-serve} in
    serve)
        "$python" manage.py prepare_dashboard
        exec "$python" -m gunicorn --config gunicorn.conf.py --bind "0.0.0.0:$PORT" \
            boost_dashboard.wsgi:application
        ;;
    *) exec "$@" ;;
esac

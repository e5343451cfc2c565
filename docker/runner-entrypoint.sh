#!/bin/sh
# `nightly` brings the checkout in /srv up to date, builds, measures, publishes; options behind it go to
# `flink-boost nightly`. Anything else is run as a command in the checkout.
#
#   FLINK_BOOST_REPOSITORY   address to clone and pull from; without it the checkout stays as it is
#   FLINK_BOOST_BRANCH       branch; default main
#   FLINK_BOOST_CHECKOUT     its folder; default /srv/flink-boost
#   FLINK_BOOST_GROUP        group of benchmarks; default: that of `flink-boost nightly`
#   FLINK_BOOST_LINE         Flink release; default all
#   FLINK_BOOST_CODESPEED_URL  dashboard to upload to; without it results stay in the spool
set -eu

checkout=${FLINK_BOOST_CHECKOUT:-/srv/flink-boost}
branch=${FLINK_BOOST_BRANCH:-main}

if [ -n "${FLINK_BOOST_REPOSITORY:-}" ]; then
    [ -d "$checkout/.git" ] || git clone --branch "$branch" "$FLINK_BOOST_REPOSITORY" "$checkout"
    git -C "$checkout" fetch --quiet "$FLINK_BOOST_REPOSITORY" "$branch"
    git -C "$checkout" checkout --quiet --detach FETCH_HEAD
fi
if [ ! -f "$checkout/lines.toml" ]; then
    echo "flink-boost runner: there is no checkout in $checkout: mount one, or set" \
        "FLINK_BOOST_REPOSITORY." >&2
    exit 4
fi
cd "$checkout"

case ${1:-nightly} in
    nightly)
        # Built apart, without the secrets: the night takes what is there.
        env -u FLINK_BOOST_TOKEN_FILE make setup jars
        [ $# -eq 0 ] || shift
        [ -z "${FLINK_BOOST_LINE:-}" ] || set -- --line "$FLINK_BOOST_LINE" "$@"
        [ -z "${FLINK_BOOST_GROUP:-}" ] || set -- --group "$FLINK_BOOST_GROUP" "$@"
        exec .venv/bin/flink-boost nightly --no-build "$@"
        ;;
    *) exec "$@" ;;
esac

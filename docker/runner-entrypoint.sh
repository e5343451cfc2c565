#!/bin/sh
# `nightly` brings the checkout in /srv up to date, builds, measures, publishes. Anything else is run
# as a command in the checkout.
#
#   FLINK_BOOST_REPOSITORY   address to clone and pull from; without it the checkout stays as it is
#   FLINK_BOOST_BRANCH       branch; default main
#   FLINK_BOOST_CHECKOUT     its folder; default /srv/flink-boost
#   FLINK_BOOST_GROUP        group of benchmarks; default spine
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
        # The same stages as the Jenkinsfile, in the same order.
        make setup build
        measured=0
        .venv/bin/flink-boost bench --group "${FLINK_BOOST_GROUP:-spine}" --purpose nightly || measured=$?
        # 6: forks failed. What the others gave is published all the same, and the code told at the end.
        [ "$measured" -eq 0 ] || [ "$measured" -eq 6 ] || exit "$measured"
        # 5: something stays unsent or has gaps, which a night with failed forks always ends with.
        sent=0
        [ -z "${FLINK_BOOST_CODESPEED_URL:-}" ] || .venv/bin/flink-boost upload || sent=$?
        .venv/bin/flink-boost detect
        .venv/bin/flink-boost report
        [ "$measured" -eq 0 ] || exit "$measured"
        exit "$sent"
        ;;
    *) exec "$@" ;;
esac

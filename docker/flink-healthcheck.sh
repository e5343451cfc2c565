#!/usr/bin/env bash
# Healthy is a JobManager or history server that answers, and a TaskManager that a JobManager counts among
# its own. Where they answer by TLS only, it is enough that somebody listens there.
set -euo pipefail

if [ ! -f "$FLINK_HOME/run/health" ]; then
    echo "no Flink process was started here"
    exit 1
fi
role='' job_manager='' port='' tls=''
# shellcheck disable=SC1091 # written by flink-entrypoint.sh
. "$FLINK_HOME/run/health"

# get HOST PATH: the answer's body, when it is 200
get() {
    local status
    exec 3<> "/dev/tcp/$1/${port:-8081}"
    printf 'GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n' "$2" "$1" >&3
    IFS= read -r -t 5 status <&3
    [[ $status == HTTP/*" 200 "* ]] || { echo "$1 answered: $status" && exit 1; }
    timeout 5 cat <&3
    exec 3>&-
}

if [ "$tls" = true ]; then
    host=localhost
    [ "$role" != taskmanager ] || host=${job_manager:-localhost}
    exec 3<> "/dev/tcp/$host/$port"
    echo "$host listens on port $port"
    exit 0
fi

case $role in
    jobmanager)
        get localhost /overview | grep -o '"slots-total":[0-9]*'
        ;;
    taskmanager)
        known=$(get "${job_manager:-localhost}" /taskmanagers)
        # Flink chooses one of the machine's addresses, or a name.
        for name in $(hostname -I) $(hostname -i 2> /dev/null) "$(hostname)" localhost 127.0.0.1; do
            if [[ $known == *"@$name:"* ]]; then
                echo "registered as $name"
                exit 0
            fi
        done
        echo "${job_manager:-localhost} does not know this TaskManager"
        exit 1
        ;;
    history-server)
        get localhost /config | grep -o '"flink-version":"[^"]*"'
        ;;
esac

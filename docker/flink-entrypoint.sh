#!/usr/bin/env bash
# Starts one Flink process in the foreground, named by the first argument; `help` explains. Anything
# else is run as a command.
#
# The configuration that counts is made anew at each start, in FLINK_CONF_DIR, from what the image or
# a volume has in FLINK_HOME/conf: a restarted container never adds a property twice, and a mounted
# configuration may be read-only.
set -euo pipefail

readonly shipped="$FLINK_HOME/conf"
: "${FLINK_CONF_DIR:=$FLINK_HOME/run/conf}"
export FLINK_CONF_DIR
readonly health="$FLINK_HOME/run/health"

explain() {
    cat <<TEXT
Apache Flink with flink-boost. Arguments:

  jobmanager [ARGUMENT...]       a JobManager that waits for jobs
  standalone-job [ARGUMENT...]   a JobManager for the one job in usrlib/ (--job-classname CLASS)
  taskmanager [ARGUMENT...]      a TaskManager
  history-server [ARGUMENT...]   the server for finished jobs
  help                           this text
  COMMAND [ARGUMENT...]          any other command, for example: flink run JAR

Environment:

  FLINK_PROPERTIES                     lines of the form "key: value", which override the configuration
  JOB_MANAGER_RPC_ADDRESS              host name of the JobManager
  TASK_MANAGER_NUMBER_OF_TASK_SLOTS    slots of a TaskManager

The kill switch of flink-boost: FLINK_PROPERTIES="env.java.default-opts.all: -Dflink.boost.mode=off"
(Flink 1.9: env.java.opts).
TEXT
}

fail() {
    echo "flink-boost image: $*" >&2
    exit 2
}

# The overriding properties as key=value, one per line; the last one of a key counts.
properties() {
    if [ -n "${JOB_MANAGER_RPC_ADDRESS:-}" ]; then
        echo "jobmanager.rpc.address=$JOB_MANAGER_RPC_ADDRESS"
    fi
    if [ -n "${TASK_MANAGER_NUMBER_OF_TASK_SLOTS:-}" ]; then
        echo "taskmanager.numberOfTaskSlots=$TASK_MANAGER_NUMBER_OF_TASK_SLOTS"
    fi
    local line
    while IFS= read -r line; do
        line="${line#"${line%%[![:space:]]*}"}"
        line="${line%"${line##*[![:space:]]}"}"
        case $line in
            "" | "#"*) ;;
            [[:alnum:]]*": "*) echo "${line%%: *}=${line#*: }" ;;
            *) fail "FLINK_PROPERTIES has a line that is not of the form \"key: value\": $line" ;;
        esac
    done <<< "${FLINK_PROPERTIES:-}"
}

configure() {
    if [ "$FLINK_CONF_DIR" != "$shipped" ]; then
        rm -rf "$FLINK_CONF_DIR"
        mkdir -p "$FLINK_CONF_DIR"
        # Links of a mounted ConfigMap are followed, owners are not kept.
        cp -RL --no-preserve=all "$shipped/." "$FLINK_CONF_DIR"
    fi
    local list
    list=$(properties)
    if [ -f "$FLINK_CONF_DIR/flink-conf.yaml" ]; then
        # The older form: the last line of a key counts, for the scripts and for Flink.
        if [ -n "$list" ]; then
            { echo; sed 's/=/: /' <<< "$list"; } >> "$FLINK_CONF_DIR/flink-conf.yaml"
        fi
        return
    fi
    local options=() line
    while IFS= read -r line; do
        [ -z "$line" ] || options+=("-D$line")
    done <<< "$list"
    if [ ${#options[@]} -gt 0 ]; then
        # Flink's own program, which knows that "a: {b: c}" and "a.b: c" are the same.
        "$FLINK_HOME/bin/config-parser-utils.sh" "$FLINK_CONF_DIR" "$FLINK_HOME/bin" \
            "$FLINK_HOME/lib" "${options[@]}" || fail "FLINK_PROPERTIES cannot be used."
    fi
}

# What the health check asks for, so that it need not read the configuration each time.
note_for_health_check() {
    local role=$1 asked
    # In a shell of its own: Flink's script is not made for -eu, and sets what it finds.
    asked=$(
        set +eu
        # shellcheck disable=SC1091 # it is Flink's
        . "$FLINK_HOME/bin/config.sh"
        printf 'job_manager=%q\nport=%q\n' \
            "$(readFromConfig jobmanager.rpc.address localhost "$YAML_CONF")" \
            "$(readFromConfig rest.port 8081 "$YAML_CONF")"
    )
    printf 'role=%s\n%s\n' "$role" "$asked" > "$health.new"
    mv "$health.new" "$health"
}

start() {
    local role=$1 script=$2
    shift 2
    configure
    note_for_health_check "$role"
    exec "$FLINK_HOME/bin/$script" start-foreground "$@"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
    help) explain ;;
    jobmanager) start jobmanager jobmanager.sh "$@" ;;
    standalone-job) start jobmanager standalone-job.sh "$@" ;;
    taskmanager) start taskmanager taskmanager.sh "$@" ;;
    history-server) start history-server historyserver.sh "$@" ;;
    *)
        configure
        exec "$command" "$@"
        ;;
esac

#!/usr/bin/env bash
# Starts one Flink process in the foreground, named by the first argument; `help` explains. Anything
# else is run as a command.
#
# The configuration that counts is made anew at each start, in FLINK_HOME/run/conf, from what the
# image or a volume has in FLINK_HOME/conf, or where FLINK_CONF_DIR is: a restarted container never
# adds a property twice, and a mounted configuration is only read.
set -euo pipefail

readonly given="${FLINK_CONF_DIR:-}"
readonly made="$FLINK_HOME/run/conf" mark="$FLINK_HOME/run/made-conf"
export FLINK_CONF_DIR="$made"
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
  FLINK_CONF_DIR                       a configuration elsewhere than in $FLINK_HOME/conf

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
    local source target
    target=$(realpath --canonicalize-missing -- "$made")
    source=$(realpath --canonicalize-missing -- "${given:-$made}")
    case $source in
        "$target") source=$FLINK_HOME/conf ;;
        "$target"/*) fail "FLINK_CONF_DIR is in $made, which is made anew at each start" ;;
    esac
    [ -d "$source" ] || fail "there is no folder $source for the configuration (FLINK_CONF_DIR)"
    # What somebody else put there is not ours to delete.
    if [ -e "$made" ] && [ ! -e "$mark" ]; then
        fail "$made is made at each start; mount a configuration at $FLINK_HOME/conf"
    fi
    rm -rf "$made"
    : > "$mark"
    mkdir -p "$made"
    # Links of a mounted ConfigMap are followed, owners are not kept.
    cp -RL --no-preserve=all "$source/." "$made"
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
        # Flink's own program, which knows that "a: {b: c}" and "a.b: c" are the same. Not by its script
        # config-parser-utils.sh, which breaks values at spaces.
        local dist=("$FLINK_HOME"/lib/flink-dist*.jar) java=java answer
        [ -z "${JAVA_HOME:-}" ] || java=$JAVA_HOME/bin/java
        answer=$(
            "$java" -classpath "$FLINK_HOME/bin/bash-java-utils.jar:${dist[0]}" \
                org.apache.flink.runtime.util.bash.BashJavaUtils UPDATE_AND_GET_FLINK_CONFIGURATION \
                --configDir "$FLINK_CONF_DIR" "${options[@]}" 2>&1
        ) || fail "FLINK_PROPERTIES cannot be used: $answer"
        sed -n 's/^BASH_JAVA_UTILS_EXEC_RESULT://p' <<< "$answer" > "$FLINK_CONF_DIR/config.yaml"
        [ -s "$FLINK_CONF_DIR/config.yaml" ] || fail "FLINK_PROPERTIES cannot be used: $answer"
    fi
}

# What the health check asks for, so that it need not read the configuration each time.
note_for_health_check() {
    local role=$1 asked port="rest.port 8081" tls=security.ssl.rest.enabled
    if [ "$role" = history-server ]; then
        port="historyserver.web.port 8082" tls=historyserver.web.ssl.enabled
    fi
    # Flink's own reading. Its script finds the rest of Flink by $0, and is not made for -eu.
    # shellcheck disable=SC2016 # for the other shell
    asked=$(bash -c 'port_key=$1 tls_key=$2
        . "$(dirname "$0")/config.sh" || exit
        asked() { readFromConfig "$1" "$2" "$YAML_CONF" | tr -d "\"\047"; }
        printf "job_manager=%q\nport=%q\ntls=%q\n" \
            "$(asked jobmanager.rpc.address localhost)" "$(asked $port_key)" "$(asked "$tls_key" false)"' \
        "$FLINK_HOME/bin/flink" "$port" "$tls") || fail "the configuration cannot be read: $asked"
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

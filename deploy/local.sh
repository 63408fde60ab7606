#!/bin/sh
# The same processes on one machine without containers: a server, a brain, and hands on two hosts. Ctrl-C ends them all.
#
#     deploy/local.sh [FOLDER]
#
# Uses ralph and ralph-fleet from PATH, or from FLEET_RALPH and FLEET_BIN. Loops may name repositories in FLEET_LOCAL by path.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$here/target/fleet-local}
fleet=${FLEET_BIN:-ralph-fleet}
port=${FLEET_PORT:-7233}
export TEMPORAL_ADDRESS="127.0.0.1:$port"
give_up() {
    echo "error: $1" >&2
    echo "help: $2" >&2
    exit 2
}
for program in "$fleet" "${FLEET_RALPH:-ralph}"; do
    command -v "$program" >/dev/null || give_up "$program is not on PATH" "just fleet-build, then add target/fleet to PATH"
done
mkdir -p "$folder"
started=
server_process=
leave() {
    trap - INT TERM EXIT
    for one in $started; do kill "$one" 2>/dev/null || true; done
    # The second signal ends running stints without further grace.
    sleep 1
    for one in $started; do kill "$one" 2>/dev/null || true; done
    for one in $started; do wait "$one" || true; done
    # The server ends last, because workers report to it what they hand over.
    test -z "$server_process" || kill "$server_process" 2>/dev/null || true
    wait
}
trap leave EXIT
trap 'exit 130' INT TERM

server=$(python3 "$here/scripts/fleet_server.py" install)
is_up() { "$server" operator cluster health --address "$TEMPORAL_ADDRESS" >/dev/null 2>&1; }
! is_up || give_up "a server is already running at $TEMPORAL_ADDRESS" "stop it, or choose another port with FLEET_PORT"
python3 "$here/scripts/fleet_server.py" start --port "$port" --folder "$folder/server" >"$folder/server.log" 2>&1 &
server_process=$!
until is_up; do
    kill -0 "$server_process" 2>/dev/null \
        || give_up "the server did not start: $(tail -n 1 "$folder/server.log")" "choose another port with FLEET_PORT"
    sleep 0.2
done

"$fleet" worker --host brain --role brain &
started="$started $!"
for host in one two; do
    "$fleet" worker --host "$host" --role hands --slots 2 --root "$folder/$host" ${FLEET_LOCAL:+--local "$FLEET_LOCAL"} &
    started="$started $!"
done
echo "type: export TEMPORAL_ADDRESS=$TEMPORAL_ADDRESS, then ralph fleet submit; Ctrl-C here ends everything" >&2
wait

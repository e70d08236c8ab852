#!/bin/sh
# Load on the server at TARGET, over CONNECTIONS connections.
#
#   SECONDS_WARM, SECONDS_LOAD   one run. The first seconds are not counted: they fill the cache, and a JVM compiles what
#                                it runs most
#   RATE                         about so many requests a second, until it is stopped; 0 for a run
#   SCRIPT                       mix.lua, or channels.lua
set -eu
script=/load/${SCRIPT:-mix.lua}
threads=2
[ "$CONNECTIONS" -ge "$threads" ] || threads=1

run() {
    wrk -t "$threads" -c "$CONNECTIONS" --timeout 20s -s "$script" "$@" "$TARGET"
}

if [ "${RATE:-0}" -gt 0 ]; then
    trap 'exit 0' TERM INT
    while :; do
        # wait ends at a signal, wrk would not before its time.
        run -d 60s > /dev/null & wait $! || sleep 1
    done
fi
if [ "$SECONDS_WARM" -gt 0 ]; then
    run -d "${SECONDS_WARM}s" > /dev/null
fi
run -d "${SECONDS_LOAD}s" --latency

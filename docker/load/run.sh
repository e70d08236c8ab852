#!/bin/sh
# Load on the server at TARGET, over CONNECTIONS connections.
#
#   SECONDS_WARM, SECONDS_LOAD   one run. The first seconds are not counted: they fill the cache, and a JVM compiles what
#                                it runs most
#   RATE                         about so many requests a second, until it is stopped; 0 for a run. TARGET may have
#                                several servers then, with spaces between: each gets so many
#   SCRIPT                       mix.lua, or channels.lua
set -eu
script=/load/${SCRIPT:-mix.lua}
threads=2
[ "$CONNECTIONS" -ge "$threads" ] || threads=1

run() {
    wrk -t "$threads" -c "$CONNECTIONS" --timeout 20s -s "$script" "$@"
}
# keep SERVER: again and again; one that is away is tried each second.
keep() {
    while :; do
        run -d 60s "$1" > /dev/null || sleep 1
    done
}

if [ "${RATE:-0}" -gt 0 ]; then
    trap 'exit 0' TERM INT
    for server in $TARGET; do
        keep "$server" &
    done
    # Ends at a signal; wrk would not before its time. With this process, the container's first, all others end.
    wait
fi
if [ "$SECONDS_WARM" -gt 0 ]; then
    run -d "${SECONDS_WARM}s" "$TARGET" > /dev/null
fi
run -d "${SECONDS_LOAD}s" --latency "$TARGET"

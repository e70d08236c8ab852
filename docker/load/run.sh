#!/bin/sh
# One run of load against the edge. The first seconds are not counted: they fill the cache, and a JVM
# compiles what it runs most.
set -eu
threads=2
[ "$CONNECTIONS" -ge "$threads" ] || threads=1

if [ "$SECONDS_WARM" -gt 0 ]; then
    wrk -t "$threads" -c "$CONNECTIONS" -d "${SECONDS_WARM}s" --timeout 20s -s /load/mix.lua "$TARGET" > /dev/null
fi
exec wrk -t "$threads" -c "$CONNECTIONS" -d "${SECONDS_LOAD}s" --timeout 20s --latency -s /load/mix.lua "$TARGET"

#!/bin/sh
# Starts a fresh Forebay as one of the peers of a side-by-side run, on the CPUs that the caller has pinned
# it to: plain HTTP on 9110, TLS on 9210 if there is a certificate, admin API on 9310, origin on 9000.
# `benchmarks/peers` calls it; docs/BENCHMARKS.md has the command.
#
#   LAB              directory of the run: cert.pem and key.pem, if any, and what it keeps besides memory
#   PEER_ROOT        the checkout to start, default the one of this script
#   PEER_THREADS     event loops, default 1
#   PEER_ACCESS_LOG  a file, or off (the default)
#   PEER_MEMORY      size of the memory tier, default 2GiB
#   PEER_MEMORY_DIR  its directory, a tmpfs, default /dev/shm/forebay-peer; emptied
#   PEER_CONFIG      a configuration file with the origin and whatever else; the options below win over it
#   PEER_AOT         an AOT cache instead of the one beside the jar, or off
#   PEER_KEEP        anything: what is in the directories stays
set -eu
root=${PEER_ROOT:-$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)}
data=${LAB:?}/forebay-data
memory=${PEER_MEMORY_DIR:-/dev/shm/forebay-peer}

# Other peers start with an empty cache too.
if [ -z "${PEER_KEEP:-}" ]; then
    rm -rf "$data" "$memory"
fi
mkdir -p "$data" "$memory"

if [ -n "${PEER_CONFIG:-}" ]; then
    set -- --config "$PEER_CONFIG"
else
    set -- --origin http://127.0.0.1:9000
fi
if [ -f "$LAB/cert.pem" ]; then
    set -- "$@" --listen-tls 127.0.0.1:9210 --cert "$LAB/cert.pem" --key "$LAB/key.pem"
fi
if [ -n "${PEER_AOT:-}" ]; then
    export FOREBAY_AOT_CACHE="$PEER_AOT"
fi

exec "$root/forebay" serve "$@" --listen 127.0.0.1:9110 --admin 127.0.0.1:9310 \
    --threads "${PEER_THREADS:-1}" --access-log "${PEER_ACCESS_LOG:-off}" \
    --memory "${PEER_MEMORY:-2GiB}" --memory-dir "$memory" --data "$data"

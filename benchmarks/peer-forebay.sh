#!/bin/sh
# Starts a fresh Forebay as one of the peers of a side-by-side run: one loop on the CPU that the caller
# has pinned it to, access log off, everything it keeps below $LAB, where cert.pem and key.pem lie.
# Plain HTTP on 9110, TLS on 9210, origin on 9000. docs/BENCHMARKS.md has the command.
#
#   LAB          directory of the run
#   PEER_MEMORY  size of the memory tier, default 2GiB
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)
data=${LAB:?}/forebay-data
memory=/dev/shm/forebay-peer

# Other peers start with an empty cache too.
rm -rf "$data" "$memory"
mkdir -p "$data" "$memory"

exec "$root/forebay" serve --origin http://127.0.0.1:9000 \
    --listen 127.0.0.1:9110 --listen-tls 127.0.0.1:9210 --cert "$LAB/cert.pem" --key "$LAB/key.pem" \
    --admin 127.0.0.1:9310 --threads 1 --access-log off \
    --memory "${PEER_MEMORY:-2GiB}" --memory-dir "$memory" --data "$data"

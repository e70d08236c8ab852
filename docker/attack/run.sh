#!/bin/sh
# Runs all attacks on edge-tls, whose network it shares, and prints what was refused, what another client was served
# meanwhile, and the memory of the node before and after.
set -eu
exec java -XX:+UseSerialGC -Xmx256m -cp /opt/attack/benchmarks.jar io.forebay.benchmarks.attack.AttackRound \
    8080 8443 8081 /secrets/admin-token /secrets/ca.pem "${SECONDS_EACH:-10}"

#!/usr/bin/env bash
# Walks through README.md with a real engine, without any registry of images:
#
#   JAVA_HOME=… docker/test/engine.sh
#
# The base image is Debian, by debootstrap, with the packages that the services need and the JDK of JAVA_HOME; it gets the
# names that compose.yaml asks for. dockerd (Debian's docker.io) runs in namespaces of its own for processes, mounts and
# network: bridges and rules of iptables are never seen outside, and whatever runs ends with the script. Its driver is
# overlay2, or vfs where no overlay can be mounted (then it takes 12 GB of disk, and minutes more).
#
# Wants root, Debian's packages docker.io, docker-compose, debootstrap and curl, 3 GB of disk below ENGINE_DIRECTORY
# (default /var/tmp), and the jars of cache-cli and, for the profiles live, faulty and attack, of lab and benchmarks.
# ENGINE_ROOT names a directory in which a base is kept between runs.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"

say() {
    echo "engine: $*"
}
fail() {
    echo "engine: $*" >&2
    exit 1
}

if [ -z "${ENGINE_INSIDE:-}" ]; then
    [ "$(id -u)" = 0 ] || fail "needs root"
    for program in dockerd docker-compose debootstrap curl ip unshare; do
        command -v "$program" > /dev/null \
            || fail "$program is missing: apt-get install docker.io docker-compose debootstrap curl iproute2 util-linux"
    done
    [ -x "${JAVA_HOME:-}/bin/javac" ] || fail "JAVA_HOME names no JDK"
    [ -s cache-cli/target/forebay.jar ] || fail "cache-cli/target/forebay.jar is missing: mvn package -pl cache-cli -am"
    [ -s cache-cli/target/classes/META-INF/sbom/forebay.cdx.json ] \
        || fail "the bill of materials is missing, which mvn -o does not make: mvn package -pl cache-cli -am"

    work=$(mktemp -d "${ENGINE_DIRECTORY:-/var/tmp}/forebay-engine-XXXXXX")
    shm=$(mktemp -d /dev/shm/forebay-engine-XXXXXX)
    clean() {
        rm -rf "$work" "$shm"
        # Control groups of containers that are gone; a group that is not empty stays.
        find /sys/fs/cgroup -mindepth 1 -depth -type d -path "*${work##*/}*" -exec rmdir {} + 2> /dev/null || true
    }
    trap clean EXIT

    base=${ENGINE_ROOT:-$work/base}
    if [ ! -e "$base/done" ]; then
        say "making the base image"
        mkdir -p "$base"
        # Where this machine has its packages from.
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
        debootstrap --variant=minbase \
            --include=bash,ca-certificates,nghttp2-client,nginx-light,openssl,procps,prometheus,slowhttptest,wrk \
            bookworm "$base/root" "$mirror" > "$base/log" 2>&1 || {
            tail -n 20 "$base/log" >&2
            fail "debootstrap failed"
        }
        rm -rf "$base/root/var/cache/apt/archives" "$base/root/var/lib/apt/lists"
        (cd "$base/root/usr/share" && rm -rf doc fonts i18n icons info locale man)
        mkdir -p "$base/root/opt/java"
        cp -rL "$JAVA_HOME" "$base/root/opt/java/openjdk"
        rm -rf "$base/root/opt/java/openjdk/lib/src.zip" "$base/root/opt/java/openjdk/jmods"
        touch "$base/done"
    fi

    # Not "exec": the trap is still to run.
    ENGINE_INSIDE=yes ENGINE_WORK=$work ENGINE_BASE=$base/root SHM_DIRECTORY=$shm/memory \
        setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --mount-proc "$0"
    exit
fi

# --- in the namespaces ---------------------------------------------------------------------------

work=$ENGINE_WORK
ip link set lo up
export DOCKER_HOST=unix://$work/docker.sock
# Debian's own client and builder.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0

driver=vfs
mkdir -p "$work/overlay/"{lower,upper,work,merged}
if mount -t overlay overlay -o "lowerdir=$work/overlay/lower,upperdir=$work/overlay/upper,workdir=$work/overlay/work" \
    "$work/overlay/merged" 2> /dev/null; then
    umount "$work/overlay/merged"
    driver=overlay2
fi

say "starting dockerd with $driver"
dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/docker.pid" \
    --storage-driver "$driver" --cgroup-parent "/${work##*/}" > "$work/dockerd.log" 2>&1 &
engine=$!
up=
for _ in $(seq 300); do
    kill -0 "$engine" 2> /dev/null || break
    if docker version > /dev/null 2>&1; then
        up=yes
        break
    fi
    sleep 0.2
done
[ -n "$up" ] || { tail -n 30 "$work/dockerd.log" >&2; fail "dockerd did not start"; }

stop() {
    code=$?
    if [ "$code" != 0 ]; then
        compose --profile obs --profile tls --profile shield --profile live ps >&2 || true
        compose --profile obs --profile tls --profile shield --profile live logs --tail 40 >&2 || true
        tail -n 30 "$work/dockerd.log" >&2
    fi
    compose --profile obs --profile tls --profile shield --profile live --profile faulty --profile attack down -v \
        > /dev/null 2>&1 || true
    kill "$engine" 2> /dev/null || true
    wait "$engine" || true
    exit "$code"
}

compose() {
    docker-compose -f docker/compose.yaml "$@"
}
trap stop EXIT

# Settings of compose.yaml that name images; the rest is as a stranger finds it.
value() {
    sed -n "s/^$1=//p" docker/.env
}
base_image=$(value BASE_IMAGE)
say "importing the base as $base_image"
tar -C "$ENGINE_BASE" --exclude='./proc/*' --exclude='./sys/*' -c . | docker import \
    --change 'ENV PATH=/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    --change 'ENV JAVA_HOME=/opt/java/openjdk' - "$base_image" > /dev/null
for name in ORIGIN_IMAGE DEBIAN_IMAGE; do
    docker tag "$base_image" "$(value $name)"
done
docker build -q -t "$(value PROMETHEUS_IMAGE)" - > /dev/null << PROMETHEUS
FROM $base_image
ENTRYPOINT ["/usr/bin/prometheus"]
PROMETHEUS

# build ARGUMENTS of compose: what the builder says is shown if it fails.
build() {
    compose "$@" > "$work/build.log" 2>&1 || {
        tail -n 40 "$work/build.log" >&2
        fail "the build failed"
    }
}
# healthy SERVICE: waits for its health check.
healthy() {
    local id state
    id=$(docker ps -q --filter "label=com.docker.compose.service=$1")
    for _ in $(seq 600); do
        state=$(docker inspect --format '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}' "$id")
        [ "$state" != healthy ] || return 0
        sleep 0.5
    done
    fail "$1 is $state"
}
# cache URL: what its Cache-Status says.
cache() {
    curl -sS --max-time 30 -o /dev/null -D - "$@" | tr -d '\r' | sed -n 's/^[Cc]ache-[Ss]tatus: //p'
}
# expect TEXT HAVING WHAT
expect() {
    case $1 in
    *"$2"*) say "$3: $1" ;;
    *) fail "$3: expected '$2', got '$1'" ;;
    esac
}
# until WHAT COMMAND...: repeats it until it ends well.
until_well() {
    local what=$1
    shift
    for _ in $(seq 240); do
        if "$@"; then
            say "$what"
            return 0
        fi
        sleep 0.5
    done
    fail "not within two minutes: $what"
}
segment=http://127.0.0.1:8080/channel/7/0

say "profile one: building the image, with its AOT cache"
build build edge
compose up -d
healthy edge
expect "$(cache $segment)" "fwd=" "the first request"
expect "$(cache $segment)" "hit" "the second"
expect "$(cache http://127.0.0.1:8080/channel/8/0)$(cache http://127.0.0.1:8080/channel/8/0)" "hit" "another channel"

say "profile obs, without Grafana, whose image cannot be had"
build --profile obs build visitors
compose --profile obs up -d edge visitors prometheus
healthy edge
query() {
    curl -sS --max-time 10 -G --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query 2> /dev/null \
        | grep -q '"result":\[{'
}
until_well "Prometheus scrapes the edge with its token" query 'up{job="forebay",instance="edge"} == 1'
until_well "visitors ask" query 'forebay:requests:rate1m > 50'
until_well "the rules record a hit ratio" query 'forebay:hit_ratio:rate5m > 0'

say "purging channel 7"
compose exec -T edge forebay purge --tag channel-7
expect "$(cache $segment)" "fwd=" "after the purge"
expect "$(cache http://127.0.0.1:8080/channel/8/0)" "hit" "the other channel"
expect "$(cache $segment)" "hit" "stored again"

say "killing the edge"
compose kill -s KILL edge
until_well "Prometheus misses it" query 'up{job="forebay",instance="edge"} == 0'
compose up -d --no-deps edge
healthy edge
expect "$(cache $segment)" "hit" "after the kill"
compose exec -T edge forebay stats

say "profile tls"
compose --profile tls up -d edge-tls
healthy edge-tls
compose --profile tls exec -T edge-tls cat /secrets/ca.pem > "$work/ca.pem"
cache --cacert "$work/ca.pem" https://localhost:8443/small/0 > /dev/null
expect "$(cache --cacert "$work/ca.pem" https://localhost:8443/small/0)" "hit" "over TLS"

say "profile shield"
compose --profile shield up -d shield edge-shielded
healthy edge-shielded
cache http://127.0.0.1:8085/page/1 > /dev/null
expect "$(cache http://127.0.0.1:8085/page/1)" "hit" "through two edges"

if [ -s lab/target/forebay-lab.jar ]; then
    say "profile live"
    build --profile live build ladder
    compose --profile live up -d
    healthy edge-live
    newest() {
        cache "http://127.0.0.1:8086/channel-01/variant07/dash-high-audio/256KB/$(($(date +%s) / 6 - 2)).m4s"
    }
    newest > /dev/null
    expect "$(newest)" "hit" "a live segment"

    say "profile faulty"
    compose --profile faulty up -d
    healthy edge-faulty
    is_hit() {
        [[ $(cache -H "Host: $1.localhost" http://127.0.0.1:8087/o/10240/a) = *hit* ]]
    }
    for fault in slow failing flapping; do
        until_well "an object of the $fault origin is stored" is_hit "$fault"
    done
else
    say "profiles live and faulty left out: lab/target/forebay-lab.jar is not built"
fi
if [ -s benchmarks/target/benchmarks.jar ]; then
    say "profile attack"
    build --profile attack build attack
    ATTACK_SECONDS=3 compose --profile attack run --rm attack
else
    say "profile attack left out: benchmarks/target/benchmarks.jar is not built"
fi
say "all as README.md says"

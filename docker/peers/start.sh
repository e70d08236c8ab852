#!/bin/sh
# Becomes one of the caches, on port 8080 before http://origin:9000, with MEMORY_MIB of memory for what it keeps. Writes to
# /tmp only.
set -eu
memory=${MEMORY_MIB:-512}
case ${1:-} in
nginx)
    # Its files are in a tmpfs: memory, as for the others.
    sed "s/MEMORY_MIB/$memory/" /peers/nginx.conf > /tmp/nginx.conf
    exec nginx -p /tmp -e /dev/stderr -c /tmp/nginx.conf
    ;;
trafficserver)
    cp -r /etc/trafficserver /tmp/etc
    mkdir -p /tmp/cache /tmp/var/log/trafficserver /tmp/var/trafficserver /tmp/run/trafficserver
    echo 'map / http://origin:9000/' > /tmp/etc/remap.config
    echo "/tmp/cache ${memory}M" > /tmp/etc/storage.config
    sed "s/MEMORY_MIB/$memory/" /peers/records.config > /tmp/etc/records.config
    cat > /tmp/runroot.yaml <<'RUNROOT'
prefix: /tmp
exec_prefix: /usr
bindir: /usr/bin
sbindir: /usr/sbin
sysconfdir: /tmp/etc
datadir: /tmp/cache
includedir: /usr/include
libdir: /usr/lib
libexecdir: /usr/lib/trafficserver/modules
localstatedir: /tmp/var
runtimedir: /tmp/run/trafficserver
logdir: /tmp/var/log/trafficserver
cachedir: /tmp/cache
RUNROOT
    exec traffic_server --run-root=/tmp/runroot.yaml
    ;;
varnish)
    exec varnishd -F -j none -n /tmp/varnish -a :8080 -f /peers/varnish.vcl -s "malloc,${memory}m" \
        -p thread_pools=1 -p thread_pool_min=200 -p thread_pool_max=2000
    ;;
haproxy)
    # The most that its cache can have.
    [ "$memory" -le 4095 ] || memory=4095
    sed "s/MEMORY_MIB/$memory/" /peers/haproxy.cfg > /tmp/haproxy.cfg
    exec haproxy -db -f /tmp/haproxy.cfg
    ;;
*)
    echo "peers: nginx, trafficserver, varnish or haproxy, not '${1:-}'" >&2
    exit 2
    ;;
esac

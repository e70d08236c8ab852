#!/bin/sh
# cluster.sh DIRECTORY NODE...: makes what the nodes of compose.cluster.yaml need to know: a throw-away authority
# (cluster-ca.pem), a certificate with the URI of each node (NODE.pem, NODE.key), and the token of the admin API
# (admin-token). The authority's key is not kept. What is there and good for another day stays.
set -eu
cd "$1"
shift
command -v openssl > /dev/null || {
    echo "secrets: ORIGIN_IMAGE has no openssl; the nginx images of Debian do" >&2
    exit 69
}

good=yes
[ -s admin-token ] || good=
for node in "$@"; do
    openssl x509 -noout -checkend 86400 -in "$node.pem" > /dev/null 2>&1 || good=
done
[ -z "$good" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make() {
    openssl "$@" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
}
rm -f cluster-ca.pem
make req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=Forebay lab cluster" \
    -keyout "$work/ca.key" -out cluster-ca.pem
for node in "$@"; do
    cat > "$work/names" <<NAMES
subjectAltName=URI:forebay://lab/$node
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth,clientAuth
NAMES
    rm -f "$node.pem" "$node.key"
    make req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$node" \
        -keyout "$node.key" -out "$work/request"
    make x509 -req -in "$work/request" -CA cluster-ca.pem -CAkey "$work/ca.key" \
        -set_serial "0x$(openssl rand -hex 16)" -days 30 -extfile "$work/names" -out "$node.pem"
    chmod 0444 "$node.pem"
    chmod 0400 "$node.key"
    if [ "$(id -u)" = 0 ]; then
        chown 10001:10001 "$node.key"
    fi
done
[ -s admin-token ] || openssl rand -hex 32 > admin-token
chmod 0444 cluster-ca.pem admin-token

#!/bin/sh
# Makes what the edges of the lab need to know: a throw-away authority (ca.pem), a certificate signed by it
# (certificate.pem, key.pem) and the token of the admin API (admin-token). The authority's key is not kept. What is
# there and good for another day stays.
set -eu
cd "${1:-/secrets}"
command -v openssl > /dev/null || {
    echo "secrets: ORIGIN_IMAGE has no openssl; the nginx images of Debian do" >&2
    exit 69
}

if [ -s admin-token ] && openssl x509 -noout -checkend 86400 -in certificate.pem > /dev/null 2>&1; then
    exit 0
fi
rm -f ca.pem certificate.pem key.pem admin-token

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/names" <<'NAMES'
subjectAltName=DNS:localhost,DNS:edge-tls,IP:127.0.0.1,IP:::1
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
NAMES
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=Forebay lab" \
    -keyout "$work/ca.key" -out ca.pem 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" \
    -keyout key.pem -out "$work/request" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
openssl x509 -req -in "$work/request" -CA ca.pem -CAkey "$work/ca.key" -set_serial "0x$(openssl rand -hex 16)" \
    -days 30 -extfile "$work/names" -out certificate.pem 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
openssl rand -hex 32 > admin-token

# Prometheus reads the token with another uid. Only services of the lab mount the volume.
chmod 0444 ca.pem certificate.pem admin-token
chmod 0400 key.pem
if [ "$(id -u)" = 0 ]; then
    chown 10001:10001 key.pem
fi

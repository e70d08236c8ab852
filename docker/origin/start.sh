#!/bin/sh
# Makes the files of the origin, then becomes nginx. Random bytes, so that nothing on the way can compress them.
set -eu

mkdir -p /tmp/www
head -c 10240 /dev/urandom > /tmp/www/small
head -c 102400 /dev/urandom > /tmp/www/page
head -c 2097152 /dev/urandom > /tmp/www/segment
echo "forebay origin" > /tmp/www/index.html

exec nginx -p /tmp -c /origin/nginx.conf -g 'daemon off;'

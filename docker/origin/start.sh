#!/bin/sh
# Makes the tree that the load job asks for, then becomes nginx. Random bytes, so that nothing on the
# way can compress them.
set -eu

# fill NAME COUNT BYTES
fill() {
    mkdir -p "/tmp/www/$1"
    i=0
    while [ "$i" -lt "$2" ]; do
        head -c "$3" /dev/urandom > "/tmp/www/$1/$i"
        i=$((i + 1))
    done
}

fill small 500 10240
fill page 100 102400
fill segment 16 2097152
fill private 1 1024
echo "forebay origin" > /tmp/www/index.html

exec nginx -p /tmp -c /origin/nginx.conf -g 'daemon off;'

#!/usr/bin/env python3
"""An edge whose middle tier is on DAX, between an origin and a client, in the virtual machine of `run`.

    edge.py JAR fill       stores objects and stops in order; most of them then lie in the middle tier
    edge.py JAR kept       after a reboot: what lay in the middle tier is served without the origin
    edge.py JAR cut        stores other objects, makes /mnt/out/cut and waits for the power to fail
    edge.py JAR empty      after that: the middle tier opens empty, and everything is fetched and right
"""
import functools
import hashlib
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request

DAX = '/mnt/dax'
OBJECTS = 120
LENGTH = 1 << 18
fetched = set()


@functools.cache
def body(path):
    return random.Random(path).randbytes(LENGTH - len(path))


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        fetched.add(self.path)
        data = body(self.path)
        self.send_response(200)
        self.send_header('Content-Length', str(len(data)))
        self.send_header('Cache-Control', 'max-age=86400')
        self.send_header('ETag', '"%s"' % hashlib.sha256(data).hexdigest())
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def get(url):
    with urllib.request.urlopen(url, timeout=600) as response:
        return response.read()


def start(jar, origin):
    log = open('/mnt/out/edge.log', 'ab')
    edge = subprocess.Popen(
        [os.environ.get('JAVA_HOME', '/usr') + '/bin/java', '-XX:+UseSerialGC',
         '-XX:ErrorFile=/mnt/out/hs_err.log', '-jar', jar, 'serve', '--origin', origin,
         '--listen', '127.0.0.1:8080', '--admin', '127.0.0.1:8081', '--memory', '16MiB',
         '--memory-dir', '/dev/shm/edge', '--tier', DAX + '/tier:64MiB', '--data', DAX + '/data'],
        stdout=log, stderr=log)
    deadline = time.monotonic() + 600
    while True:
        try:
            get('http://127.0.0.1:8081/readyz')
            return edge
        except OSError:
            if edge.poll() is not None or time.monotonic() > deadline:
                sys.exit('the edge does not come up: see edge.log')
            time.sleep(0.1)


def request_all(prefix):
    """Requests each object and compares it; how many came without the origin."""
    fetched.clear()
    for n in range(OBJECTS):
        path = '/%s/%d' % (prefix, n)
        if get('http://127.0.0.1:8080' + path) != body(path):
            sys.exit(path + ' is not what the origin sent')
    return OBJECTS - len(fetched)


def stop(edge):
    edge.send_signal(signal.SIGTERM)
    if edge.wait(600) != 0:
        sys.exit('the edge did not stop in order')


def tier():
    return json.loads(get('http://127.0.0.1:8081/v1/stats'))['store']['middleTiers'][0]


def expect(isRight, what):
    print(('ok   ' if isRight else 'FAIL ') + what, flush=True)
    if not isRight:
        sys.exit(1)


def main(jar, step):
    os.makedirs('/dev/shm/edge', exist_ok=True)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if os.path.exists('/mnt/out/edge.log'):
        os.rename('/mnt/out/edge.log', '/mnt/out/edge.log.before')
    edge = start(jar, 'http://127.0.0.1:%d' % server.server_address[1])
    log = open('/mnt/out/edge.log').read()
    expect('ext4 with MAP_SYNC' in log, 'the tier is mapped with MAP_SYNC')
    if step == 'fill':
        request_all('kept')
        hits = request_all('kept')
        expect(hits == OBJECTS, '%d of %d objects are hits in two tiers' % (hits, OBJECTS))
        expect(tier()['demotedRecords'] > OBJECTS / 2, 'most of them lie on DAX: %s' % tier())
        stop(edge)
    elif step == 'kept':
        expect(not os.listdir('/dev/shm/edge') or 'with what it held' in log, 'the tier opens with what it held')
        hits = request_all('kept')
        expect(hits > OBJECTS / 2, '%d of %d objects are served after a reboot' % (hits, OBJECTS))
        expect(hits < OBJECTS, 'those of the first tier were lost')
        stop(edge)
    elif step == 'cut':
        request_all('cut')
        expect(request_all('cut') == OBJECTS, 'all objects are hits')
        open('/mnt/out/cut', 'w').close()
        signal.pause()
    elif step == 'empty':
        for prefix in 'cut', 'kept':
            hits = request_all(prefix)
            expect(hits == 0, '%d objects of /%s are served after a loss of power' % (hits, prefix))
        stop(edge)


main(sys.argv[1], sys.argv[2])

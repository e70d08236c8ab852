"""Misses one by one, and hits by wrk."""

import http.client
import json
import statistics
import subprocess
import time

from sidebyside import process

from . import codings

TIMEOUT_SECONDS = 30
PATIENCE_SECONDS = 120
PAUSE_SECONDS = 0.5  # longer than any copy takes


class Client:
    """One connection; each request says when the first byte of the body came."""

    def __init__(self, port):
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)

    def get(self, path, **fields):
        """Status, fields in lower case, body, seconds to the first byte."""
        headers = {"Host": f"127.0.0.1:{self._port}", "Accept-Encoding": "identity"}
        headers |= {name.replace("_", "-"): value for name, value in fields.items() if value}
        begin = time.perf_counter()
        self._connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            self._connection.putheader(name, value)
        self._connection.endheaders()
        response = self._connection.getresponse()
        first = response.read(1)
        waited = time.perf_counter() - begin
        body = first + response.read()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body, waited

    def close(self):
        self._connection.close()


def misses(server, files, coding, contents, number):
    """
    Each file once under a URL that is new, then again until hits do not change any more: what the first client gets,
    and what copies cost.

    number -- of the round, which is part of the URLs
    """
    client = Client(server.port)
    try:
        urls = [f"{path}?{coding or 'identity'}={number}" for path in files]
        before = server.cpu_seconds()
        sent, waits = 0, []
        for path, url in zip(files, urls):
            status, fields, body, waited = client.get(url, Accept_Encoding=coding)
            check(server, url, status, fields, body, coding, contents[path])
            sent += len(body)
            waits.append(waited)
        spent = server.cpu_seconds() - before
        before = server.cpu_seconds()
        hit_bytes = steady(server, client, files, urls, coding, contents)
        return {"cpu": 1e6 * spent / len(files), "bytes": sent, "first_byte": 1e3 * statistics.median(waits),
                "first_byte_slowest": 1e3 * max(waits), "second_cpu": 1e6 * (server.cpu_seconds() - before) / len(files),
                "hit_bytes": hit_bytes}
    except (OSError, http.client.HTTPException) as broken:
        raise process.Failed(f"{server.name}: {coding}: {broken!r}") from None
    finally:
        client.close()


def steady(server, client, files, urls, coding, contents):
    """Asks until what is sent does not change any more: copies are made behind the first hits. Its bytes."""
    end = time.monotonic() + PATIENCE_SECONDS
    last = -1
    while True:
        sent = 0
        for path, url in zip(files, urls):
            status, fields, body, _ = client.get(url, Accept_Encoding=coding)
            check(server, url, status, fields, body, coding, contents[path])
            sent += len(body)
        settled = server.copies() if hasattr(server, "copies") else 0
        if (sent, settled) == last or not server.stores:
            return sent
        if time.monotonic() > end:
            raise process.Failed(f"{server.name}: {coding}: copies are still being made")
        last = (sent, settled)
        time.sleep(PAUSE_SECONDS)


def check(server, url, status, fields, body, coding, content):
    """Whether a response has the content, whatever its coding."""
    named = fields.get("content-encoding", "")
    if status != 200 or named not in ("", coding):
        raise process.Failed(f"{server.name}: {url} came as {status} with coding {named!r}")
    if codings.decoded(named, body, len(content)) != content:
        raise process.Failed(f"{server.name}: {url}: {named or 'identity'} does not have the bytes of the origin")


def hits(server, files, coding, number, seconds):
    """CPU a request while wrk asks for all files of a round again and again."""
    script = server.lab / "hits.lua"
    field = f"Accept-Encoding: {coding}\\r\\n" if coding else ""
    urls = ",".join(f"'{path}?{coding or 'identity'}={number}'" for path in files)
    script.write_text(f"""
math.randomseed({number})
local urls = {{{urls}}}
request = function()
  return 'GET ' .. urls[math.random(#urls)] .. ' HTTP/1.1\\r\\nHost: 127.0.0.1:{server.port}\\r\\n{field}\\r\\n'
end
done = function(summary, latency)
  local e = summary.errors
  print(string.format('{{"requests": %d, "seconds": %f, "bytes": %d, "errors": %d}}', summary.requests,
    summary.duration / 1e6, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout))
end
""")
    before = server.cpu_seconds()
    done = subprocess.run(["taskset", "-c", server.load_cpus, "wrk", "-t1", "-c8", f"-d{seconds}s", "--timeout", "20s",
                           "-s", str(script), f"http://127.0.0.1:{server.port}"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise process.Failed(f"wrk: {(done.stderr or done.stdout).strip()}")
    spent = server.cpu_seconds() - before
    said = json.loads(done.stdout.strip().splitlines()[-1])
    if said["errors"] or not said["requests"]:
        raise process.Failed(f"{server.name}: {said['errors']} of {said['requests']} hits failed")
    return {"hit_cpu": 1e6 * spent / said["requests"], "hits_per_second": said["requests"] / said["seconds"]}

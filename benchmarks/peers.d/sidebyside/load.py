"""The load: warming a cache, wrk, h2load and the open-loop client, each run to its end."""

import concurrent.futures
import http.client
import json
import random
import re
import subprocess
import threading

from . import process, servers, site

TIMEOUT_SECONDS = 20
FILL_CONNECTIONS = 32  # nginx leaves 40 ms between two responses on one
FILL_PASSES = 6
FILL_SHARE = 0.001  # of a pass over all objects may still come from the origin
WARM_H2LOAD_STREAMS = 16


def warm(setting, peer, load):
    """Asks for every object twice, since some caches admit at the second request, and looks at the bytes."""
    if load.exponent is not None:
        return _warm_many(setting, peer, load)
    root = setting.lab / "www"
    client = servers.connection(peer.port(setting), setting.is_tls)
    try:
        for _ in range(2):
            for number in range(load.count):
                client.request("GET", load.path(number))
                response = client.getresponse()
                body = response.read()
                if response.status != 200 or body != (root / load.file(number)).read_bytes():
                    raise process.Failed(f"{peer.name}: {load.path(number)} came as {response.status} with"
                                         f" {len(body)} bytes, not those of the origin")
    except (OSError, http.client.HTTPException) as broken:
        raise process.Failed(f"{peer.name}: {load.path(number)}: {broken!r}") from None
    finally:
        client.close()


def _warm_many(setting, peer, load):
    urls = setting.lab / f"{load.name}.urls"
    scheme = "https" if setting.is_tls else "http"
    if not urls.exists():
        base = f"{scheme}://127.0.0.1:{peer.port(setting)}"
        urls.write_text("".join(f"{base}{load.path(number)}\n" for number in range(load.count)))
    base = f"--base-uri={scheme}://127.0.0.1:{peer.port(setting)}"
    for _ in range(2):
        said = _run(setting, ["h2load", "--h1", "-c", "1", "-m", "1", "-n", load.count, "-i", urls, base])
        if _h2load(said)["requests"] != load.count:
            told = re.search(r"status codes: .*", said)
            raise process.Failed(f"{peer.name}: {load.name}: not all came: {told.group(0) if told else said.strip()}")


def fill(setting, peer, load, origin_requests):
    """
    Asks for all objects in order, at least twice, until a pass needs nothing from the origin: what memory holds
    after one pass is evicted, and so written to disk, by the next.
    """
    expected = (setting.lab / "www" / load.file(0)).read_bytes()
    is_over = threading.Event()
    # What is under way has to fit in memory beside what is being written to disk.
    connections = max(1, min(FILL_CONNECTIONS, setting.disk.memory // 4 // load.size))
    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        try:
            for number in range(FILL_PASSES):
                before = origin_requests()
                parts = [pool.submit(_fill_part, setting, peer, load, range(first, load.count, connections), expected,
                                     is_over) for first in range(connections)]
                for part in parts:
                    part.result()
                if number and origin_requests() - before <= FILL_SHARE * load.count:
                    return
        finally:
            is_over.set()  # an interrupted run does not wait for the rest


def _fill_part(setting, peer, load, numbers, expected, is_over):
    client = servers.connection(peer.port(setting), setting.is_tls)
    path = ""
    try:
        for number in numbers:
            if is_over.is_set():
                return
            path = load.path(number)
            client.request("GET", path)
            response = client.getresponse()
            body = response.read()
            if response.status != 200 or body != expected:
                raise process.Failed(f"{peer.name}: {path} came as {response.status} with {len(body)} bytes, not those"
                                     " of the origin")
    except (OSError, http.client.HTTPException) as broken:
        raise process.Failed(f"{peer.name}: {path}: {broken!r}") from None
    finally:
        client.close()


def closed(setting, peer, load, heads, seconds):
    """wrk: each connection asks as soon as it has been answered."""
    script = setting.lab / f"{load.name}.lua"
    script.write_text(_script(setting, peer.port(setting), load, heads))
    scheme = "https" if setting.is_tls else "http"
    said = _run(setting, [
        "wrk", "-t1", f"-c{load.connections}", f"-d{seconds}s", "--timeout", f"{TIMEOUT_SECONDS}s", "-s", script,
        f"{scheme}://127.0.0.1:{peer.port(setting)}"])
    return _wrk(said)


def streams(setting, peer, load, heads, clients, count, seconds):
    """h2load: so many streams at a time on each of the connections."""
    urls = setting.lab / f"{load.name}.{peer.name}.urls"
    base = f"https://127.0.0.1:{peer.port(setting)}"
    numbers = list(range(load.count))
    random.Random(1).shuffle(numbers)
    urls.write_text("".join(f"{base}{load.path(number)}\n" for number in numbers))
    fields = [option for name, value in heads[0] if name != "Connection" for option in ("-H", f"{name.lower()}: {value}")]
    return _h2load(_run(setting, ["h2load", "-t1", "-c", clients, "-m", count, "-D", seconds, "-i", urls, *fields]))


def missing(setting, peer, load, followers, first, seconds):
    """wrk: every URL is new, and asked for by so many connections one after the other."""
    script = setting.lab / f"{load.name}.lua"
    script.write_text(_MISSES.format(name=load.name, port=peer.port(setting), first=first, followers=followers, done=_DONE))
    scheme = "https" if setting.is_tls else "http"
    return _wrk(_run(setting, [
        "wrk", "-t1", f"-c{load.connections}", f"-d{seconds}s", "--timeout", f"{TIMEOUT_SECONDS}s", "-s", script,
        f"{scheme}://127.0.0.1:{peer.port(setting)}"]))


def open_loop(setting, peer, load, heads, rate, connections, seconds):
    """The open-loop client: requests are due at a constant rate, whatever became of those before."""
    head = setting.lab / "open-loop.head"
    head.write_text("".join(f"{name}: {value}\r\n" for name, value in heads[0]))
    draws = [_draws(setting, load)] if load.exponent is not None else []
    said = _run(setting, [setting.lab / "open-loop", peer.port(setting), load.name, load.count, f"{rate:.0f}",
                          seconds, connections, head, *draws])
    return json.loads(said)


def _run(setting, command):
    done = subprocess.run(["taskset", "-c", setting.load_cpus] + [str(word) for word in command],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise process.Failed(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


# What wrk is told to print at the end, in one line, instead of tables with rounded numbers.
_DONE = """
local thread
setup = function(only) thread = only end
done = function(summary, latency)
  local e = summary.errors
  print(string.format('{"requests": %d, "asked": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d}', summary.requests,
    thread:get('asked') or 0, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""

_FIXED = """
math.randomseed(os.time())
local tails = {tails}
local requests = {{}}
for i = 0, {count} - 1 do requests[i + 1] = 'GET /{name}/' .. i .. tails[i % #tails + 1] end
request = function() return requests[math.random({count})] end
{done}"""

_ZIPF = """
local tails = {tails}
local draws = {{}}
for line in io.lines('{draws}') do draws[#draws + 1] = line end
math.randomseed(os.time())
local at = math.random(#draws)
request = function()
  at = at % #draws + 1
  return 'GET /{name}/' .. draws[at] .. tails[at % #tails + 1]
end
{done}"""

_MISSES = """
asked = 0
request = function()
  local number = {first} + math.floor(asked / {followers})
  asked = asked + 1
  return 'GET /{name}/' .. number .. ' HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n'
end
{done}"""


def _script(setting, port, load, heads):
    # The authority that a cache was warmed with: it is part of some keys.
    tails = [f" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
             for fields in heads]
    values = {"tails": "{" + ", ".join(map(_lua, tails)) + "}", "name": load.name, "count": load.count, "done": _DONE}
    if load.exponent is None:
        return _FIXED.format(**values)
    return _ZIPF.format(draws=_draws(setting, load), **values)


def _draws(setting, load):
    """A file with the numbers of objects in the order in which they are asked for."""
    file = setting.lab / f"{load.name}.draws"
    if not file.exists():
        file.write_text("".join(f"{number}\n" for number in site.draws(load.count, 1, load.exponent)))
    return file


def _lua(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n") + '"'


def _wrk(said):
    return json.loads(said.strip().splitlines()[-1])


def _h2load(said):
    counts = re.search(r"requests: \d+ total, \d+ started, \d+ done, (\d+) succeeded, (\d+) failed, (\d+) errored,"
                       r" (\d+) timeout", said)
    took = re.search(r"finished in ([0-9.]+)(us|ms|s)", said)
    if not counts or not took:
        raise process.Failed(f"h2load said: {said.strip()}")
    seconds = float(took.group(1)) * {"us": 1e-6, "ms": 1e-3, "s": 1}[took.group(2)]
    times = re.search(r"time for request:\s+\S+\s+(\S+)\s+(\S+)", said)
    return {"requests": int(counts.group(1)), "seconds": seconds, "errors": sum(map(int, counts.groups()[1:])),
            "p50": None, "p99": None, "slowest": times.group(1) if times else None}

"""The origin, the peers, the floor and Forebay: how each is configured and started.

Each is tuned as its manual has it for serving from memory, keeps at most 4 GiB (HAProxy 2), and has as
many threads or processes as the run says. For hits from disk it has as little memory and as much disk as
the run says. One at a time is up, so ports are fixed.
"""

import dataclasses
import http.client
import json
import os
import pathlib
import re
import shlex
import shutil
import ssl
import subprocess
import time

from . import machine, process, site

ORIGIN = 9000
ORIGIN_ADDRESSES = [f"127.0.0.{number}" for number in range(1, 5)]
TLS = ("https", "h2")
PURGES_A_CALL = 50
STATISTICS_MS = 200
MEMORY_PART = 8  # of the footprint, that is how much a cache keeps in memory where hits come from disk
BENCHMARKS = pathlib.Path(__file__).resolve().parents[2]

UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE


@dataclasses.dataclass(frozen=True)
class Disk:
    """What is asked for lies on disk: how much it is, and what of it a cache may keep in memory."""

    directory: pathlib.Path
    footprint: int

    @property
    def memory(self):
        return self.footprint // MEMORY_PART

    @property
    def size(self):
        """Room to spare: caches that write regions need it to free them."""
        return self.footprint * 3 // 2

    def clear(self):
        for name in os.listdir(self.directory):
            shutil.rmtree(self.directory / name)


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all servers of a run have in common."""

    lab: pathlib.Path  # configurations, logs, the origin's files
    memory: pathlib.Path  # tmpfs, for what is cached
    loads: tuple
    scheme: str  # http, https, or h2 (over TLS)
    threads: int
    access_log: bool
    routes: int  # of Forebay, beside the one that is asked for
    server_cpus: str
    load_cpus: str
    disk: Disk | None = None

    @property
    def is_tls(self):
        return self.scheme in TLS

    @property
    def user(self):
        """Servers that give up root's rights are told to keep them: their files are in our directories."""
        return "root" if os.geteuid() == 0 else "nobody"

    def directory(self, name):
        """An empty directory."""
        place = self.lab / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return place

    def memory_directory(self, name):
        return self._empty(self.memory / name)

    def cache_directory(self, name):
        """On the disk where hits are to come from there, else in memory."""
        return self._empty(self.disk.directory / name) if self.disk else self.memory_directory(name)

    @property
    def cache_bytes(self):
        return self.disk.size if self.disk else 4 << 30

    @staticmethod
    def _empty(place):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return place


def connection(port, is_tls, timeout=30):
    if is_tls:
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout, context=UNVERIFIED)
    return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)


def answers(port, is_tls, path):
    """Whether a server answers well."""
    client = connection(port, is_tls, timeout=5)
    try:
        client.request("GET", path)
        response = client.getresponse()
        response.read()
        return response.status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        client.close()


def make_certificate(lab):
    """An ECDSA certificate for all servers; both.pem is for those that want it in one file."""
    certificate, key = lab / "cert.pem", lab / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "30", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (lab / "both.pem").write_text(certificate.read_text() + key.read_text())
    for name in ("cert.pem", "key.pem", "both.pem"):
        (lab / name).chmod(0o644)


def text(port, path):
    """What a server answers in plain HTTP about itself."""
    client = connection(port, False)
    try:
        client.request("GET", path)
        response = client.getresponse()
        said = response.read()
    finally:
        client.close()
    if response.status != 200:
        raise process.Failed(f"port {port}: {path} was answered with {response.status}")
    try:
        return said.decode()
    except UnicodeDecodeError:
        fields = ", ".join(f"{name}: {value}" for name, value in response.getheaders())
        raise process.Failed(f"port {port}: {path} was answered with no text, but {said[:40]!r}; {fields}") from None


class Origin:
    """An nginx with the files, on the load's CPUs."""

    programs = ("nginx",)

    def __init__(self, setting):
        self._setting = setting
        self._group = process.Group()

    def start(self):
        place = self._setting.directory("origin")
        shared = "".join(
            f"location /{load.name}/ {{ rewrite ^ /{load.file(0)} break; {CACHEABLE} }}\n"
            for load in self._setting.loads if not load.own)
        (place / "nginx.conf").write_text(f"""
user {self._setting.user}; daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; default_type application/octet-stream;
  server {{
    {" ".join(f"listen {address}:{ORIGIN} backlog=4096;" for address in ORIGIN_ADDRESSES)} root {self._setting.lab}/www;
    location / {{ {CACHEABLE} }}
    location = /origin-status {{ stub_status; }}
    {shared}
  }}
}}""")
        self._group.add(process.Program(["nginx", "-c", place / "nginx.conf", "-p", place], self._setting.load_cpus,
                                        place / "log"))
        process.until(lambda: answers(ORIGIN, False, "/origin-status"), self._group)

    def requests(self):
        """How many it has answered, these questions not counted."""
        status = text(ORIGIN, "/origin-status")
        self._asked = getattr(self, "_asked", 0) + 1
        return int(re.search(r"\s\d+ \d+ (\d+)", status).group(1)) - self._asked

    def stop(self):
        self._group.stop()


CACHEABLE = 'add_header Cache-Control "public, max-age=86400";'


class Peer:
    """A server of the run; subclasses say how it is started."""

    name = ""
    title = ""
    schemes = ("http",)
    first_port = 0
    is_jvm = False

    def programs(self, setting):
        raise NotImplementedError

    def start(self, setting, group):
        """Starts what it needs in the group; it may not be ready when this returns."""
        raise NotImplementedError

    def counters(self, setting):
        """
        What it says of itself since its start: "missed" requests, hits from "memory", reads "refused" because
        too many waited, bytes "written" to memory; of these, those that it counts.
        """
        return {}

    def ports(self):
        """Of HTTP and of TLS."""
        return self.first_port, self.first_port + 100

    def port(self, setting):
        return self.ports()[setting.is_tls]


class Nginx(Peer):
    name = title = "nginx"
    schemes = ("http", "https", "h2")
    first_port = 9101

    def programs(self, setting):
        return ("nginx",)

    def start(self, setting, group):
        place = setting.directory("nginx")
        plain, tls = self.ports()
        logs = [f"access_log {place}/access.log combined buffer=64k flush=1s;"] if setting.access_log else []
        if setting.disk:
            # It counts no hits, but can log what was none.
            logs.append("map $upstream_cache_status $missed { HIT 0; default 1; } log_format missed $upstream_cache_status;"
                        f" access_log {place}/missed.log missed if=$missed;")
        files = machine.open_files()
        (place / "nginx.conf").write_text(f"""
user {setting.user}; daemon off; worker_processes {setting.threads}; pid {place}/pid; error_log {place}/error.log;
worker_rlimit_nofile {files}; events {{ worker_connections 8192; }}
http {{
  {" ".join(logs) or "access_log off;"}
  sendfile on; tcp_nopush on; keepalive_requests 10000000; keepalive_timeout 75s;
  open_file_cache max={files // 2} inactive=600s; open_file_cache_valid 600s;
  large_client_header_buffers 4 16k;
  proxy_cache_path {setting.cache_directory("nginx")} levels=1:2 keys_zone=c:128m
    max_size={setting.cache_bytes >> 20}m inactive=24h use_temp_path=off manager_files=2000;
  upstream origin {{ server 127.0.0.1:{ORIGIN}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{plain} backlog=4096; listen 127.0.0.1:{tls} ssl http2 backlog=4096;
    ssl_certificate {setting.lab}/cert.pem; ssl_certificate_key {setting.lab}/key.pem;
    ssl_protocols TLSv1.3; ssl_session_cache shared:S:10m; ssl_buffer_size 16k;
    http2_max_concurrent_streams 128;
    location / {{
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_cache c; proxy_cache_lock on; proxy_cache_key $uri$is_args$args;
    }}
  }}
}}""")
        group.add(process.Program(["nginx", "-c", place / "nginx.conf", "-p", place], setting.server_cpus, place / "log"))

    def counters(self, setting):
        with open(setting.lab / "nginx" / "missed.log", "rb") as lines:
            return {"missed": sum(1 for _ in lines)}


class Varnish(Peer):
    name = "varnish"
    title = "Varnish"
    schemes = ("http", "https", "h2")
    first_port = 9102

    def programs(self, setting):
        return (("varnishd",) + (("hitch",) if setting.is_tls else ())
                + (("varnishncsa",) if setting.access_log else ()))

    def start(self, setting, group):
        place = setting.directory("varnish")
        plain, tls = self.ports()
        # Without this it passes what comes with cookies.
        (place / "default.vcl").write_text(f"""vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{ORIGIN}"; }}
sub vcl_recv {{ unset req.http.Cookie; }}
""")
        socket = place / "front.sock"
        group.add(process.Program(
            ["varnishd", "-F", "-j", "none", "-n", place / "work", "-a", f"127.0.0.1:{plain}",
             "-a", f"{socket},PROXY,mode=666", "-f", place / "default.vcl", "-s", "malloc,4g", "-p", "thread_pools=1",
             "-p", "thread_pool_min=200", "-p", "thread_pool_max=2000", "-p", "feature=+http2",
             "-p", "http_req_hdr_len=16k", "-p", "h2_max_concurrent_streams=128"],
            setting.server_cpus, place / "log"))
        process.until(lambda: answers(plain, False, setting.loads[0].path(0)), group)
        if setting.access_log:
            group.add(process.Program(["varnishncsa", "-n", place / "work", "-w", place / "access.log"],
                                      setting.server_cpus, place / "ncsa.log"))
        if setting.is_tls:
            # It gives up root's rights for an account that may go through no private directory.
            user = ["--user=nobody"] if setting.user == "root" else []
            group.add(process.Program(
                ["hitch", "--backend", socket, "--frontend", f"[127.0.0.1]:{tls}", f"--workers={setting.threads}",
                 "--write-proxy-v2=on", "--alpn-protos=h2,http/1.1", *user, setting.lab / "both.pem"],
                setting.server_cpus, place / "hitch.log"))


class TrafficServer(Peer):
    name = "ats"
    title = "Traffic Server"
    schemes = ("http", "https", "h2")
    first_port = 9103

    def programs(self, setting):
        return ("traffic_server",)

    def start(self, setting, group):
        place = setting.directory("ats")
        plain, tls = self.ports()
        etc = place / "etc" / "trafficserver"
        shutil.copytree("/etc/trafficserver", etc)
        for name in ("var/log/trafficserver", "var/trafficserver", "run/trafficserver"):
            (place / name).mkdir(parents=True)
        (etc / "remap.config").write_text(f"map / http://127.0.0.1:{ORIGIN}/\n")
        (etc / "storage.config").write_text(f"{setting.cache_directory('ats')} {setting.cache_bytes}\n")
        if setting.disk:
            (etc / "plugin.config").write_text("stats_over_http.so\n")
        statistics = f"CONFIG proxy.config.raw_stat_sync_interval_ms INT {STATISTICS_MS}" if setting.disk else ""
        (etc / "ssl_multicert.config").write_text(
            f"dest_ip=* ssl_cert_name={setting.lab}/cert.pem ssl_key_name={setting.lab}/key.pem\n")
        (etc / "logging.yaml").write_text("""logging:
  formats:
    - name: combined
      format: '%<chi> - %<caun> [%<cqtn>] "%<cqtx>" %<pssc> %<pscl> "%<{Referer}cqh>" "%<{User-Agent}cqh>"'
  logs:
    - filename: access
      format: combined
""")
        (etc / "records.config").write_text(f"""
CONFIG proxy.config.http.server_ports STRING {plain} {tls}:ssl
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT {setting.threads}
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.cache.ram_cache.size INT {setting.disk.memory if setting.disk else "2G"}
CONFIG proxy.config.cache.ram_cache_cutoff INT 64M
CONFIG proxy.config.http.cache.required_headers INT 0
CONFIG proxy.config.http.keep_alive_no_activity_timeout_in INT 120
CONFIG proxy.config.http2.max_concurrent_streams_in INT 128
CONFIG proxy.config.diags.output.status STRING L
CONFIG proxy.config.log.logging_enabled INT {3 if setting.access_log else 0}
CONFIG proxy.config.reverse_proxy.enabled INT 1
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.url_remap.pristine_host_hdr INT 1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.net.max_connections_in INT 30000
{statistics}
""")
        (place / "runroot.yaml").write_text(f"""prefix: {place}
exec_prefix: /usr
bindir: /usr/bin
sbindir: /usr/sbin
sysconfdir: {etc}
datadir: {place}/cache
includedir: /usr/include
libdir: /usr/lib
libexecdir: /usr/lib/trafficserver/modules
localstatedir: {place}/var
runtimedir: {place}/run/trafficserver
logdir: {place}/var/log/trafficserver
cachedir: {place}/cache
""")
        (place / "cache").mkdir()
        group.add(process.Program(["traffic_server", f"--run-root={place}/runroot.yaml"], setting.server_cpus,
                                  place / "log"))

    def counters(self, setting):
        time.sleep(2 * STATISTICS_MS / 1000)  # its threads add up what they count now and then
        counts = json.loads(text(self.port(setting), "/_stats"))["global"]
        self._asked = getattr(self, "_asked", 0) + 1  # these questions are misses too
        return {"missed": sum(int(value) for name, value in counts.items()
                              if name.startswith("proxy.process.http.cache_miss_")) - self._asked,
                "memory": int(counts["proxy.process.http.cache_hit_mem_fresh"])}


class HaProxy(Peer):
    name = "haproxy"
    title = "HAProxy"
    schemes = ("http", "https", "h2")
    first_port = 9104

    def programs(self, setting):
        return ("haproxy",)

    def start(self, setting, group):
        place = setting.directory("haproxy")
        plain, tls = self.ports()
        log = "log stdout format raw daemon\n  option httplog" if setting.access_log else ""
        (place / "haproxy.cfg").write_text(f"""
global
  nbthread {setting.threads}
  maxconn 8000
  tune.bufsize 32768
  tune.h2.max-concurrent-streams 128
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
  {log}
cache c
  total-max-size 2000
  max-object-size 60000000
  max-age 86400
frontend f
  bind 127.0.0.1:{plain}
  bind 127.0.0.1:{tls} ssl crt {setting.lab}/both.pem alpn h2,http/1.1 ssl-min-ver TLSv1.3
  http-request cache-use c
  http-response cache-store c
  default_backend b
backend b
  server o 127.0.0.1:{ORIGIN}
""")
        group.add(process.Program(["haproxy", "-db", "-f", place / "haproxy.cfg"], setting.server_cpus, place / "log"))


class Floor(Peer):
    """No cache at all: the C program of benchmarks/floor, compiled for this run."""

    name = "floor"
    title = "floor (C, no cache)"
    schemes = ("http", "https")
    first_port = 9106

    def programs(self, setting):
        return ("cc",)

    def start(self, setting, group):
        place = setting.directory("floor")
        program = place / "floor"
        flags = ["-DTLS"] if setting.is_tls else []
        libraries = ["-lssl", "-lcrypto"] if setting.is_tls else []
        compile_c(BENCHMARKS / "floor" / "floor.c", program, flags, libraries)
        secrets = [setting.lab / "cert.pem", setting.lab / "key.pem"] if setting.is_tls else []
        group.add(process.Program([program, self.port(setting), setting.threads, *secrets, *bodies(setting)],
                                  setting.server_cpus, place / "log"))


class FileFloor(Peer):
    """The floor with bodies in a file of tmpfs, parts of which are written anew as a cache does that misses."""

    schemes = ("http",)
    first_port = 9106

    def __init__(self, call, served):
        self.name = f"{call}-{served}"
        self.title = f"{call}, " + (f"{served} bytes sent a byte written" if served else "nothing written")
        self._flags = [f"-DSERVED={served}"] + (["-DSENDFILE"] if call == "sendfile" else [])

    def programs(self, setting):
        return ("cc",)

    def start(self, setting, group):
        place = setting.directory(self.name)
        program = place / "floor"
        compile_c(BENCHMARKS / "floor" / "floor.c", program, self._flags)
        group.add(process.Program([program, self.port(setting), setting.threads, *bodies(setting)], setting.server_cpus,
                                  place / "log"))


class DiskFloor(Peer):
    """The floor of hits from disk: reads, verifies, writes. It has no cache in memory."""

    def __init__(self, name, io, first_port, has_huge_pages=False):
        self.name = name
        self.title = f"disk floor (C, {io}{', huge pages' if has_huge_pages else ''})"
        self.first_port = first_port
        self._io = io
        self._flags = ["-DHUGE_PAGES"] if has_huge_pages else []

    def programs(self, setting):
        return ("cc",)

    def start(self, setting, group):
        place = setting.directory(self.name)
        program = place / "disk-floor"
        compile_c(BENCHMARKS / "floor" / "disk_floor.c", program, self._flags)
        data = setting.cache_directory(self.name) / "data"
        group.add(process.Program([program, self.port(setting), setting.threads, data, self._io, *bodies(setting)],
                                  setting.server_cpus, place / "log"))


class Spike(Peer):
    """No cache either: bare Netty with its HTTP codec, of the benchmarks' jar."""

    is_jvm = True

    def __init__(self, transport, first_port):
        self.name = f"netty-{transport}"
        self.title = f"bare Netty, {transport} (no cache)"
        self.first_port = first_port
        self._transport = transport

    def programs(self, setting):
        return ()

    def start(self, setting, group):
        jar = BENCHMARKS / "target" / "benchmarks.jar"
        if not jar.exists():
            raise machine.Unfit(f"{jar} is not built: mvn -q package -DskipTests -pl benchmarks -am")
        place = setting.directory(self.name)
        group.add(process.Program(
            [machine.java(), "-XX:+UseSerialGC", "-Xmx512m", "-XX:MaxDirectMemorySize=2g", f"@{BENCHMARKS}/jvm.options",
             "-cp", jar, "io.forebay.benchmarks.lab.NettySpike", self._transport, self.port(setting), setting.threads,
             *bodies(setting)], setting.server_cpus, place / "log"))


def bodies(setting):
    """What servers without a cache are told to answer with, as NAME=COUNT=FILE."""
    return [f"{load.name}={load.count}={setting.lab}/www/" + (f"{load.name}/%d" if load.own else load.file(0))
            for load in setting.loads]


class Forebay(Peer):
    """Started by benchmarks/peer-forebay.sh; a variant differs by the settings of that script."""

    schemes = ("http", "https", "h2")
    first_port = 9110
    is_jvm = True

    def __init__(self, name="forebay", settings=None):
        self.name = name
        self.title = "Forebay" if name == "forebay" else f"Forebay, {name.removeprefix('forebay-')}"
        self._settings = settings or {}

    @classmethod
    def variant(cls, described):
        """NAME=KEY=VALUE KEY=VALUE ..., split as a shell would."""
        name, _, rest = described.partition("=")
        settings = dict(word.partition("=")[::2] for word in shlex.split(rest))
        unknown = set(settings) - {"ROOT", "JAVA_OPTS", "THREADS", "ACCESS_LOG", "MEMORY", "MEMORY_DIR", "CONFIG", "AOT",
                                   "DISK_IO", "SERVERS"}
        if not name or unknown:
            raise machine.Unfit(f"--forebay {described}: NAME='KEY=VALUE ...' is wanted, with the keys ROOT, JAVA_OPTS,"
                                " THREADS, ACCESS_LOG, MEMORY, MEMORY_DIR, CONFIG, AOT, DISK_IO, SERVERS")
        return cls(name, settings)

    def programs(self, setting):
        return ()

    def ports(self):
        return self.first_port, self.first_port + 100, self.first_port + 200

    def start(self, setting, group):
        setting.directory("forebay")
        setting.memory_directory("forebay")
        if setting.disk:
            setting.cache_directory("forebay")
        if "MEMORY_DIR" in self._settings:
            shutil.rmtree(self._settings["MEMORY_DIR"], ignore_errors=True)
        self.restart(setting, group)

    def restart(self, setting, group):
        """With what the last one kept."""
        place = setting.lab / "forebay"
        if setting.is_tls:
            for name in ("cert.pem", "key.pem"):
                shutil.copy(setting.lab / name, place)
        environment = {
            "LAB": str(place),
            "PEER_MEMORY_DIR": str(setting.memory / "forebay"),
            "PEER_KEEP": "yes",  # the directories are new where they are to be
            "PEER_THREADS": str(setting.threads),
            "PEER_ACCESS_LOG": str(place / "access.log") if setting.access_log else "off",
        }
        if setting.routes or setting.disk or "SERVERS" in self._settings:
            environment["PEER_CONFIG"] = str(self._config(place, setting))
        if setting.disk:
            environment["PEER_MEMORY"] = f"{setting.disk.memory >> 20}MiB"
        own = {f"PEER_{key}": value for key, value in self._settings.items()
               if key not in ("JAVA_OPTS", "DISK_IO", "SERVERS")}
        if own.get("PEER_ACCESS_LOG") == "on":
            own["PEER_ACCESS_LOG"] = str(place / "access.log")
        if "JAVA_OPTS" in self._settings:
            own["FOREBAY_JAVA_OPTS"] = self._settings["JAVA_OPTS"]
        group.add(process.Program([BENCHMARKS / "peer-forebay.sh"], setting.server_cpus, place / "log",
                                  {**environment, **own}))

    def _config(self, place, setting):
        addresses = ORIGIN_ADDRESSES[:int(self._settings.get("SERVERS", "1"))]
        urls = ", ".join(f"http://{address}:{ORIGIN}" for address in addresses)
        lines = ["origins:", f"  site: {{servers: [{urls}]}}", "routes:", "  - origin: site"]
        for number in range(setting.routes):
            lines.append(f"  - match: {{host: \"*.site-{number}.example.com\", path: /img/}}\n    origin: site")
        if setting.disk:
            lines += ["store:", f"  disk-io: {self._settings.get('DISK_IO', 'buffered')}",
                      "stores:", f"  disk: {{path: {setting.disk.directory}/forebay, size: {setting.disk.size >> 20}MiB}}"]
        file = place / "forebay.yaml"
        file.write_text("\n".join(lines) + "\n")
        return file

    def counters(self, setting):
        samples = re.findall(r"^(forebay_\w+)(?:\{(.*)\})? (\S+)$", text(self.ports()[2], "/metrics"), re.MULTILINE)
        regions = sum(float(value) for name, _, value in samples if name == "forebay_store_regions")
        known = {name: float(value) for name, labels, value in samples if not labels}
        # Each region that is used once more has been written from one end to the other.
        region_bytes = known["forebay_store_capacity_bytes"] / regions
        return {"missed": sum(float(value) for name, labels, value in samples
                              if name == "forebay_requests_total" and 'cache="hit"' not in labels),
                "refused": sum(float(value) for name, _, value in samples if name == "forebay_disk_refused_reads_total"),
                "written": known["forebay_store_reclaimed_regions_total"] * region_bytes}

    def purge(self, count):
        """Purges that nothing is stored under: what each lookup has to heed."""
        client = connection(self.ports()[2], False)
        try:
            for first in range(0, count, PURGES_A_CALL):
                numbers = range(first, min(count, first + PURGES_A_CALL))
                order = {"urls": [f"http://127.0.0.1/purged/{n}" for n in numbers[0::3]],
                         "prefixes": [f"127.0.0.1/purged-{n}/" for n in numbers[1::3]],
                         "tags": [f"purged-{n}" for n in numbers[2::3]]}
                client.request("POST", "/v1/purge", json.dumps(order), {"Content-Type": "application/json"})
                response = client.getresponse()
                said = response.read()
                if response.status != 200:
                    raise process.Failed(f"{self.name}: a purge was answered with {response.status}: {said[:200]!r}")
        finally:
            client.close()


def compile_c(source, program, flags=(), libraries=()):
    done = subprocess.run(["cc", "-O2", "-Wall", "-Wextra", *flags, "-o", program, source, *libraries],
                          capture_output=True, text=True)
    if done.returncode:
        raise process.Failed(f"{source.name} does not compile: {done.stderr.strip()}")


FILE_FLOORS = tuple(FileFloor(call, served) for call in ("writev", "sendfile") for served in (0, 60, 15, 5))

PEERS = {peer.name: peer for peer in (Nginx(), Varnish(), TrafficServer(), HaProxy(), Floor(), *FILE_FLOORS,
                                      Spike("epoll", 9107), Spike("io_uring", 9108), Forebay())}

# Those that have a cache on disk; the memory of a plain floor is none.
FROM_DISK = {peer.name: peer for peer in (
    PEERS["nginx"], PEERS["ats"], DiskFloor("floor", "buffered", 9106), DiskFloor("floor-direct", "direct", 9109),
    DiskFloor("floor-huge", "buffered", 9112, True), DiskFloor("floor-direct-huge", "direct", 9113, True),
    PEERS["forebay"], Forebay("forebay-direct", {"DISK_IO": "direct"}))}

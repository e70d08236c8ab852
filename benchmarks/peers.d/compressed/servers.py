"""The origin and the three servers before it, one thread each, with the same levels and types."""

import os
import pathlib
import shutil
import subprocess

from sidebyside import machine, process
from sidebyside import servers as peers

from . import corpus

ORIGIN = 9000
BENCHMARKS = pathlib.Path(__file__).resolve().parents[2]
ADMIN = 9310
MIN_BYTES = 256

# Forebay's defaults for bodies that are compressed while they are sent.
GZIP_LEVEL = 5
BROTLI_LEVEL = 4


class Origin:
    """An nginx with the files, which may be stored for a day, and below /short/ for a second; it codes nothing."""

    def __init__(self, lab, cpus):
        self._lab, self._cpus = lab, cpus
        self._group = process.Group()

    def start(self):
        place = self._lab / "origin"
        place.mkdir()
        types = " ".join(f"{media} {kind};" for kind, media in corpus.TYPES.items())
        (place / "nginx.conf").write_text(f"""
user {user()}; daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; default_type application/octet-stream;
  types {{ {types} }}
  server {{
    listen 127.0.0.1:{ORIGIN} backlog=4096; root {self._lab}/www;
    location /short/ {{ alias {self._lab}/www/; add_header Cache-Control "public, max-age=1"; }}
    location / {{ add_header Cache-Control "public, max-age=86400"; }}
  }}
}}""")
        self._group.add(process.Program([machine.find("nginx"), "-c", place / "nginx.conf", "-p", place], self._cpus,
                                        place / "log"))
        process.until(lambda: peers.answers(ORIGIN, False, "/html/0.html"), self._group)

    def stop(self):
        self._group.stop()


def user():
    return "root" if os.geteuid() == 0 else "nobody"


class Server:
    """One of the three; subclasses say how it is started."""

    name = ""
    port = 0
    codings = ()
    stores = True

    def __init__(self, lab, memory, cpus, load_cpus):
        self.lab, self.memory, self.cpus, self.load_cpus = lab, memory, cpus, load_cpus
        self.group = process.Group()

    def start(self, keeps=False):
        self._run(keeps)
        process.until(lambda: peers.answers(self.port, False, "/html/0.html"), self.group)

    def _run(self, keeps):
        raise NotImplementedError

    def stop(self):
        self.group.stop()

    def cpu_seconds(self):
        self.group.check()
        return self.group.cpu_seconds()

    def _directory(self, keeps):
        place = self.lab / self.name
        if not keeps:
            shutil.rmtree(place, ignore_errors=True)
        place.mkdir(exist_ok=True)
        return place


class Forebay(Server):
    """From the checkout that has this script."""

    name, port, codings = "forebay", 9110, ("gzip", "br", "zstd")

    def _run(self, keeps):
        place = self._directory(keeps)
        configuration = place / "forebay.yaml"
        configuration.write_text(f"origin: http://127.0.0.1:{ORIGIN}\n")
        environment = {"LAB": str(place), "PEER_CONFIG": str(configuration), "PEER_MEMORY": "1GiB",
                       "PEER_MEMORY_DIR": str(self.memory / "forebay")}
        if not os.environ.get("JAVA_HOME"):
            environment["JAVA_HOME"] = str(pathlib.Path(machine.java()).parents[1])
        if keeps:
            environment["PEER_KEEP"] = "1"
        self.group.add(process.Program([BENCHMARKS / "peer-forebay.sh"], self.cpus, place / "log", environment))

    def copies(self):
        """Copies that are made or were tried."""
        text = peers.text(ADMIN, "/metrics")
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines()
                   if line.startswith("forebay_coded_copies_total"))


class Caddy(Server):
    """It stores nothing: what other servers have as a hit it compresses again."""

    name, port, codings, stores = "caddy", 9105, ("gzip", "zstd"), False

    def _run(self, keeps):
        place = self._directory(keeps)
        media = " ".join(f"{kind}*" for kind in corpus.TYPES.values())
        (place / "Caddyfile").write_text(f"""{{
	admin off
	auto_https off
}}
http://127.0.0.1:{self.port} {{
	encode {{
		zstd
		gzip {GZIP_LEVEL}
		minimum_length {MIN_BYTES}
		match {{
			header Content-Type {media.split(' ')[0]}
			{chr(10).join(f"			header Content-Type {one}" for one in media.split(' ')[1:]).strip()}
		}}
	}}
	reverse_proxy 127.0.0.1:{ORIGIN}
}}
""")
        threads = {"GOMAXPROCS": "1", "HOME": str(place), "XDG_DATA_HOME": str(place), "XDG_CONFIG_HOME": str(place)}
        self.group.add(process.Program([machine.find("caddy"), "run", "--config", place / "Caddyfile"], self.cpus,
                                       place / "log", threads))


class Nginx(Server):
    """It stores what the origin sends, and compresses each response anew."""

    name, port, codings = "nginx", 9101, ("gzip",)
    module = None

    def _run(self, keeps):
        place = self._directory(keeps)
        cache = self.memory / "nginx"
        cache.mkdir(exist_ok=True)
        media = " ".join(kind for kind in corpus.TYPES.values() if kind != "text/html")
        load = f"load_module {self.module};" if self.module else ""
        brotli = (f"brotli on; brotli_comp_level {BROTLI_LEVEL}; brotli_min_length {MIN_BYTES}; brotli_types {media};"
                  if self.module else "")
        (place / "nginx.conf").write_text(f"""
{load} user {user()}; daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000;
  proxy_cache_path {cache} levels=1:2 keys_zone=c:32m max_size=1g inactive=24h use_temp_path=off;
  gzip on; gzip_comp_level {GZIP_LEVEL}; gzip_min_length {MIN_BYTES}; gzip_proxied any; gzip_vary on; gzip_types {media};
  {brotli}
  upstream origin {{ server 127.0.0.1:{ORIGIN}; keepalive 64; }}
  server {{
    listen 127.0.0.1:{self.port} backlog=4096;
    location / {{
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Accept-Encoding "";
      proxy_cache c; proxy_cache_lock on; proxy_cache_revalidate on; proxy_cache_key $uri$is_args$args;
    }}
  }}
}}""")
        self.group.add(process.Program([machine.find("nginx"), "-c", place / "nginx.conf", "-p", place], self.cpus,
                                       place / "log"))


def brotli_module(cache):
    """The module of Debian's package: where it is installed, or unpacked from it; None if there is none."""
    name = "ngx_http_brotli_filter_module.so"
    places = [pathlib.Path("/usr/lib/nginx/modules") / name, cache / "brotli/usr/lib/nginx/modules" / name]
    for place in places:
        if place.exists():
            return place
    package = cache / "brotli.d"
    package.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["apt-get", "download", "-qq", "libnginx-mod-http-brotli-filter"], cwd=package,
                          capture_output=True, text=True)
    archives = sorted(package.glob("*.deb"))
    if done.returncode or not archives:
        return None
    subprocess.run(["dpkg-deb", "-x", archives[0], cache / "brotli"], check=True, capture_output=True)
    return places[1] if places[1].exists() else None

"""What a run needs of the machine, and what is worth knowing about it."""

import os
import pathlib
import platform
import re
import resource
import shutil
import socket
import subprocess
import tempfile

# Debian's packages, by the program that is looked for.
PACKAGES = {
    "nginx": "nginx",
    "varnishd": "varnish",
    "varnishncsa": "varnish",
    "traffic_server": "trafficserver",
    "haproxy": "haproxy",
    "hitch": "hitch",
    "wrk": "wrk",
    "h2load": "nghttp2-client",
    "openssl": "openssl",
    "cc": "gcc",
    "taskset": "util-linux",
    "setpriv": "util-linux",
}
QUIET = 0.5
OPEN_FILES = 400_000
SHARED_MEMORY = pathlib.Path("/dev/shm")
VERSIONS = {
    "nginx": ["nginx", "-v"],
    "varnishd": ["varnishd", "-V"],
    "traffic_server": ["traffic_server", "-V"],
    "haproxy": ["haproxy", "-v"],
    "hitch": ["hitch", "-V"],
    "wrk": ["wrk", "-v"],
    "h2load": ["h2load", "--version"],
    "openssl": ["openssl", "version"],
}


class Unfit(Exception):
    """The machine lacks something; the message says what to do about it."""


def find(program):
    """Where a program lies, also where only root's path leads."""
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def require(programs, is_tls):
    missing = sorted({PACKAGES[p] for p in programs if not find(p)})
    if is_tls and "cc" in programs and not headers("openssl/ssl.h"):
        missing.append("libssl-dev")
    if missing:
        raise Unfit(f"programs are missing: apt-get install {' '.join(missing)}"
                    " (and stop what those packages start by themselves)")


def java():
    """A JDK 25's java: of JAVA_HOME, or where systems keep JDKs."""
    homes = [os.environ.get("JAVA_HOME", "")] + sorted(map(str, pathlib.Path("/usr/lib/jvm").glob("*")))
    for home in filter(None, homes):
        release = pathlib.Path(home, "release")
        if release.exists() and 'JAVA_VERSION="25' in release.read_text():
            return os.path.join(home, "bin", "java")
    raise Unfit("a JDK 25 is wanted: set JAVA_HOME")


def headers(name):
    test = subprocess.run(["cc", "-E", "-x", "c", "-"], input=f"#include <{name}>\n", text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return test.returncode == 0


def require_cpus(*lists):
    allowed = os.sched_getaffinity(0)
    wanted = set().union(*map(cpus, lists))
    if not wanted <= allowed:
        raise Unfit(f"CPUs {listed(wanted)} are wanted, this process may use {listed(allowed)}:"
                    " see --server-cpus and --load-cpus")


def cpus(text):
    """The numbers in a list such as 0,2-3."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def listed(numbers):
    return ",".join(map(str, sorted(numbers)))


def require_ports(ports):
    for port in ports:
        with socket.socket() as test:
            test.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                test.bind(("127.0.0.1", port))
            except OSError as taken:
                raise Unfit(f"port {port} of loopback is wanted: {taken.strerror}") from None


def require_room(directory, needed):
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise Unfit(f"{directory} has {free >> 20} MiB free, {needed >> 20} MiB are wanted")


def device(directory):
    """File system and device below a directory, for the head of a report."""
    place = str(pathlib.Path(directory).resolve())
    mounts = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        numbers, point = fields.split()[2], fields.split()[4]
        if place == point or place.startswith(point.rstrip("/") + "/"):
            mounts.append((len(point), numbers, *rest.split()[:2]))
    # Of mounts on one place the last one is seen.
    _, numbers, system, source = max(reversed(mounts), key=lambda mount: mount[0])
    block = pathlib.Path("/sys/dev/block") / numbers
    queue = next((q for q in (block / "queue", block / ".." / "queue") if q.exists()), None)
    found = {"directory": place, "file_system": system, "device": source}
    if queue:
        scheduler = re.search(r"\[(.*)\]", (queue / "scheduler").read_text())
        found |= {"rotational": (queue / "rotational").read_text().strip() == "1",
                  "scheduler": scheduler.group(1) if scheduler else "none"}
    return found


def available_memory():
    return int(re.search(r"MemAvailable:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) * 1024


def noise(load):
    """A warning when the machine did other work, by its load average before anything was started, or None."""
    if load > QUIET:
        return (f"load average {load:.2f}: other work takes part of what is measured;"
                " compare only when it is quiet")
    return None


def described():
    """Machine and versions, for the head of a report."""
    def first(path, pattern):
        try:
            found = re.search(pattern, pathlib.Path(path).read_text())
        except OSError:
            return "unknown"
        return found.group(1).strip() if found else "unknown"

    return {
        "cpu": first("/proc/cpuinfo", r"model name\s*:\s*(.*)"),
        "cpus": os.cpu_count(),
        "memory_gib": round(int(first("/proc/meminfo", r"MemTotal:\s+(\d+)")) / 2**20, 1),
        "kernel": platform.release(),
        "system": first("/etc/os-release", r'PRETTY_NAME="(.*)"'),
        "shmem_huge_pages": first("/sys/kernel/mm/transparent_hugepage/shmem_enabled", r"\[(\w+)\]"),
        "load_average": os.getloadavg()[0],
    }


def version(program):
    command = VERSIONS.get(program)
    if not command or not find(program):
        return None
    said = subprocess.run([find(program)] + command[1:], capture_output=True, text=True)
    lines = (said.stdout + said.stderr).strip().splitlines()
    found = re.search(r"\d+(\.\d+)+\w*", lines[0]) if lines else None
    return found.group(0) if found else None


def open_files():
    """How many files a server may open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return OPEN_FILES if limit == resource.RLIM_INFINITY else min(OPEN_FILES, limit)


def memory_directory():
    """Where servers keep what they cache: tmpfs if there is one."""
    place = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else tempfile.gettempdir()
    return pathlib.Path(tempfile.mkdtemp(prefix="forebay-peers-", dir=place))

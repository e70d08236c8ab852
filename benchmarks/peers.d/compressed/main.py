"""Options, rounds, tables."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile

from sidebyside import machine, process

from . import corpus, measure, servers, verify

KINDS = {"forebay": servers.Forebay, "caddy": servers.Caddy, "nginx": servers.Nginx}
COLUMNS = (
    ("bytes", "bytes of a miss", "{:.3f}"),
    ("hit_bytes", "bytes of a hit", "{:.3f}"),
    ("cpu", "µs a miss", "{:.0f}"),
    ("second_cpu", "µs until hits are steady", "{:.0f}"),
    ("first_byte", "first byte, ms", "{:.2f}"),
    ("hit_cpu", "µs a hit", "{:.1f}"),
)


def main(arguments=None):
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        return run(options)
    except (machine.Unfit, process.Failed) as told:
        print(f"compression: {told}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _options(arguments):
    parser = argparse.ArgumentParser(
        prog="benchmarks/compression", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Forebay beside Caddy and nginx on one CPU each, before one nginx origin that compresses nothing:\n"
                    "bytes, CPU and first byte of misses, CPU of hits, for each coding. Files of npm packages are\n"
                    "fetched once into a cache directory.",
        epilog="Is all there? benchmarks/compression --rounds 1 --secs 1 --warm 1 --files 2")
    parser.add_argument("--verify", action="store_true",
                        help="no figures: every byte after decoding, over ranges, revalidations, purges and restarts")
    parser.add_argument("--servers", default=",".join(KINDS), help="default forebay,caddy,nginx")
    parser.add_argument("--codings", default="identity,gzip,br,zstd", help="default identity,gzip,br,zstd")
    parser.add_argument("--rounds", type=int, default=5, help="default 5; the order of servers is another in each")
    parser.add_argument("--secs", type=int, default=6, help="of each counted run of hits, default 6")
    parser.add_argument("--warm", type=int, default=15,
                        help="seconds of hits, and as many rounds of misses, before Forebay's first counted run, default 15")
    parser.add_argument("--files", type=int, default=corpus.OF_TYPE, help=f"of each type, default {corpus.OF_TYPE}")
    parser.add_argument("--server-cpus", default="0", help="default 0")
    parser.add_argument("--load-cpus", default="1", help="default 1")
    parser.add_argument("--cache", type=pathlib.Path, help="directory of the packages, default ~/.cache/forebay-corpus")
    parser.add_argument("--brotli-module", type=pathlib.Path,
                        help="nginx's module for br; default that of Debian's package, which is fetched")
    parser.add_argument("--json", metavar="FILE", help="all measurements")
    return parser.parse_args(arguments)


def run(options):
    machine.require(("nginx", "taskset", "setpriv", "wrk"), False)
    names = options.servers.split(",")
    if "caddy" in names and not machine.find("caddy"):
        raise machine.Unfit("programs are missing: apt-get install caddy")
    machine.require_cpus(options.server_cpus, options.load_cpus)
    ports = [servers.ORIGIN, servers.ADMIN] + [KINDS[name].port for name in names]
    machine.require_ports(ports)
    warning = machine.noise(os.getloadavg()[0])
    if warning:
        print(warning)
    cache = options.cache or corpus.cache_directory()
    archives = corpus.fetch(cache)
    module = options.brotli_module or servers.brotli_module(cache)
    if module:
        servers.Nginx.module = module
        servers.Nginx.codings = ("gzip", "br")
    else:
        print("nginx without br: the module is not there")
    lab = pathlib.Path(tempfile.mkdtemp(prefix="forebay-compression-"))
    memory = machine.memory_directory()
    lab.chmod(0o755)
    origin = None
    try:
        files = corpus.unpack(archives, lab / "www", options.files)
        contents = {path: (lab / "www" / path[1:]).read_bytes() for path in files}
        size = sum(map(len, contents.values()))
        print(f"{len(files)} files, {size >> 10} KiB, of {len(corpus.PACKAGES)} packages; "
              + json.dumps(machine.described()), flush=True)
        origin = servers.Origin(lab, options.load_cpus)
        origin.start()
        made = [KINDS[name](lab, memory, options.server_cpus, options.load_cpus) for name in names]
        if options.verify:
            return _verify(made, lab, files, contents)
        results = _measure(options, made, files, contents, size)
        print(table(results, size))
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
        return 0
    finally:
        if origin:
            origin.stop()
        shutil.rmtree(lab, ignore_errors=True)
        shutil.rmtree(memory, ignore_errors=True)


def _verify(all_servers, lab, files, contents):
    """What is wrong of another server is printed and is no failure: it is not ours to mend."""
    for server in all_servers:
        server.start()
        counts, fault = None, None
        try:
            counts = verify.Check(server, lab, files, contents).run()
        except process.Failed as wrong:
            if isinstance(server, servers.Forebay):
                raise
            fault = wrong
        finally:
            server.stop()
        # What the check has changed is as it was for the next one.
        for path, content in contents.items():
            (lab / "www" / path[1:]).write_bytes(content)
        print(fault if fault else f"{server.name}: all bytes are right: "
              + ", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    return 0


def _measure(options, all_servers, files, contents, size):
    wanted = ["" if name == "identity" else name for name in options.codings.split(",")]
    results = []
    number = 0
    for round_number in range(options.rounds):
        turn = round_number % len(all_servers)
        for server in all_servers[turn:] + all_servers[:turn]:
            server.start()
            try:
                own = [coding for coding in wanted if not coding or coding in server.codings]
                warm = options.warm if isinstance(server, servers.Forebay) else 1
                for coding in own:
                    for _ in range(warm):
                        number += 1
                        measure.misses(server, files, coding, contents, number)
                    measure.hits(server, files, coding, number, warm)
                for coding in own:
                    number += 1
                    got = measure.misses(server, files, coding, contents, number)
                    got |= measure.hits(server, files, coding, number, options.secs)
                    got |= {"server": server.name, "coding": coding or "identity", "round": round_number,
                            "bytes": got["bytes"] / size, "hit_bytes": got["hit_bytes"] / size}
                    results.append(got)
                    print(f"round {round_number + 1} {server.name} {got['coding']}: "
                          + ", ".join(f"{title} {form.format(got[key])}" for key, title, form in COLUMNS), flush=True)
            finally:
                server.stop()
    return results


def table(results, size):
    """Medians and, in brackets, the least and the most of the rounds; bytes as a share of identity."""
    lines = ["| Coding | Server | " + " | ".join(title for _, title, _ in COLUMNS) + " |",
             "|---" * (2 + len(COLUMNS)) + "|"]
    for coding in dict.fromkeys(one["coding"] for one in results):
        for server in dict.fromkeys(one["server"] for one in results):
            own = [one for one in results if (one["coding"], one["server"]) == (coding, server)]
            if own:
                lines.append(f"| {coding} | {server} | "
                             + " | ".join(_cell([one[key] for one in own], form) for key, _, form in COLUMNS) + " |")
    lines.append("")
    for coding in dict.fromkeys(one["coding"] for one in results):
        for key, title, _ in COLUMNS:
            base = [one[key] for one in results if (one["coding"], one["server"]) == (coding, "forebay")]
            for server in dict.fromkeys(one["server"] for one in results if one["server"] != "forebay"):
                other = [one[key] for one in results if (one["coding"], one["server"]) == (coding, server)]
                if base and other and statistics.median(other):
                    ratio = statistics.median(base) / statistics.median(other)
                    lines.append(f"{coding}: {title}: forebay / {server} = {ratio:.2f}")
    return "\n".join(lines)


def _cell(values, form):
    middle, least, most = statistics.median(values), min(values), max(values)
    text = form.format(middle)
    return text if len(values) == 1 else f"{text} ({form.format(least)}–{form.format(most)})"

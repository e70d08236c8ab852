"""Options, and the order in which things are run."""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from . import flames, load, machine, model, process, report, servers, site

DEFAULT_PEERS = "nginx,varnish,ats,haproxy,floor,forebay"
DEFAULT_FROM_DISK = "nginx,ats,floor,floor-direct,forebay,forebay-direct"
COMPILERS = ("C1 Compiler", "C2 Compiler")
ROUTES = 100
PURGES = 1000
CAPACITY_SECONDS = 5
LARGEST_SET = 1300 << 20
FOOTPRINT = 2 << 30
READY_SECONDS = 600  # for servers that write a disk first


def main(arguments=None):
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if options.model:
            print(model.tables(options.model, {name: one.size for name, one in site.LOADS.items()}))
            return 0
        return Run(options).run()
    except (machine.Unfit, process.Failed) as told:
        print(f"peers: {told}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _options(arguments):
    parser = argparse.ArgumentParser(
        prog="benchmarks/peers", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Forebay beside other caches on this machine, on loopback: CPU a request of the whole server\n"
                    "process, each server in turn pinned to one CPU, load and origin to another.",
        epilog="Is all there? benchmarks/peers --peers nginx,floor --loads 1b --secs 1 --warm 1 --rounds 1\n"
               "What it needs, and what was measured with it: docs/BENCHMARKS.md")
    what = parser.add_argument_group("what is measured (by default hits with wrk)")
    what.add_argument("--http2", action="store_true", help="hits over TLS and HTTP/2 with h2load, 1, 10, 100 streams")
    what.add_argument("--misses", action="store_true", help="fetches from the origin, with one and eight followers")
    what.add_argument("--tails", action="store_true",
                      help="latencies of hits at a constant rate: 30, 60 and 90 %% of each server's capacity")
    what.add_argument("--from-disk", action="store_true",
                      help="hits from disk: memory for an eighth of what is asked for; at full load, and at one rate"
                           " for all")
    what.add_argument("--starts", action="store_true",
                      help="Forebay started with a thousand objects stored: until the first hit")
    what.add_argument("--model", nargs="+", metavar="FILE",
                      help="nothing: what runs before wrote with --json, brought to larger machines")
    how = parser.add_argument_group("how")
    how.add_argument("--peers", help=f"which servers, default {DEFAULT_PEERS}; --from-disk {DEFAULT_FROM_DISK}")
    how.add_argument("--forebay", action="append", default=[], metavar="NAME='KEY=VALUE ...'",
                     help="one more Forebay: ROOT (another checkout), JAVA_OPTS, THREADS, ACCESS_LOG=on, MEMORY,"
                          " MEMORY_DIR (emptied), CONFIG, AOT (a file, or off), DISK_IO (buffered, direct),"
                          " SERVERS (1 to 4 addresses of the origin)")
    how.add_argument("--loads", help="of 1b, 1k, 10k, 100k, 1m, 2m, 5m, 16m; default 1b,10k,100k,2m"
                                     " (--misses 10k,2m; --http2 and --tails 10k; --from-disk 100k,2m)")
    how.add_argument("--objects", type=int, metavar="N",
                     help="of each load, instead of 40 to 1,000: 600 of 2m are more than a processor's caches hold")
    how.add_argument("--tls", action="store_true", help="HTTPS instead of HTTP")
    how.add_argument("--heads", choices=("bare", "browser"), default="bare",
                     help="heads of requests: wrk's, or a browser's with cookies, 1.1 kB")
    how.add_argument("--zipf", type=int, nargs="?", const=100_000, metavar="N",
                     help="N objects by Zipf's law, 100,000 if not said, instead of some hundred alike")
    how.add_argument("--footprint", type=_size, metavar="SIZE",
                     help="with --from-disk: bytes of all objects of a load, such as 8G; default 2G, or a quarter of the"
                          " memory available, so that the page cache holds them")
    how.add_argument("--exponent", type=float, default=0.0,
                     help="with --from-disk: of Zipf's law, such as 0.9; default 0, all objects alike")
    how.add_argument("--disk", metavar="DIR",
                     help="with --from-disk: where caches keep their files, on the device to measure; default a directory"
                          " for temporary files")
    how.add_argument("--gbits", type=float, default=2.0,
                     help="with --from-disk: the one rate for all, Gbit/s of bodies, default 2")
    how.add_argument("--access-log", action="store_true", help="all servers write an access log")
    how.add_argument("--furnished", action="store_true",
                     help=f"Forebay has {ROUTES} routes and {PURGES} purges to heed")
    how.add_argument("--rounds", type=int, help="default 5 (--tails 1, --from-disk 3); the order of servers is another in each")
    how.add_argument("--secs", type=int, help="of each counted run, default 8 (--tails 300)")
    how.add_argument("--warm", type=int, default=10, help="seconds of load before the first counted run of a load,"
                                                          " default 10: a JVM compiles first")
    how.add_argument("--warm-native", type=int, help="the same for servers that compile nothing, default as --warm")
    how.add_argument("--threads", type=int, default=1, help="threads or workers of each server")
    how.add_argument("--server-cpus", default="0", help="default 0")
    how.add_argument("--load-cpus", default="1", help="default 1")
    how.add_argument("--rates", help="with --tails: these requests/s for all, instead of shares of capacity")
    how.add_argument("--connections", type=int, default=200, help="with --tails and --from-disk, at a"
                                                                                 " constant rate; default 200")
    how.add_argument("--json", metavar="FILE", help="all measurements")
    how.add_argument("--flames", metavar="DIR", help="a flame graph of each counted run of a JVM (hits, --http2, --misses);"
                                                    " needs --profiler")
    how.add_argument("--profiler", metavar="FILE", help="async-profiler's libasyncProfiler.so")
    how.add_argument("--keep", metavar="DIR", help="configurations, logs and the origin's files stay there")
    options = parser.parse_args(arguments)
    if options.http2 + options.misses + options.tails + options.starts + options.from_disk > 1:
        parser.error("one of --http2, --misses, --tails, --from-disk and --starts")
    if options.from_disk and (options.tls or options.zipf or options.objects):
        parser.error("--from-disk goes without --tls, --zipf and --objects: see --exponent and --footprint")
    if options.peers is None:
        options.peers = DEFAULT_FROM_DISK if options.from_disk else DEFAULT_PEERS
    if options.tails and options.tls or options.misses and options.zipf or options.http2 and options.zipf:
        parser.error("--tails goes without --tls, --misses and --http2 without --zipf")
    if bool(options.flames) != bool(options.profiler):
        parser.error("--flames and --profiler go together")
    if not options.rounds:
        options.rounds = 1 if options.tails else 3 if options.from_disk else 5
    return options


def _size(text):
    """Bytes, as 512M or 8G."""
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    try:
        return int(float(number) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[unit])
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"{text} is no size such as 8G") from None


class Run:
    """One run: servers in turn, rounds, and what was measured."""

    def __init__(self, options):
        self._options = options
        self._rows = []
        self._asked = 0  # URLs of misses, never twice in a run
        self._footprint = options.footprint or min(FOOTPRINT, machine.available_memory() // 4)
        self._peers = self._chosen_peers()
        self._loads = self._chosen_loads()
        self._heads = site.heads(options.heads)
        self._setting = None
        self._origin = None
        self._profiler = flames.Profiler(options.profiler, options.flames) if options.flames else None

    def _chosen_peers(self):
        names = [name for name in self._options.peers.split(",") if name]
        known = servers.FROM_DISK if self._options.from_disk else servers.PEERS
        unknown = [name for name in names if name not in known]
        if unknown:
            raise machine.Unfit(f"no such server: {', '.join(unknown)}; there are {', '.join(known)}")
        chosen = [known[name] for name in names] + [servers.Forebay.variant(v) for v in self._options.forebay]
        if self._options.starts:
            chosen = [peer for peer in chosen if isinstance(peer, servers.Forebay)]
        if self._options.misses:
            chosen = [peer for peer in chosen if peer.name not in report.NO_CACHES]
        return [peer for peer in chosen if self._scheme() in peer.schemes]

    def _chosen_loads(self):
        default = ("10k,2m" if self._options.misses else
                   "100k,2m" if self._options.from_disk else
                   "10k" if self._options.http2 or self._options.tails else "1b,10k,100k,2m")
        if self._options.starts:
            default = "1k"
        names = (self._options.loads or default).split(",")
        unknown = [name for name in names if name not in site.LOADS]
        if unknown:
            raise machine.Unfit(f"no such load: {', '.join(unknown)}; there are {', '.join(site.LOADS)}")
        loads = [site.LOADS[name] for name in names]
        if self._options.from_disk:
            return tuple(site.from_disk(one, self._footprint, self._options.exponent) for one in loads)
        if self._options.objects:
            loads = [dataclasses.replace(one, count=self._options.objects) for one in loads]
            for one in loads:
                self._require_room_in_memory(one, one.count)
        if self._options.zipf:
            for one in loads:
                self._require_room_in_memory(one, self._options.zipf)
            return tuple(site.zipf(one, self._options.zipf) for one in loads)
        return tuple(loads)

    @staticmethod
    def _require_room_in_memory(one, count):
        if one.size * count > LARGEST_SET:
            raise machine.Unfit(f"{count} objects of {one.name} are more than all servers can keep in memory"
                                f" ({LARGEST_SET >> 20} MiB here)")

    def _scheme(self):
        return "h2" if self._options.http2 else "https" if self._options.tls else "http"

    def run(self):
        options = self._options
        lab = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="forebay-peers-")).resolve()
        lab.mkdir(parents=True, exist_ok=True)
        lab.chmod(0o755)
        memory = machine.memory_directory()
        loads = self._loads + (tuple(map(site.misses, self._loads)) if options.misses else ())
        self._setting = servers.Setting(
            lab=lab, memory=memory, loads=loads, scheme=self._scheme(), threads=options.threads,
            access_log=options.access_log, routes=ROUTES if options.furnished else 0,
            server_cpus=options.server_cpus, load_cpus=options.load_cpus, disk=self._disk(lab))
        try:
            self._check()
            site.make_files(lab / "www", loads)
            servers.make_certificate(lab)
            if options.tails or options.from_disk:
                servers.compile_c(servers.BENCHMARKS / "open-loop" / "open_loop.c", lab / "open-loop")
            self._rounds()
            self._report()
            return 0
        finally:
            shutil.rmtree(memory, ignore_errors=True)
            if self._setting.disk:
                shutil.rmtree(self._setting.disk.directory, ignore_errors=True)
            if not options.keep:
                shutil.rmtree(lab, ignore_errors=True)

    def _disk(self, lab):
        """A directory of our own, so that nothing else is removed with it."""
        if not self._options.from_disk:
            return None
        directory = pathlib.Path(tempfile.mkdtemp(prefix="forebay-peers-disk-", dir=self._options.disk or lab))
        directory.chmod(0o755)
        return servers.Disk(directory, self._footprint)

    def _check(self):
        setting = self._setting
        programs = {"taskset", "setpriv", "openssl", "h2load" if self._options.http2 else "wrk", *servers.Origin.programs}
        if self._options.zipf:
            programs.add("h2load")
        if self._options.tails or self._options.from_disk:
            programs.add("cc")
        for peer in self._peers:
            programs |= set(peer.programs(setting))
        machine.require(programs, setting.is_tls)
        machine.require_cpus(setting.server_cpus, setting.load_cpus)
        machine.require_ports([servers.ORIGIN] + sorted({port for peer in self._peers for port in peer.ports()}))
        machine.require_room(setting.lab, site.bytes_of_files(setting.loads) + (64 << 20))
        machine.require_room(setting.memory, setting.disk.memory * 2 if setting.disk else 4 << 30)
        if setting.disk:
            machine.require_room(setting.disk.directory, setting.disk.size + (256 << 20))
        self._about = {"machine": machine.described(), "versions": {
            program: found for program in sorted(programs) if (found := machine.version(program))},
            "options": vars(self._options)}
        print(f"# {json.dumps(self._about['machine'])}\n# {json.dumps(self._about['versions'])}", flush=True)
        if setting.disk:
            self._about["disk"] = machine.device(setting.disk.directory) | {
                "footprint": setting.disk.footprint, "memory": setting.disk.memory, "size": setting.disk.size,
                "objects": {one.files: one.count for one in self._loads}}
            print(f"# {json.dumps(self._about['disk'])}", flush=True)
        warning = self._noise()
        if warning:
            print(f"peers: {warning}", file=sys.stderr)

    def _noise(self):
        return machine.noise(self._about["machine"]["load_average"])

    def _rounds(self):
        self._origin = servers.Origin(self._setting)
        try:
            self._origin.start()
            for number in range(self._options.rounds):
                turn = number % len(self._peers)
                for peer in self._peers[turn:] + self._peers[:turn]:
                    self._one(number, peer)
        finally:
            self._origin.stop()

    def _one(self, number, peer):
        """One server in one round: started afresh, asked, stopped."""
        if not self._options.from_disk:
            return self._asked_for(number, peer, self._setting, self._loads)
        for one in self._loads:
            # Each load has the cache to itself.
            self._asked_for(number, peer, dataclasses.replace(self._setting, loads=(one,)), (one,))
            self._setting.disk.clear()

    def _asked_for(self, number, peer, setting, loads):
        group = process.Group()
        try:
            peer.start(setting, group)
            first = setting.loads[0].path(0)
            process.until(lambda: servers.answers(peer.port(setting), setting.is_tls, first), group,
                          **({"seconds": READY_SECONDS} if setting.disk else {}))
            if isinstance(peer, servers.Forebay) and self._options.furnished:
                peer.purge(PURGES)
            measure = self._measure()
            for one in loads:
                measure(number, peer, group, one)
        finally:
            group.stop()

    def _measure(self):
        for is_chosen, measure in ((self._options.starts, self._starts), (self._options.misses, self._misses),
                                   (self._options.http2, self._streams), (self._options.tails, self._tails),
                                   (self._options.from_disk, self._from_disk)):
            if is_chosen:
                return measure
        return self._hits

    def _warm_seconds(self, peer):
        chosen = None if peer.is_jvm else self._options.warm_native
        return self._options.warm if chosen is None else chosen

    def _hits(self, number, peer, group, one):
        load.warm(self._setting, peer, one)

        def ask(seconds):
            return load.closed(self._setting, peer, one, self._heads, seconds)

        if self._warm_seconds(peer):
            ask(self._warm_seconds(peer))

        self._add(number, peer, one, one.name, self._counted(group, one, self._profiled(peer, group, one.name, ask)))

    def _streams(self, number, peer, group, one):
        load.warm(self._setting, peer, one)
        for streams in (1, 10, 100):
            clients = 100 if streams == 1 else 10

            def ask(seconds):
                return load.streams(self._setting, peer, one, self._heads, clients, streams, seconds)

            if self._warm_seconds(peer):
                ask(self._warm_seconds(peer))
            column = f"{one.name}, {streams} stream{'s' if streams > 1 else ''}"
            self._add(number, peer, one, column, self._counted(group, one, self._profiled(peer, group, column, ask)))

    def _misses(self, number, peer, group, one):
        missed = site.misses(one)

        for followers in (1, 8):
            def ask(seconds, followers=followers):
                said = load.missing(self._setting, peer, missed, followers, self._asked, seconds)
                self._asked += said["asked"] // followers + 1
                return said

            if self._warm_seconds(peer):
                ask(self._warm_seconds(peer))
            column = f"{one.name}, {followers} follower{'s' if followers > 1 else ''}"
            row = self._counted(group, one, self._profiled(peer, group, column, ask))
            row["us_a_miss"] = row["us"] * followers
            row["misses_per_second"] = row["rps"] / followers
            # Some were asked for that were not answered any more.
            row["origin_a_url"] = row["origin_requests"] / (row["asked"] / followers)
            row["origin_share"] = 0
            self._add(number, peer, one, column, row)

    def _profiled(self, peer, group, column, ask):
        """Asks for as long as is counted, with a flame graph where one is wanted."""
        def counted():
            return ask(self._options.secs or 8)

        if not self._profiler:
            return counted
        name = f"{peer.name}-{self._setting.scheme}-{column}".replace(", ", "-").replace(" ", "-")
        return lambda: self._profiler.around(group, name, counted)

    def _tails(self, number, peer, group, one):
        load.warm(self._setting, peer, one)
        load.closed(self._setting, peer, one, self._heads, max(1, self._warm_seconds(peer)))

        def ask(rate, seconds):
            return load.open_loop(self._setting, peer, one, self._heads, rate, self._options.connections, seconds)

        if self._options.rates:
            rates = [(f"{rate}/s", float(rate)) for rate in self._options.rates.split(",")]
        else:
            roughly = self._counted(group, one, lambda: load.closed(self._setting, peer, one, self._heads, CAPACITY_SECONDS))
            # With more due than can be answered. A request costs another amount than with wrk, which asks in larger batches.
            full = self._counted(group, one, lambda: ask(roughly["rps"] * 1.2, CAPACITY_SECONDS))
            # What it could do if its CPUs had nothing to wait for.
            capacity = full["sent"] / full["cpu_seconds"] * self._options.threads
            rates = [(f"{share} %", capacity * share / 100) for share in (30, 60, 90)]
        for name, rate in rates:
            row = self._counted(group, one, lambda: ask(rate, self._options.secs or 300))
            row["rate"] = rate
            self._add(number, peer, one, f"{one.name} at {name}", row)

    def _from_disk(self, number, peer, group, one):
        load.fill(self._setting, peer, one, self._origin.requests)
        os.sync()  # what the fill has left to be written is no part of a hit
        seconds = self._options.secs or 8

        def full(seconds):
            return load.closed(self._setting, peer, one, self._heads, seconds)

        def constant():
            said = load.open_loop(self._setting, peer, one, self._heads, rate, self._options.connections, seconds)
            # Those of its first seconds too: they are in the CPU time as well.
            said["requests"] = said["due"] - said["unanswered"] - said["errors"]
            return said

        if self._warm_seconds(peer):
            full(self._warm_seconds(peer))
        column = f"{one.files}, full load"
        ask = self._profiled(peer, group, column, full)
        self._add(number, peer, one, column, self._from_disk_counted(peer, group, one, ask))
        rate = self._options.gbits * 1e9 / 8 / one.size
        row = self._from_disk_counted(peer, group, one, constant)
        self._add(number, peer, one, f"{one.files}, {rate:.0f}/s", row | {"rate": rate})

    def _from_disk_counted(self, peer, group, one, ask):
        """Beside the CPU time: which threads took it, bytes read a byte sent, and what the server says of itself."""
        said_before = peer.counters(self._setting)
        threads_before = group.threads()
        io_before = group.io_bytes()
        row = self._counted(group, one, ask)
        read, read_from_device, written_to_device = (
            after - before for after, before in zip(group.io_bytes(), io_before))
        threads = {name: (seconds - threads_before.get(name, 0)) / row["requests"] * 1e6
                   for name, seconds in group.threads().items()}
        said = {name: value - said_before[name] for name, value in peer.counters(self._setting).items()}
        sent = row["requests"] * one.size
        return row | {
            "read": read / sent,
            "read_from_device": read_from_device / sent,
            "written_to_device": written_to_device / sent,
            "missed_share": said["missed"] / row["requests"] if "missed" in said else None,
            "memory_share": said["memory"] / row["requests"] if "memory" in said else None,
            "refused_share": said["refused"] / row["requests"] if "refused" in said else None,
            "written_to_memory": said["written"] / sent if "written" in said else None,
            "threads_us": {name: us for name, us in sorted(threads.items(), key=lambda one: -one[1]) if us >= 0.01},
        }

    def _starts(self, number, peer, group, one):
        load.warm(self._setting, peer, one)
        group.stop()
        origin_before, began = self._origin.requests(), time.monotonic()
        peer.restart(self._setting, group)
        process.until(lambda: servers.answers(peer.port(self._setting), self._setting.is_tls, one.path(0)), group,
                      pause=0.005)
        took, spent = time.monotonic() - began, group.cpu_seconds()
        if self._origin.requests() > origin_before:
            raise process.Failed(f"{peer.name}: its first answer came from the origin")
        self._add(number, peer, one, one.name, {"first_hit_ms": took * 1e3, "cpu_ms": spent * 1e3, "errors": 0})

    def _counted(self, group, one, ask):
        """What is asked, and what it cost the server."""
        asked_before, threads_before = self._origin.requests(), group.threads()
        cpu_before, began = group.cpu_seconds(), time.monotonic()
        row = ask()
        spent, took = group.cpu_seconds() - cpu_before, time.monotonic() - began
        threads = group.threads()
        group.check()
        if not row["requests"]:
            raise process.Failed(f"not one request for {one.name} was answered")
        origin_requests = self._origin.requests() - asked_before
        compilers = sum(seconds - threads_before.get(name, 0) for name, seconds in threads.items()
                        if name.startswith(COMPILERS))
        row |= {
            "cpu_seconds": spent,
            "rps": row["requests"] / row["seconds"],
            "gbps": row["requests"] * one.size * 8 / row["seconds"] / 1e9,
            "us": spent / row["requests"] * 1e6,
            "compiler_us": compilers / row["requests"] * 1e6,
            "utilisation": spent / took,
            "rss_mib": group.resident_mib(),
            "origin_requests": origin_requests,
            "origin_share": origin_requests / row["requests"],
        }
        return row

    def _add(self, number, peer, one, column, row):
        row = {"round": number, "peer": peer.name, "load": one.name, "column": column, "scheme": self._setting.scheme,
               "heads": self._options.heads, **row}
        self._rows.append(row)
        print(report.line(row), flush=True)

    def _report(self):
        titles = {peer.name: peer.title for peer in self._peers}
        print(f"\nMedians of {self._options.rounds} rounds (least–most); ratios of each round by itself\n")
        print(report.tables(self._rows, titles))
        warning = self._noise()
        if warning:
            print(f"\nThe machine was not quiet: {warning}.")
        if self._options.json:
            report.write_json(self._options.json, self._about, self._rows)


"""Programs that are started, measured and stopped: always by the process we started, never by name."""

import os
import pathlib
import re
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE_SECONDS = 20


class Failed(Exception):
    """A program did not do what it was started for."""


class Program:
    """One running program with all its children, pinned."""

    def __init__(self, command, cpus, log, environment=None):
        self.log = pathlib.Path(log)
        self.command = command
        words = ["setpriv", "--pdeathsig", "TERM", "taskset", "-c", cpus] + [str(word) for word in command]
        with open(self.log, "ab") as out:
            # A session of its own: Ctrl-C comes to us alone, who stop what we started in order. If we
            # are killed ourselves, the kernel tells it to end.
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                env={**os.environ, **(environment or {})})

    def is_running(self):
        return self.process.poll() is None

    def pids(self):
        """The process and all that descend from it."""
        found, todo = [], [self.process.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    children = pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text()
                    todo += map(int, children.split())
            except OSError:
                pass  # it ended meanwhile
        return found

    def cpu_seconds(self):
        return sum(_spent(f"/proc/{pid}/stat", with_children=True) for pid in self.pids())

    def threads(self):
        """CPU seconds by the name of a thread: what a JVM's compilers and collector took is told apart."""
        spent = {}
        for pid in self.pids():
            try:
                tasks = os.listdir(f"/proc/{pid}/task")
            except OSError:
                continue
            for task in tasks:
                try:
                    name = pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text().strip()
                except OSError:
                    continue
                spent[name] = spent.get(name, 0.0) + _spent(f"/proc/{pid}/task/{task}/stat")
        return spent

    def io_bytes(self):
        """
        Read by system calls (files; of sockets only requests, which are short), read from block devices, and written
        to files on them.
        """
        by_calls = from_devices = to_devices = 0
        for pid in self.pids():
            try:
                counts = dict(re.findall(r"(\w+): (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text()))
            except OSError:
                continue
            by_calls += int(counts["rchar"])
            from_devices += int(counts["read_bytes"])
            to_devices += int(counts["write_bytes"])
        return by_calls, from_devices, to_devices

    def resident_mib(self):
        kib = 0
        for pid in self.pids():
            try:
                found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
                kib += int(found.group(1)) if found else 0
            except OSError:
                pass
        return kib // 1024

    def stop(self):
        if self.is_running():
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def last_words(self):
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return " / ".join(lines[-3:]) or "it said nothing"


def _spent(path, with_children=False):
    try:
        fields = pathlib.Path(path).read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15 if with_children else 13])) / TICKS


class Group:
    """Programs that are one server together, such as a TLS front and the cache behind it."""

    def __init__(self):
        self.programs = []

    def add(self, program):
        self.programs.append(program)
        return program

    def cpu_seconds(self):
        return sum(program.cpu_seconds() for program in self.programs)

    def threads(self):
        spent = {}
        for program in self.programs:
            for name, seconds in program.threads().items():
                spent[name] = spent.get(name, 0.0) + seconds
        return spent

    def io_bytes(self):
        return tuple(map(sum, zip(*(program.io_bytes() for program in self.programs))))

    def resident_mib(self):
        return sum(program.resident_mib() for program in self.programs)

    def check(self):
        for program in self.programs:
            if not program.is_running():
                raise Failed(f"{program.command[0]} ended: {program.last_words()}")

    def stop(self):
        for program in reversed(self.programs):
            program.stop()
        self.programs = []


def until(condition, group, seconds=60, pause=0.1):
    """Waits for something that the programs of a group are to bring about."""
    end = time.monotonic() + seconds
    while not condition():
        group.check()
        if time.monotonic() > end:
            raise Failed(f"{group.programs[-1].command[0]} does not answer after {seconds} s:"
                         f" {group.programs[-1].last_words()}")
        time.sleep(pause)

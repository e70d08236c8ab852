"""Flame graphs of JVMs, by async-profiler: while it samples, a server spends more than it would."""

import os
import pathlib
import subprocess

from . import process

EVENT = "cpu"
INTERVAL = "1ms"


class Profiler:
    """Writes a flame graph, HTML that needs nothing else, and its stacks as text, for each counted run."""

    def __init__(self, library, directory):
        self._library = pathlib.Path(library).resolve()
        self._directory = pathlib.Path(directory).resolve()
        self._directory.mkdir(parents=True, exist_ok=True)
        if not self._library.is_file():
            raise process.Failed(f"{library} is no libasyncProfiler.so: docs/BENCHMARKS.md says where it comes from")

    def around(self, group, name, ask):
        """Asks, and profiles the group's JVM meanwhile."""
        file = self._directory / name
        jvm = next((pid for program in group.programs for pid in program.pids() if _executable(pid).endswith("/java")),
                   None)
        if jvm is None:
            return ask()
        self._tell(jvm, f"start,event={EVENT},interval={INTERVAL},threads,file={file}.html")
        try:
            return ask()
        finally:
            self._tell(jvm, f"dump,collapsed,file={file}.txt")
            self._tell(jvm, f"stop,file={file}.html,title={name}")

    def _tell(self, jvm, command):
        jcmd = os.path.join(os.path.dirname(_executable(jvm)), "jcmd")
        told = subprocess.run([jcmd, str(jvm), "JVMTI.agent_load", str(self._library), f'"{command}"'],
                              capture_output=True, text=True)
        if told.returncode or "return code: 0" not in told.stdout:
            raise process.Failed(f"async-profiler: {command}: {(told.stdout + told.stderr).strip()}")


def _executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""

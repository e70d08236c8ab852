"""How far one node would go on a larger machine: a model from what was measured on this one.

What a response takes of a core is measured. It is assumed that cores scale by a factor (shared clock,
caches and locks of the kernel), that loopback costs what a network card and its driver cost, and that
each byte served crosses the memory bus so many times (see docs/BENCHMARKS.md). What is least breaks first.
"""

import dataclasses
import json
import statistics

CORES_FACTOR = 0.8  # all cores at work, of so many times one
MEMORY_FACTOR = 0.8  # what a memory bus gives of what is written on it
NETWORK_FACTOR = 0.95  # payload of what a card carries
SMALLEST = 1024  # below that requests count, not bits
TOUCHES = (2, 4)  # times that a byte served crosses the memory bus: at best, at worst


@dataclasses.dataclass(frozen=True)
class Machine:
    title: str
    cores: int
    memory_gb: float  # a second
    network_gbit: float


MACHINES = (
    Machine("8 cores, 2 channels DDR5-4800, 100 GbE", 8, 77, 100),
    Machine("32 cores, 8 channels DDR4-3200, 400 GbE", 32, 205, 400),
    Machine("64 cores, 12 channels DDR5-4800, 800 GbE", 64, 461, 800),
    Machine("112 cores in two sockets, 16 channels DDR5-4800, 1,600 GbE", 112, 614, 1600),
)


def tables(files, sizes):
    return "\n\n".join(_table(path, sizes) for path in files)


def _table(path, sizes):
    with open(path, encoding="utf-8") as text:
        run = json.load(text)
    measured = {}
    for row in run["rows"]:
        if row["peer"] == "forebay" and "us" in row and sizes.get(row["load"], 0) >= SMALLEST:
            measured.setdefault(row["load"], []).append(row["us"])
    scheme = run["rows"][0]["scheme"]
    lines = [f"| Gbit/s, {scheme} | " + " | ".join(measured) + " |", "|---|" + "---|" * len(measured),
             "| one core, as measured | " + " | ".join(
                 f"{_core(sizes[load], us):.1f}" for load, us in measured.items()) + " |"]
    for machine in MACHINES:
        cells = [_cell(machine, _core(sizes[load], us)) for load, us in measured.items()]
        lines.append(f"| {machine.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _core(size, us):
    return size * 8 / statistics.median(us) / 1e3


def _cell(machine, core):
    """The least of what cores, memory bus and network give, and which that is; a range where touches decide."""
    cores = machine.cores * CORES_FACTOR * core
    network = machine.network_gbit * NETWORK_FACTOR
    ends = []
    for touches in reversed(TOUCHES):
        bounds = {"cores": cores, "network": network, "memory": machine.memory_gb * MEMORY_FACTOR * 8 / touches}
        first = min(bounds, key=bounds.get)
        ends.append((bounds[first], first))
    (worst, worst_why), (best, best_why) = ends
    if round(worst) == round(best):
        return f"{best:.0f}, {best_why}"
    return f"{worst:.0f}, {worst_why} – {best:.0f}, {best_why}"

"""Lines while it runs; tables and JSON at the end."""

import json
import statistics

GOAL_OF_PEER = 0.75
GOAL_OF_FLOOR = 1.1
CACHES = ("nginx", "varnish", "ats", "haproxy")
NO_CACHES = ("floor", "floor-direct", "netty-epoll", "netty-io_uring",
             *(f"{call}-{served}" for call in ("writev", "sendfile") for served in (0, 60, 15, 5)))
THREADS_SHOWN = 5


def line(row):
    """One measurement, as it is made."""
    text = f"{row['round'] + 1}  {row['peer']:16} {row['column']:14}"
    if "read_from_device" in row:
        return text + _from_disk_line(row)
    if "first_hit_ms" in row:
        return f"{text} first hit after {row['first_hit_ms']:.0f} ms, {row['cpu_ms']:.0f} ms of CPU"
    if "last" in row:
        return (f"{text} {row['rate']:9.0f} due/s  first {_times(row['first'])}  last {_times(row['last'])}"
                f"  lag {_times(row['lag'])}  util {row['utilisation']:.2f}{_trouble(row)}")
    text += f" {row['rps']:9.0f} req/s {row['gbps']:6.2f} Gbit/s {row['us']:8.2f} us/req  util {row['utilisation']:.2f}"
    if "us_a_miss" in row:
        text += f"  {row['misses_per_second']:8.0f} misses/s {row['us_a_miss']:9.1f} us/miss"
    if row["compiler_us"]:
        text += f"  compilers {row['compiler_us']:.2f} us"
    if row["p99"]:
        text += f"  p99 {row['p99']:.2f} ms"
    return f"{text}  rss {row['rss_mib']}{_trouble(row)}"


def _from_disk_line(row):
    text = f" {row['rps']:9.0f} req/s {row['gbps']:6.2f} Gbit/s {row['us']:8.2f} us/req  util {row['utilisation']:.2f}"
    if "last" in row:
        text += f"  first {_times(row['first'])}  last {_times(row['last'])}  lag {_times(row['lag'])}"
    else:
        text += f"  p50 {row['p50']:.2f} p99 {row['p99']:.2f} ms"
    if row["compiler_us"]:
        text += f"  compilers {row['compiler_us']:.2f} us"
    text += (f"  read {row['read']:.2f}, from the device {row['read_from_device']:.2f}, written to it"
             f" {row['written_to_device']:.2f}")
    for name in ("written_to_memory", "missed_share", "memory_share", "refused_share"):
        if row[name] is not None:
            text += f"  {name.replace('_', ' ')} {row[name]:.4f}"
    threads = ", ".join(f"{name} {us:.1f}" for name, us in list(row["threads_us"].items())[:THREADS_SHOWN])
    return f"{text}  rss {row['rss_mib']}{_trouble(row)}\n     us/req by thread: {threads}"


def _times(times):
    return "/".join(f"{times[key]:.2f}" for key in ("p50", "p99", "p999", "max"))


def _trouble(row):
    text = f"  ERRORS {row['errors']}" if row["errors"] else ""
    if row.get("unanswered"):
        text += f"  UNANSWERED {row['unanswered']}"
    if row.get("origin_share", 0) > 0.001:
        text += f"  NOT CACHED {row['origin_share']:.1%}"
    return text


def tables(rows, titles):
    """Markdown: what each mode of a run is about."""
    if any("read_from_device" in row for row in rows):
        return _from_disk(rows, titles)
    if any("last" in row for row in rows):
        return _tails(rows, titles)
    if any("first_hit_ms" in row for row in rows):
        return "\n\n".join(_table(rows, titles, *metric) for metric in (
            ("first_hit_ms", "ms from the start of the process to the first hit", False),
            ("cpu_ms", "ms of CPU until then", False)))
    metrics = [("us", "µs CPU a request", False)]
    if any("us_a_miss" in row for row in rows):
        metrics = [("us_a_miss", "µs CPU a miss", False), ("misses_per_second", "misses/s", True),
                   ("origin_a_url", "requests to the origin a URL", False)]
    return "\n\n".join(_table(rows, titles, *metric) for metric in metrics)


def _table(rows, titles, metric, what, more_is_better):
    columns = list(dict.fromkeys(row["column"] for row in rows))
    peers = list(dict.fromkeys(row["peer"] for row in rows))
    cells = {(p, c): [row[metric] for row in rows if row["peer"] == p and row["column"] == c and row[metric] is not None]
             for p in peers for c in columns}
    lines = [f"| {what} | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for peer in sorted(peers, key=lambda p: (not _is_ours(p), p in NO_CACHES, p)):
        lines.append(f"| {titles[peer]} | " + " | ".join(_spread(cells[peer, c]) for c in columns) + " |")
    others = [p for p in peers if p in CACHES]
    for ours in filter(_is_ours, peers):
        if others:
            lines.append(_ratios(f"{titles[ours]} over the best peer", rows, ours, columns, metric,
                                 {c: _best(cells, others, c, more_is_better) for c in columns}))
        floor = "floor-direct" if ours.endswith("-direct") and "floor-direct" in peers else "floor"
        if floor in peers:
            lines.append(_ratios(f"{titles[ours]} over the {titles[floor] if floor != 'floor' else 'floor'}", rows, ours,
                                 columns, metric, dict.fromkeys(columns, floor)))
        if others and "floor" in peers and metric == "us":
            lines.append(_goals(titles[ours], cells, ours, others, columns))
    return "\n".join(lines)


def _is_ours(peer):
    return peer not in CACHES + NO_CACHES


def _best(cells, others, column, more_is_better):
    known = [p for p in others if cells[p, column]]
    choose = max if more_is_better else min
    return choose(known, key=lambda p: statistics.median(cells[p, column])) if known else None


def _ratios(title, rows, ours, columns, metric, beside):
    """Of each round by itself, since the machine's speed drifts from one to the next."""
    def of(peer, column):
        return {row["round"]: row[metric] for row in rows
                if row["peer"] == peer and row["column"] == column and row[metric] is not None}

    def cell(column):
        mine, theirs = of(ours, column), of(beside[column], column)
        return _spread([mine[r] / theirs[r] for r in mine if theirs.get(r)])

    return f"| {title} | " + " | ".join(cell(column) for column in columns) + " |"


def _goals(title, cells, ours, others, columns):
    """The bound of the project: three quarters of the best peer, or a tenth above the floor if that is more."""
    def cell(column):
        best = _best(cells, others, column, False)
        if not (best and cells[ours, column] and cells["floor", column]):
            return "–"
        bound = max(GOAL_OF_PEER * statistics.median(cells[best, column]),
                    GOAL_OF_FLOOR * statistics.median(cells["floor", column]))
        return f"{statistics.median(cells[ours, column]) / bound:.2f}"

    return f"| {title} over the greater of 0.75 best peer and 1.1 floor | " + " | ".join(map(cell, columns)) + " |"


def _spread(values):
    if not values:
        return "–"
    if len(values) == 1:
        return _number(values[0])
    return f"{_number(statistics.median(values))} ({_number(min(values))}–{_number(max(values))})"


def _number(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _tails(rows, titles):
    """Latencies of the open-loop client; medians of the rounds for each percentile."""
    lines = ["| | asked for | requests/s | byte | p50 ms | p99 | p99.9 | max | client late by, p99 | errors |",
             "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|"]
    for peer in dict.fromkeys(row["peer"] for row in rows):
        for column in dict.fromkeys(row["column"] for row in rows if row["peer"] == peer):
            mine = [row for row in rows if row["peer"] == peer and row["column"] == column]
            for which in ("first", "last"):
                times = " | ".join(_spread([row[which][key] for row in mine]) for key in ("p50", "p99", "p999", "max"))
                lines.append(
                    f"| {titles[peer]} | {column} | {statistics.median(row['rate'] for row in mine):.0f} | {which} |"
                    f" {times} | {_spread([row['lag']['p99'] for row in mine])} |"
                    f" {sum(row['errors'] + row['unanswered'] for row in mine)} |")
    return "\n".join(lines)


def _from_disk(rows, titles):
    """CPU of both loads, throughput of the full one, latencies of the constant one, and whether it were hits from disk."""
    full = [row for row in rows if "last" not in row]
    lines = ["| | load | byte | p50 ms | p99 | hits | missed, by its own count | from memory, by its own count"
             " | reads refused | read a byte sent | from the device | written to it | written to memory | errors |",
             "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for peer in dict.fromkeys(row["peer"] for row in rows):
        for column in dict.fromkeys(row["column"] for row in rows if row["peer"] == peer):
            mine = [row for row in rows if row["peer"] == peer and row["column"] == column]
            for which in ("first", "last") if "last" in mine[0] else ("last",):
                times = [[row[which][key] if "last" in row else row[key] for row in mine] for key in ("p50", "p99")]
                shares = [[1 - row["origin_share"] for row in mine]] + [
                    [row[name] for row in mine if row[name] is not None] for name in ("missed_share", "memory_share", "refused_share")]
                bytes_a_byte = [[row[name] for row in mine if row[name] is not None]
                                for name in ("read", "read_from_device", "written_to_device", "written_to_memory")]
                cells = ([titles[peer], column, which] + [_spread(values) for values in times]
                         + [f"{statistics.median(values):.2%}" if values else "–" for values in shares]
                         + [_spread(values) for values in bytes_a_byte]
                         + [str(sum(row["errors"] + row.get("unanswered", 0) for row in mine))])
                lines.append("| " + " | ".join(cells) + " |")
    return "\n\n".join((_table(rows, titles, "us", "µs CPU a request, hits from disk", False),
                        _table(full, titles, "rps", "requests/s", True),
                        _table(full, titles, "gbps", "Gbit/s", True), "\n".join(lines)))


def write_json(path, about, rows):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({**about, "rows": rows}, out, indent=1)
        out.write("\n")

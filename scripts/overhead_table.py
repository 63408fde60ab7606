#!/usr/bin/env python3
"""Prints ralph's own cost against the floor: a table of medians and the ratios, each with its limit.

usage: overhead_table.py OVERHEAD_JSONL

The floor is a shell loop with the same agent, gate, check and durable git commands and no logic; the
reader is the least a program can do with an agent's stream; `boxed` is ralph in its default sandbox, where an iteration
has three boxes (agent, gate, check). Exits 1 if a figure is missing or above its limit.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

RUNS = ["a20", "a2000", "a100000", "f1", "f200"]
BOXES = 3
BARE = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
COLUMNS = ["startup_ms", "gap_ms_median", "peak_mb", "cpu_s", "total_s", "flood_write_s"]


def medians(path):
    """(tool, run) -> column -> median, or None where nothing was measured."""
    samples = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            record = json.loads(line)
            tool = {"ralph-off": "ralph", "ralph-auto": "boxed"}.get(record["tool"], record["tool"])
            samples.setdefault((tool, record["run"]), []).append(record)
    return {
        key: {
            column: statistics.median(values) if (values := [r[column] for r in records if r.get(column) is not None]) else None
            for column in COLUMNS
        }
        | {"n": len(records)}
        for key, records in samples.items()
    }


def bare_box():
    """Milliseconds that bubblewrap takes around a program that does nothing, median of 20."""
    took = []
    for _ in range(20):
        began = time.monotonic()
        subprocess.run(BARE, check=True)
        took.append((time.monotonic() - began) * 1000)
    return statistics.median(took)


def table(figures):
    lines = [f"{'tool':8}{'run':7}{'n':>3}" + "".join(f"{column:>15}" for column in COLUMNS)]
    for (tool, run), row in sorted(figures.items(), key=lambda item: (item[0][0], RUNS.index(item[0][1]))):
        cells = "".join(f"{'-' if row[column] is None else round(row[column], 3):>15}" for column in COLUMNS)
        lines.append(f"{tool:8}{run:7}{row['n']:>3}{cells}")
    return "\n".join(lines)


def checks(figures):
    """(what, measured or None, limit) of each figure."""

    def get(tool, run, column):
        return figures.get((tool, run), {}).get(column)

    def ratio(above, below):
        return None if above is None or not below else above / below

    def worst(values):
        values = list(values)
        return None if not values or any(value is None for value in values) else max(values)

    gap, startup, plans = "gap_ms_median", "startup_ms", ["a20", "a2000"]
    box = bare_box()
    unboxed = get("ralph", "a20", gap)
    floor = unboxed and unboxed + BOXES * box
    return [
        ("gap between agent calls / the floor's", worst(ratio(get("ralph", r, gap), get("floor", r, gap)) for r in plans), 1.3),
        ("startup / the floor's gap", worst(ratio(get("ralph", r, startup), get("floor", r, gap)) for r in plans), 3.0),
        ("peak memory in MB, 20 tasks", get("ralph", "a20", "peak_mb"), 16.0),
        ("peak memory in MB, 2,000 tasks", get("ralph", "a2000", "peak_mb"), 20.0),
        ("peak memory in MB, 100,000 tasks", get("ralph", "a100000", "peak_mb"), 150.0),
        ("gap with 100,000 tasks / with 20", ratio(get("ralph", "a100000", gap), get("ralph", "a20", gap)), 1.2),
        ("startup in ms with 100,000 tasks", get("ralph", "a100000", startup), 500.0),
        ("200 MB stream / a minimal reader's", ratio(get("ralph", "f200", "flood_write_s"), get("reader", "f200", "flood_write_s")), 1.5),
        ("startup in ms in the box", get("boxed", "a20", startup), 300.0),
        (f"gap in the box / unboxed + {BOXES} bwrap of {box:.1f} ms", ratio(get("boxed", "a20", gap), floor), 1.3),
    ]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    figures = medians(pathlib.Path(sys.argv[1]))
    print(table(figures) + f"\n\nload {os.getloadavg()[0]:.1f}\n")
    passed = True
    for what, measured, limit in checks(figures):
        good = measured is not None and measured <= limit
        passed &= good
        shown = "not measured" if measured is None else f"{measured:.2f}"
        print(f"{'pass' if good else 'FAIL':5} {what:48} {shown:>13}  (at most {limit:g})")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())

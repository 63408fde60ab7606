#!/usr/bin/env python3
"""The arithmetic of docs/fleet/capacity.md: what a number of loops asks of server, git and machines.

    fleet_capacity.py            prints the table
    fleet_capacity.py --check    fails if the page has another one
"""

import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "fleet" / "capacity.md"
BEGIN, END = "<!-- table: scripts/fleet_capacity.py -->\n", "<!-- end of the table -->"

LOOPS = [1_000, 10_000, 1_000_000]

# What a loop does.
ITERATION_S = 300
STINT_S = 1_800
# What that costs, measured with the development server and a scripted agent.
EVENTS_PER_STINT = 12
TRANSITIONS_PER_STINT = 9
HISTORY_BYTES_PER_STINT = 1_800
PUSHES_PER_ITERATION = 2
HEARTBEAT_TIMEOUT_S = 60
HEARTBEAT_EVERY = 0.8
# What a machine holds.
SLOTS_PER_NODE = 20
SLOT_MIB = 38
# A cell is one server that its operators know to hold so many loops.
LOOPS_PER_CELL = 25_000
# What a large git host recommends for one repository.
PUSHES_PER_MINUTE_AND_REPOSITORY = 6


def number(value):
    """As people write it: two digits that matter for small ones, whole thousands apart for large ones."""
    if value >= 100:
        return f"{round(value, -2 if value >= 10_000 else -1 if value >= 1_000 else 0):,.0f}"
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def rows():
    """Name and value for each number of loops."""
    heartbeat_s = HEARTBEAT_TIMEOUT_S * HEARTBEAT_EVERY
    per_second = {
        "iterations per second": 1 / ITERATION_S,
        "stints per second": 1 / STINT_S,
        "state transitions per second": TRANSITIONS_PER_STINT / STINT_S,
        "heartbeats per second, H = 60 s": 1 / heartbeat_s,
        "heartbeats per second, H = 300 s": 1 / (5 * heartbeat_s),
        "pushes per second on the git host": PUSHES_PER_ITERATION / ITERATION_S,
        "history per day, GB": 86_400 / STINT_S * HISTORY_BYTES_PER_STINT / 1e9,
    }
    yield from ((name, [number(loops * value) for loops in LOOPS]) for name, value in per_second.items())
    yield f"nodes of {SLOTS_PER_NODE} slots", [number(-(-loops // SLOTS_PER_NODE)) for loops in LOOPS]
    yield "memory of ralph and its shims, GiB", [number(loops * SLOT_MIB / 1024) for loops in LOOPS]
    yield f"servers of {LOOPS_PER_CELL:,} loops", [number(-(-loops // LOOPS_PER_CELL)) for loops in LOOPS]
    per_repository = PUSHES_PER_MINUTE_AND_REPOSITORY * ITERATION_S / 60 / PUSHES_PER_ITERATION
    yield "repositories at 6 pushes a minute each", [number(-(-loops // int(per_repository))) for loops in LOOPS]


def table():
    lines = ["| loops | " + " | ".join(f"{loops:,}" for loops in LOOPS) + " |", "|---|" + "---|" * len(LOOPS)]
    lines += [f"| {name} | " + " | ".join(values) + " |" for name, values in rows()]
    return "\n".join(lines) + "\n"


def main():
    if "--check" not in sys.argv[1:]:
        print(table(), end="")
        return
    text = PAGE.read_text()
    found = text.partition(BEGIN)[2].partition(END)[0]
    if found != table():
        sys.exit(f"{PAGE.name} has another table than scripts/fleet_capacity.py prints; put that one there")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every row of the fleet's failure table as a scenario with real parts: server, workers, git, ralph in its sandbox.

    fleet_scenarios.py [--times N] [--jobs N] [--folder DIR] [NAME ...]

FLEET_BIN and RALPH_BIN name the programs. Each scenario asserts what must hold and gives one line of JSON with its
figures; the exit code is 1 if one did not hold. Networks of their own need root; elsewhere those scenarios fail.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fleet import claude, kills, outages, partitions, people  # noqa: E402
from fleet.site import Site  # noqa: E402

SCENARIOS = [
    kills.killed_in_agent,
    kills.killed_in_gates,
    kills.drained,
    partitions.cut_from_server,
    partitions.cut_from_both,
    partitions.frozen,
    outages.server_away_shortly,
    outages.server_away_at_the_end,
    outages.server_away_long,
    outages.server_away_from_people,
    outages.server_forgets,
    outages.remote_away,
    people.usage_limit,
    people.question,
    people.decided,
    people.steered,
    people.paused,
    people.stopped_now,
    people.cancelled,
    people.submitted_twice,
    people.poisoned,
    claude.claude_killed,
]

FIRST_PORT = int(os.environ.get("FLEET_FIRST_PORT", "7500"))


def play(scenario, turn, ports, folder):
    """One scenario in a folder and on a port of its own; gives its figures, or why it did not hold."""
    port = ports.get()
    site = Site(folder / f"{scenario.__name__}-{turn}", port)
    line, before = {"scenario": scenario.__name__, "round": turn}, ticks()
    try:
        line |= {"ok": True, **scenario(site)}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        line |= {"ok": False, "why": str(error)[:600], "at": f"{Path(where.filename).name}:{where.lineno}"}
    finally:
        site.close()
        ports.put(port)
    line["seconds"] = int(time.time() - site.began)
    line["stolen_percent"] = share(before, ticks())
    print(json.dumps(line), flush=True)
    return line["ok"]


def ticks():
    """The processors' time by what they did with it, as the kernel counts it."""
    return [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]


def share(before, after):
    """How much of the time other machines of the same host took away: what waits for moments is as late as that."""
    spent = [one - other for one, other in zip(after, before, strict=True)]
    return round(100 * spent[7] / max(1, sum(spent)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios to play [default: all]")
    parser.add_argument("--times", type=int, default=1, help="how often all are played")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2 + 1), help="how many at once")
    parser.add_argument("--folder", type=Path, help="where their sites are kept [default: a temporary folder]")
    args = parser.parse_args()
    known = {scenario.__name__: scenario for scenario in SCENARIOS}
    if unknown := [name for name in args.names if name not in known]:
        sys.exit(f"there is no scenario {', '.join(unknown)}; there are {', '.join(known)}")
    wanted = [known[name] for name in args.names or known]
    with tempfile.TemporaryDirectory(prefix="fleet-") as scratch, ThreadPoolExecutor(args.jobs) as pool:
        folder, ports = args.folder or Path(scratch), Queue()
        for number in range(args.jobs):
            ports.put(FIRST_PORT + number)
        plays = [
            pool.submit(play, scenario, turn, ports, folder)
            for turn in range(1, args.times + 1)
            for scenario in wanted
        ]
        results = [one.result() for one in plays]
    failed = results.count(False)
    print(json.dumps({"played": len(results), "failed": failed}), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

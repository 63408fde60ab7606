#!/usr/bin/env python3
"""Many loops at once, with real parts: what holds, and what it costs.

    fleet_scale.py [--folder DIR] [WHAT ...]

WHAT is one of waiting, kills, throughput, engine, memory, fairness, budget, limit; numbers follow a colon:
`kills:loops=200,minutes=20`. FLEET_BIN and RALPH_BIN name the programs, LOOPS_PER_SECOND that of `engine`. Each gives one line of JSON; the exit code is 1 if one did not hold.
"""

import argparse
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fleet import many, speed, tenants  # noqa: E402
from fleet.site import Site  # noqa: E402

ALL = {
    "waiting": many.waiting_loops,
    "kills": many.random_kills,
    "throughput": speed.throughput,
    "engine": speed.engine,
    "memory": speed.memory,
    "fairness": tenants.fairness,
    "budget": tenants.budget,
    "limit": tenants.limit,
}
PORT = 7600


def play(wish, folder):
    name, _, given = wish.partition(":")
    numbers = {key: int(value) for key, _, value in (part.partition("=") for part in given.split(",") if part)}
    site = Site(folder / name, PORT + list(ALL).index(name))
    line = {"what": name}
    try:
        line |= {"ok": True, **ALL[name](site, **numbers)}
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        line |= {"ok": False, "why": str(error)[:800], "at": f"{Path(where.filename).name}:{where.lineno}"}
    finally:
        site.close()
    line["seconds"] = int(time.time() - site.began)
    print(json.dumps(line), flush=True)
    return line["ok"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", metavar="WHAT", help="what to play, with numbers [default: all]")
    parser.add_argument("--folder", type=Path, help="where sites are kept [default: a temporary folder]")
    args = parser.parse_args()
    if unknown := [wish for wish in args.what if wish.partition(":")[0] not in ALL]:
        sys.exit(f"there is no {', '.join(unknown)}; there are {', '.join(ALL)}")
    with tempfile.TemporaryDirectory(prefix="fleet-") as scratch:
        results = [play(wish, args.folder or Path(scratch)) for wish in args.what or ALL]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()

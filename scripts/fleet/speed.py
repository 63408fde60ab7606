"""What the fleet costs beside bare ralph and the bare engine, and what a hand holds in memory."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from . import processes
from .repository import Repository, git
from .site import ENVIRONMENT, RALPH


# Scheduled, started, completed.
FIRST_DECISION = 3


def throughput(site, loops=8, tasks=10, slots=2, rounds=1):
    """Loops of one stint each beside the same plans by bare ralph, as many at once, in turns."""
    site.server()
    site.brain()
    site.hands("a", slots=slots)
    site.until_polling("brain", "a")
    site.want()
    fleet = bare = 0.0
    events = []
    for turn in range(rounds):
        repositories = [Repository(site, f"app{turn}-{number}", tasks, gate=False) for number in range(loops)]
        began = time.time()
        ids = [site.submit(one, branch="ralph/fleet") for one in repositories]
        for loop in ids:
            # Waited for by one question: who asks again and again takes the time that is measured.
            site.temporal("workflow", "result", "-w", loop, seconds=1800)
        fleet += time.time() - began
        assert all(site.end(loop)["exit"] == 0 for loop in ids)
        events += [per_stint(site, loop) for loop in ids]
        bare += alone(site, repositories, slots)
    share = bare / fleet
    figures = {"loops": rounds * loops, "tasks": tasks, "fleet_s": round(fleet, 1), "bare_s": round(bare, 1)}
    figures |= {"share_of_bare": round(share, 2), "events_per_stint": max(events)}
    assert share >= 0.85, f"{figures}"
    assert max(events) <= 12, f"{figures}"
    return figures


def per_stint(site, loop):
    """Events of history for each stint, without the beginning and the end of the whole."""
    history = json.loads(site.temporal("workflow", "show", "-w", loop, "-o", "json"))["events"]
    kinds = [event["eventType"] for event in history]
    around = sum(kind.startswith("EVENT_TYPE_WORKFLOW_EXECUTION_") and "SIGNALED" not in kind for kind in kinds)
    # The first decision comes before the first stint.
    return -(-(len(kinds) - around - FIRST_DECISION) // max(1, site.ended(loop)["stints"]))


def alone(site, repositories, slots):
    """The same plans by `ralph run`, so many at once; how long it took."""
    todo = []
    for repository in repositories:
        work = site.folder / f"bare-{repository.path.stem}"
        git(site.folder, "clone", "-q", repository.path, work)
        (work / ".ralph").mkdir()
        shutil.copy(repository.plan, work / ".ralph/plan.json")
        shutil.copy(repository.settings, work / ".ralph/settings.toml")
        todo.append(work)
    home = site.folder / "host-a/home"
    environment = {**ENVIRONMENT, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    began, running = time.time(), []
    while todo or running:
        running = [one for one in running if one.poll() is None]
        while todo and len(running) < slots:
            work = todo.pop()
            words = [RALPH, "-C", work, "run", "--branch", "ralph/bare"]
            own = {**environment, "XDG_STATE_HOME": f"{work}-state"}
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            running.append(subprocess.Popen(words, env=own, **quiet))
        time.sleep(0.01)
    return time.time() - began


def engine(site, loops=200):
    """Loops per second beside the smallest workflow on the same server."""
    site.server()
    words, address = [os.environ["LOOPS_PER_SECOND"], str(loops)], {"TEMPORAL_ADDRESS": site.address}
    said = subprocess.run(words, capture_output=True, text=True, env=address, timeout=600, check=True).stdout
    form = r"([\d.]+) loops/s, ([\d.]+) .*: ([\d.]+); ([\d.]+) .*: ([\d.]+)"
    own, trivial, share, reached, reached_share = map(float, re.match(form, said).groups())
    figures = {"loops_per_s": own, "trivial_per_s": trivial, "share": share}
    figures |= {"reached_per_s": reached, "reached_share": reached_share}
    assert share >= 0.8, f"{figures}"
    return figures


def memory(site, slots=4):
    """What a hand holds with all slots taken, agents left out; each page counted once, however many share it."""
    site.server()
    site.brain()
    hand = site.hands("a", slots=slots)
    site.until_polling("brain", "a")
    site.want(T_1={"hold": True})
    idle = held(hand.pid)
    for number in range(slots):
        site.submit(Repository(site, f"app{number}", tasks=1, gate=False))
    site.until(lambda: len(processes.agents(site.log)) >= slots, 120, "not every slot has an agent")
    agents = processes.agents(site.log)
    tree = processes.tree(hand.pid)
    total = sum(held(pid) for pid in tree if pid not in agents)
    limit = 64 + 40 * slots
    figures = {"slots": slots, "idle_mib": idle, "worker_mib": held(hand.pid), "total_mib": total, "limit_mib": limit}
    assert total <= limit, f"{figures}"
    return figures


def held(pid):
    """Proportional set size, in MiB."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1]) // 1024

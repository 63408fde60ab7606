"""Many loops: over a restart of the server, and under random kills."""

import json
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from .repository import Repository
from .site import TIMES

LOOP = "ralph.loop.v1"


def waiting_loops(site, loops=2000):
    """Loops that wait, over a killed server and a killed brain: each is still there, and each still listens."""
    site.server()
    site.brain()
    site.until_polling("brain")
    began = time.time()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: start_waiting(site, number), range(loops)))
    started = time.time() - began
    site.until(lambda: count(site, "RalphState = 'needs_person'") == loops, 300, "not all loops wait")
    site.kill("brain")
    site.kill("server")
    killed = time.time()
    site.server()
    site.brain("brain-2")
    site.until_polling("brain-2")
    away = time.time() - killed
    left = count(site, "ExecutionStatus = 'Running'")
    assert left == loops, f"{left} of {loops} loops are left"
    told = time.time()
    query = f"WorkflowType = '{LOOP}' AND ExecutionStatus = 'Running'"
    site.temporal("workflow", "cancel", "--query", query, "--reason", "the measure is over", "--yes")
    site.until(lambda: count(site, "ExecutionStatus = 'Canceled'") == loops, 900, "not every loop heard")
    ended = time.time() - told
    return {"loops": loops, "start_s": round(started), "server_away_s": round(away, 1), "all_heard_s": round(ended)}


def start_waiting(site, number):
    """A loop whose last stint left it waiting for a person."""
    report = {"end": {"end": "needs_person", "why": "a question"}, "done": 0, "tasks": 1, "iterations": 1}
    report |= {"cost_micro_usd": 0, "truth": "t", "host": "a", "took_over": False, "warm": False, "delivered": []}
    spec = {"repo": "/nowhere.git", "branch": f"b{number}", "tenant": "t", "account": "none"}
    carry = {"stints": 1, "wishes": [], "last": report, "failures": 0}
    words = ["--type", LOOP, "--task-queue", "ralph-brain", "--workflow-id", f"loop/nowhere@b{number}"]
    attribute = 'RalphState="needs_person"'
    given = json.dumps({"spec": spec, "carry": carry})
    words = ["workflow", "start", *words, "--search-attribute", attribute, "--input", given]
    # The server drops some of so many at once.
    for is_last in (False, False, True):
        try:
            site.temporal(*words)
            return
        except (AssertionError, subprocess.TimeoutExpired) as error:
            if "already" in str(error):
                return
            if is_last:
                raise
            time.sleep(5)


def count(site, query):
    """How many loops fit a query."""
    answer = site.temporal("workflow", "count", "--query", f"WorkflowType = '{LOOP}' AND {query}", "-o", "json")
    return int(json.loads(answer).get("count", 0))


def random_kills(site, loops=200, minutes=20, seed=None, slots=2, sleep=8):
    """Loops on four workers that are killed at random: every loop ends truthfully, every branch is green."""
    seed = seed if seed is not None else random.randrange(1 << 32)
    chance = random.Random(seed)
    site.server()
    site.brain()
    names = ["a", "b", "c", "d"]
    for name in names:
        site.hands(name, slots=slots)
    site.until_polling("brain", *names)
    site.want(**{f"T_{number}": {"sleep": sleep} for number in (1, 2, 3)})
    repositories = [Repository(site, f"app{number}") for number in range(-(-loops // 10))]
    branches = [(repositories[number // 10], f"ralph/l{number % 10}") for number in range(loops)]
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda one: site.submit(one[0], branch=one[1]), branches))
    kills, until = 0, time.time() + 60 * minutes
    while time.time() < until and count(site, "ExecutionStatus = 'Running'"):
        time.sleep(chance.uniform(2, 20))
        name = chance.choice(names)
        site.kill(name)
        kills += 1
        time.sleep(chance.uniform(0, 5))
        site.hands(name, slots=slots)
    site.until(lambda: not count(site, "ExecutionStatus = 'Running'"), 3600, "not every loop ends")
    calls = site.record.lives()
    overlaps = site.record.overlaps()
    assert not overlaps, f"seed {seed}: two agents worked at once: {overlaps[:5]}"
    for loop, (repository, branch) in zip(ids, branches):
        end = site.ended(loop)
        assert end and end["exit"] == 0 and end["done"] == 3, f"seed {seed}: {loop} ended with {end}"
        assert sorted(repository.commits(branch)) == repository.tasks, f"seed {seed}: {branch} of {repository.path}"
        assert repository.is_green(site.folder, branch), f"seed {seed}: {branch} of {repository.path} is not green"
    repeated = len(calls) - 3 * loops
    assert 0 <= repeated <= kills * slots, f"seed {seed}: {repeated} calls were repeated after {kills} kills"
    figures = {"loops": loops, "kills": kills, "calls": len(calls), "repeated": repeated, "overlaps": 0, "green": loops}
    return figures | {"seed": seed, "heartbeat": TIMES["heartbeat"]}

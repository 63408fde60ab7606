#!/usr/bin/env python3
"""What one verdict of the guard costs: CPU of a whole `ralph guard` process and of a whole `ralph hook` process, over
commands of the corpus, against a process that does nothing. Fails if either takes more than the bound.

    guard_cost.py RALPH [CALLS]"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "crates/ralph-guard/tests/data/guard-corpus.tsv"
BOUND = 5.0


def commands(calls):
    """Evenly from the whole corpus."""
    lines = CORPUS.read_text().splitlines()[1:]
    texts = [line.split("\t")[1].replace("⏎", "\n") for line in lines]
    return [texts[index * len(texts) // calls] for index in range(calls)]


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def mean(calls):
    """Milliseconds of CPU per call; a call is its words and what it reads."""
    before = spent()
    for words, text, environment in calls:
        subprocess.run(words, input=text, env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (spent() - before) / len(calls)


def main():
    ralph = os.path.abspath(sys.argv[1])
    texts = commands(int(sys.argv[2]) if len(sys.argv) > 2 else 400)
    with tempfile.TemporaryDirectory() as folder:
        bare = {"HOME": folder, "PATH": "/usr/bin:/bin"}
        call = pathlib.Path(folder, "call.json")
        call.write_text(json.dumps({"kind": "implement", "agent": "claude", "worktree": folder, "scratch": folder}))
        event = lambda text: json.dumps({"tool_name": "Bash", "tool_input": {"command": text}}).encode()
        nothing = mean([(["/bin/true"], b"", bare) for _ in texts])
        guard = mean([([ralph, "-C", folder, "guard", "--", text], b"", bare) for text in texts])
        within = bare | {"RALPH_CALL": str(call)}
        hook = mean([([ralph, "hook", "pre-tool-use"], event(text), within) for text in texts])
    print(f"{len(texts)} calls each, ms of CPU per call: nothing {nothing:.2f}, guard {guard:.2f}, hook {hook:.2f}")
    if max(guard, hook) > BOUND:
        sys.exit(f"more than {BOUND} ms")


main()

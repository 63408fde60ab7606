#!/usr/bin/env python3
"""Runs the same ten scenarios with two binaries and compares their `--json` events: all must be equal but for texts,
times and ids. Then the new binary reads each run that the old one left, and must show the same status.

usage: same_events.py OLD NEW
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Sentences for people, and what no two runs share.
TEXTS = {"text", "why", "detail", "reasons", "labels", "notes", "next", "guarantee", "title", "message", "help"}
APART = {"at", "run", "took_ms", "spent_ms", "version", "until", "root", "log", "elapsed_ms", "started_at", "updated_at", "ended_at"}
LIVE = {"agent.text", "agent.tool.started", "agent.tool.ended", "gate.started", "slow", "dropped", "gate.runs_again"}
ID = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|\b\d{6,8}-\d{6}(-\d{3})?\b|\b[0-9a-f]{7,64}\b")

GREEN = "echo $N > work-$N.txt"
ONE = [{"text": "work is there", "check": "ls work-*.txt"}]


def plan(count, criteria=None, **more):
    tasks = [{"id": f"T-{n}", "title": f"task {n}", "status": "pending", "order": n,
              "acceptance_criteria": criteria or ONE, **more} for n in range(1, count + 1)]
    return {"version": 1, "project": "scratch", "tasks": tasks}


# Name: agent's script, gate's script, plan, commands to type.
SCENARIOS = {
    "two tasks are done": (GREEN, "true", plan(2), [["run"]]),
    "a red gate rejects the first attempt": (GREEN, "test -e work-2.txt", plan(1), [["run"]]),
    "the agent crashes each time": ("exit 3", "true", plan(1), [["run"]]),
    "a limit ends the run, and it is resumed": (GREEN, "true", plan(3), [["run", "--max-iterations", "1"], ["resume", "-n", "3"]]),
    "a task fails for good": (GREEN, "false", plan(1), [["run"]]),
    "the agent changes nothing": ("true", "true", plan(1), [["run"]]),
    "a criterion does not hold": (GREEN, "true", plan(1, [{"text": "never", "check": "false"}]), [["run"]]),
    "a test is deleted": (f"rm -f tests/test_one.py; {GREEN}", "true", plan(1), [["run"]]),
    "a gate is flaky": (GREEN, "if [ -e {state}/seen ]; then true; else touch {state}/seen; false; fi", plan(1), [["run"]]),
    "a prompt without a plan": (GREEN, "true", None, [["run", "-p", "write some work"]]),
    "one task is skipped, one depends on it": (GREEN, "true", plan(2), [["task", "skip", "T-1"], ["run"]]),
    "the tree is dirty": (GREEN, "true", plan(1), [["run"], ["run", "--wip"]]),
}


class Scratch:
    """A repository of its own for one scenario and one binary."""

    def __init__(self, name):
        agent, gate, tasks, _ = SCENARIOS[name]
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="same-", dir="/var/tmp"))
        self.repo, state = self.root / "repo", self.root / "state"
        for folder in ["home", "state", "repo/.ralph", "repo/tests"]:
            (self.root / folder).mkdir(parents=True)
        who = {f"GIT_{role}_{what}": "x@example.invalid" for role in ["AUTHOR", "COMMITTER"] for what in ["NAME", "EMAIL"]}
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), "NO_COLOR": "1", "RALPH_SANDBOX": "off", **who}
        count = f"N=$(( $(cat {state}/calls 2>/dev/null || echo 0) + 1 )); echo $N > {state}/calls"
        self.script(state / "agent.sh", f"cat > /dev/null\n{count}\n{agent}\necho finished")
        self.script(state / "gate.sh", gate.replace("{state}", str(state)))
        (self.repo / ".ralph/settings.toml").write_text(
            f'[agent]\ncommand = "{state}/agent.sh"\n[review]\nmode = "off"\n[limits]\nmax_attempts = 2\n'
            f'[[gate]]\nname = "tests"\ncommand = "{state}/gate.sh"\n')
        if tasks:
            (self.repo / ".ralph/plan.json").write_text(json.dumps(tasks, indent=2))
        (self.repo / "tests/test_one.py").write_text("def test_one():\n    assert True\n")
        (self.repo / "shared.txt").write_text("one\n")
        for words in [["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]]:
            subprocess.run(["git", *words], cwd=self.repo, env=self.env, check=True)
        if "dirty" in name:
            (self.repo / "shared.txt").write_text("two\n")

    @staticmethod
    def script(path, text):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def ralph(self, binary, *words):
        ended = subprocess.run([binary, *words], cwd=self.repo, env=self.env, stdin=subprocess.DEVNULL, check=False,
                               capture_output=True, timeout=300)
        return ended.returncode, ended.stdout.decode()

    def events(self, binary, commands):
        seen = []
        for words in commands:
            flags = [] if words[0] == "task" else ["--json"]
            code, out = self.ralph(binary, *words, *flags)
            lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
            seen += [self.plain(line) for line in lines if line.get("type") not in LIVE]
            seen.append({"exit": code})
        return seen

    def plain(self, value):
        """Without texts, times and ids."""
        if isinstance(value, dict):
            kept = {key: self.plain(item) for key, item in value.items() if key not in APART}
            return {key: bool(item) if key in TEXTS else item for key, item in kept.items()}
        if isinstance(value, list):
            return [self.plain(item) for item in value]
        if isinstance(value, str):
            return ID.sub("ID", value.replace(str(self.root), "ROOT"))
        return value


def differences(old, new):
    """Where new lacks something of old or has another value; keys that are only in the new one are fine."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [f"{key}: {found}" for key in old for found in
                (differences(old[key], new[key]) if key in new else ["is missing"])]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [f"{at}: {found}" for at, (a, b) in enumerate(zip(old, new)) for found in differences(a, b)]
    return [] if old == new else [f"{json.dumps(old)[:300]} became {json.dumps(new)[:300]}"]


def main(old, new):
    failed = 0
    for name, (*_, commands) in SCENARIOS.items():
        before, after = Scratch(name), Scratch(name)
        events = before.events(old, commands)
        found = differences(events, after.events(new, commands))
        shown = before.ralph(old, "status", "--json")[1], before.ralph(new, "status", "--json")[1]
        status = [before.plain(json.loads(text)) if text.strip() else None for text in shown]
        found += [f"status of the old run: {line}" for line in differences(*status)]
        print(f"{'same ' if not found else 'OTHER'} {name} ({len(events)} events)")
        print("".join(f"      {line}\n" for line in found), end="")
        failed += bool(found)
    print(f"{len(SCENARIOS) - failed} of {len(SCENARIOS)} scenarios are the same")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*[str(pathlib.Path(path).resolve()) for path in sys.argv[1:]]))

#!/usr/bin/env python3
"""What ralph costs in a huge repository, against one `git status` of the same repository in the same minutes.

usage: huge.py RALPH [FILES] [ROUNDS]

Makes a repository of FILES files (100000) below the system's folder for temporary files, runs ROUNDS (5) boxed runs of two
iterations with an agent that only notes the time, and prints the median of: one `git status`, start to the first agent, agent
to agent, each as a multiple of `git status`; and how many processes were started before the first agent, if strace is there.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AGENT = """#!/bin/sh
cat > /dev/null
date +%s.%N >> "{notes}/times"
date +%s.%N >> note.txt
echo working
"""


def run(arguments, folder, **more):
    return subprocess.run(arguments, cwd=folder, check=True, capture_output=True, **more)


def repository(folder, files):
    folder.mkdir()
    for number in range(files):
        place = folder / f"d{number // 1000:03}" / f"s{number // 50 % 20:02}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{number}.txt").write_text(f"{number}\n")
    (folder / "note.txt").write_text("\n")
    run(["git", "init", "-q", "-b", "main"], folder)
    run(["git", "add", "-A"], folder)
    run(["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-qm", "begin"], folder)


def status(folder):
    begin = time.time()
    run(["git", "status", "--porcelain"], folder)
    return time.time() - begin


def iterate(ralph, base, before=()):
    """Start to the first agent, and from each agent to the next."""
    notes = base / "notes"
    (notes / "times").unlink(missing_ok=True)
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(base / "home"),
        "RALPH_SANDBOX_READABLE": str(base / "agent.sh"),
        "RALPH_SANDBOX_WRITABLE": str(notes),
        **{f"GIT_{who}_{what}": f"{what.lower()}@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    begin = time.time()
    arguments = [*before, ralph, "run", "-p", "work", "--add-signal", "--trust-agent", "-n", "2", "--fresh", "--agent", str(base / "agent.sh")]
    ended = subprocess.run(arguments, cwd=base / "work", env=environment, capture_output=True, text=True)
    times = [float(line) for line in (notes / "times").read_text().split()] if (notes / "times").exists() else []
    if len(times) < 2:
        sys.exit(f"the agent was called {len(times)} times:\n{ended.stdout}{ended.stderr}")
    return times[0] - begin, times[1] - times[0]


def processes(ralph, base):
    """How many programs were started before the first agent."""
    if not shutil.which("strace"):
        return None
    trace = base / "trace"
    iterate(ralph, base, ["strace", "-f", "--seccomp-bpf", "-s", "64", "-e", "trace=execve", "-o", str(trace)])
    count = 0
    for line in trace.read_text(errors="replace").splitlines():
        if "execve(" in line and "ENOENT" not in line:
            count += 1
            if f'execve("{base}/agent.sh"' in line:
                break
    return count


def main():
    ralph = str(Path(sys.argv[1]).resolve())
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        for name in ("home", "notes"):
            (base / name).mkdir()
        (base / "agent.sh").write_text(AGENT.format(notes=base / "notes"))
        (base / "agent.sh").chmod(0o755)
        repository(base / "work", files)
        bare, first, between = [], [], []
        for _ in range(rounds):
            bare.append(status(base / "work"))
            start, step = iterate(ralph, base)
            first.append(start)
            between.append(step)
            bare.append(status(base / "work"))
        one = statistics.median(bare)
        print(f"{files} files, median of {rounds}: git status {one:.3f} s")
        for name, times in (("start to the first agent", first), ("agent to agent", between)):
            middle = statistics.median(times)
            print(f"  {name}: {middle:.3f} s, {middle / one:.2f} times git status")
        count = processes(ralph, base)
        if count is not None:
            print(f"  programs started before the first agent: {count}")


main()

#!/usr/bin/env python3
"""What a channel that hangs costs a run and its end, against the same run without channels, in turns; medians.

Usage: notify_figures.py RALPH [ROUNDS]. Prints both and fails if the run itself takes 50 ms longer or the end 10 s longer.
"""

import datetime
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RALPH = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 9
# Every task fails at once, so that there is something to say all the time.
TASKS = 12
NOTIFY = '[notify]\non = ["failed", "ended"]\nmin_gap = "0s"\nwebhook = "HOOK"\n'
# Scheduling and the disk are noisier than the channel on a machine that is not quiet: this much is forgiven.
RUN_MS, END_MS, NOISE_MS = 50, 10_000, 250


def hanging():
    """The address of a server that takes every connection and never answers."""
    server = socket.create_server(("127.0.0.1", 0))
    kept = []

    def accept():
        while True:
            kept.append(server.accept())

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}/"


def project(folder, settings):
    """A repository with a plan whose tasks all fail."""
    work, home = os.path.join(folder, "work"), os.path.join(folder, "home")
    os.makedirs(os.path.join(work, ".ralph"))
    os.makedirs(os.path.join(home, ".config/ralph"))
    agent = os.path.join(folder, "agent.sh")
    with open(agent, "w") as out:
        out.write("#!/bin/sh\ncat >/dev/null\necho '<promise>COMPLETE</promise>'\n")
    os.chmod(agent, 0o755)
    with open(os.path.join(home, ".config/ralph/settings.toml"), "w") as out:
        out.write(settings)
    with open(os.path.join(work, ".ralph/settings.toml"), "w") as out:
        out.write(f'[agent]\ncommand = "{agent}"\n[review]\nmode = "off"\n[limits]\nmax_attempts = 1\n')
        out.write('[[gate]]\nname = "t"\ncommand = "true"\n')
    tasks = [
        {"id": f"T-{n}", "title": f"task number {n}", "status": "pending", "order": n,
         "acceptance_criteria": [{"text": "it is there", "check": f"test -f {n}"}]}
        for n in range(1, TASKS + 1)
    ]
    with open(os.path.join(work, ".ralph/plan.json"), "w") as out:
        json.dump({"version": 1, "project": "figures", "tasks": tasks}, out)
    for words in (["init", "-q", "-b", "main"], ["add", "-A"],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=work, check=True)
    return work, home


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def played(settings, address):
    """Milliseconds of a run, and of its end: from its last decision until its process is gone."""
    with tempfile.TemporaryDirectory() as folder:
        work, home = project(folder, settings)
        env = {"PATH": os.environ["PATH"], "HOME": home, "RALPH_SANDBOX": "off", "NO_COLOR": "1", "HOOK": address}
        env |= {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        ended = subprocess.run([RALPH, "run"], cwd=work, env=env, capture_output=True, text=True)
        gone = time.time()
        if ended.returncode != 3:
            raise SystemExit(f"exit {ended.returncode}: {ended.stderr}")
        told = ended.stderr.count("notifications by webhook")
        if told > 1 or (told == 0 and settings):
            raise SystemExit(f"the channel is mentioned {told} times: {ended.stderr}")
        runs = os.path.join(work, ".ralph/runs")
        run = next(name for name in os.listdir(runs) if os.path.isdir(os.path.join(runs, name)))
        with open(os.path.join(runs, run, "report.json")) as report:
            report = json.load(report)
    began, last = moment(report["began"]), moment(report["last"])
    return (last - began) * 1000, (gone - last) * 1000


def main():
    address, plain, hung = hanging(), [], []
    for _ in range(ROUNDS):
        plain.append(played("", address))
        hung.append(played(NOTIFY, address))
    figures = {}
    for name, rounds in (("no channel", plain), ("one that hangs", hung)):
        run, end = (statistics.median(one[nth] for one in rounds) for nth in (0, 1))
        figures[name] = run, end
        print(f"{name:>15}: run {run:8.0f} ms, end {end:8.0f} ms (medians of {ROUNDS})")
    (run, end), (hung_run, hung_end) = figures.values()
    print(f"{'it costs':>15}: run {hung_run - run:+8.0f} ms, end {hung_end - end:+8.0f} ms")
    if hung_run - run > RUN_MS or hung_end - end > END_MS + NOISE_MS:
        raise SystemExit(f"more than {RUN_MS} ms of the run or {END_MS} ms of its end")


main()

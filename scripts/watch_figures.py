#!/usr/bin/env python3
"""Measures `ralph watch` on a pseudo-terminal: first frame, key to frame, event to screen, bytes, CPU, memory, a killed run.

Usage: watch_figures.py RALPH [TASKS]. Wants a quiet machine; prints a table and judges nothing.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

RALPH = os.path.abspath(sys.argv[1])
TASKS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
# Says something ten times a second: the time at which it said so, in letters that the lines around it do not have, so
# that a screen of which only changed cells are written shows it whole.
AGENT = """#!/bin/sh
cat >/dev/null
n=0
while [ $n -lt 600 ]; do
  n=$((n+1))
  case $((n % 4)) in 0) to=a-j;; 1) to=k-t;; 2) to=A-J;; *) to=K-T;; esac
  date +%s%N | tr 0-9 $to
  sleep 0.1
done
"""
LETTERS = [("a", b"[a-j]{19}"), ("k", b"[k-t]{19}"), ("A", b"[A-J]{19}"), ("K", b"[K-T]{19}")]


def delays(pieces, began):
    """Milliseconds from what was said to its first appearance."""
    seen = {}
    for _, now, piece in pieces:
        for first, pattern in LETTERS:
            for word in re.findall(pattern, piece):
                sent = int("".join(str(letter - ord(first)) for letter in word))
                if sent >= began:
                    seen.setdefault(sent, (now - sent) / 1e6)
    return sorted(seen.values())


def project(folder):
    work = os.path.join(folder, "work")
    os.makedirs(os.path.join(work, ".ralph"))
    agent = os.path.join(folder, "agent.sh")
    with open(agent, "w") as out:
        out.write(AGENT)
    os.chmod(agent, 0o755)
    with open(os.path.join(work, ".ralph/settings.toml"), "w") as out:
        out.write(f'[agent]\ncommand = "{agent}"\n[review]\nmode = "off"\n[[gate]]\nname = "t"\ncommand = "true"\n')
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
    return work


class Watch:
    """The program on a terminal of 120x40."""

    def __init__(self, work, env):
        self.began = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(work)
            os.execve(RALPH, [RALPH, "watch"], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read(self, seconds):
        """What it writes in so much time, each piece with its moment."""
        until, pieces = time.monotonic() + seconds, []
        while (left := until - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    pieces.append((time.monotonic(), time.time_ns(), os.read(self.fd, 65536)))
                except OSError:
                    break
        return pieces

    def wait(self, text, seconds=30):
        """Seconds until it has written a text."""
        begin, seen = time.monotonic(), b""
        while time.monotonic() - begin < seconds:
            for _, _, piece in self.read(0.005):
                seen += piece
            if text in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen):
                return time.monotonic() - begin
        raise SystemExit(f"never wrote {text!r}: {seen[-2000:]!r}")

    def cpu(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = project(folder)
        env = {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm-256color", "LANG": "C.UTF-8",
               "RALPH_SANDBOX": "off", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
               "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        run = subprocess.Popen([RALPH, "run"], cwd=work, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not subprocess.run(["sh", "-c", "ls .ralph/runs/*/iterations/0001/events.jsonl"], cwd=work,
                                 capture_output=True).stdout:
            time.sleep(0.1)
        watch = Watch(work, env)
        watch.wait(b"going")
        print(f"first frame         {1000 * (time.monotonic() - watch.began):7.0f} ms")
        watch.read(1)
        began, before, pieces = time.time_ns(), watch.cpu(), watch.read(10)
        print(f"10 events a second  {sum(len(p) for _, _, p in pieces) / 10:7.0f} bytes/s")
        print(f"                    {10 * (watch.cpu() - before):7.1f} % CPU")
        found = delays(pieces, began)
        if found:
            print(f"event to screen     {found[len(found) // 2]:7.0f} ms, p95 {found[int(len(found) * 0.95)]:.0f} ms")
        times = []
        for nth in range(40):
            watch.read(0.15)
            begin = time.monotonic()
            os.write(watch.fd, b"g" if nth % 2 else b"t")
            while not select.select([watch.fd], [], [], 1)[0]:
                pass
            times.append(1000 * (time.monotonic() - begin))
        times.sort()
        print(f"key to frame p95    {times[int(len(times) * 0.95)]:7.1f} ms")
        run.send_signal(signal.SIGKILL)
        print(f"killed run seen     {1000 * watch.wait(b'gone'):7.0f} ms")
        run.wait()
        watch.read(6)
        before, pieces = watch.cpu(), watch.read(10)
        print(f"idle                {sum(len(p) for _, _, p in pieces) / 10:7.0f} bytes/s")
        print(f"                    {10 * (watch.cpu() - before):7.2f} % CPU")
        print(f"memory              {watch.memory():7.1f} MB with {TASKS} tasks")
        os.write(watch.fd, b"q")
        watch.read(0.5)


main()

#!/usr/bin/env python3
"""Measures `ralph watch` on a pseudo-terminal: first frame, key to frame, event to screen, bytes, CPU, memory, a killed run;
a flood of 200 MB; a run with 10,000 tasks, a journal of 100 MB and 1 GB of events; how much a watched run is slower.

Usage: watch_figures.py RALPH [TASKS]. Wants a quiet machine; prints a table and judges nothing.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import zlib

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
FLOOD = """#!/bin/sh
cat >/dev/null
sleep 2
yes 'a line of what a gate or an agent prints all day, src/lib.rs:12, and some more of it' | head -c 200000000
sleep 5
"""
QUICK = """#!/bin/sh
task=$(grep -o -m 1 'T-[0-9]*')
seq 1 2000
touch "${task#T-}"
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


def project(folder, script=AGENT, count=TASKS):
    work = os.path.join(folder, "work")
    os.makedirs(os.path.join(work, ".ralph"))
    agent = os.path.join(folder, "agent.sh")
    with open(agent, "w") as out:
        out.write(script)
    os.chmod(agent, 0o755)
    with open(os.path.join(work, ".ralph/settings.toml"), "w") as out:
        out.write(f'[agent]\ncommand = "{agent}"\n[review]\nmode = "off"\n[[gate]]\nname = "t"\ncommand = "true"\n')
    tasks = [
        {"id": f"T-{n}", "title": f"task number {n}", "status": "pending", "order": n,
         "acceptance_criteria": [{"text": "it is there", "check": f"test -f {n}"}]}
        for n in range(1, count + 1)
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

    def leave(self):
        os.write(self.fd, b"q")
        self.read(0.5)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def surroundings(folder):
    return {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "RALPH_SANDBOX": "off", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def start(work, env, *words):
    return subprocess.Popen([RALPH, "run", *words], cwd=work, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until_it_talks(work):
    while not subprocess.run(["sh", "-c", "ls .ralph/runs/*/iterations/0001/events.jsonl"], cwd=work,
                             capture_output=True).stdout:
        time.sleep(0.05)


def keys(watch, count):
    """Milliseconds from a key that changes the pane to what is written next."""
    times = []
    for nth in range(count):
        watch.read(0.15)
        begin = time.monotonic()
        os.write(watch.fd, b"g" if nth % 2 else b"t")
        while not select.select([watch.fd], [], [], 1)[0]:
            pass
        times.append(1000 * (time.monotonic() - begin))
    return sorted(times)[int(count * 0.95)]


def usual(folder):
    work, env = project(folder), surroundings(folder)
    run = start(work, env)
    until_it_talks(work)
    watch = Watch(work, env)
    watch.wait(b"going")
    print(f"first frame         {1000 * (time.monotonic() - watch.began):7.0f} ms with {TASKS} tasks")
    watch.read(1)
    began, before, pieces = time.time_ns(), watch.cpu(), watch.read(10)
    print(f"10 events a second  {sum(len(p) for _, _, p in pieces) / 10:7.0f} bytes/s")
    print(f"                    {10 * (watch.cpu() - before):7.1f} % CPU")
    found = delays(pieces, began)
    if found:
        print(f"event to screen     {found[len(found) // 2]:7.0f} ms, p95 {found[int(len(found) * 0.95)]:.0f} ms")
    print(f"key to frame p95    {keys(watch, 40):7.1f} ms")
    run.send_signal(signal.SIGKILL)
    print(f"killed run seen     {1000 * watch.wait(b'gone'):7.0f} ms")
    run.wait()
    watch.read(6)
    before, pieces = watch.cpu(), watch.read(10)
    print(f"idle                {sum(len(p) for _, _, p in pieces) / 10:7.0f} bytes/s")
    print(f"                    {10 * (watch.cpu() - before):7.2f} % CPU")
    print(f"memory              {watch.memory():7.1f} MB")
    watch.leave()


def flood(folder):
    work, env = project(folder, FLOOD), surroundings(folder)
    run = start(work, env)
    until_it_talks(work)
    watch = Watch(work, env)
    watch.wait(b"going")
    watch.read(2)
    begin, before = time.monotonic(), watch.memory()
    pieces = watch.read(3)
    print(f"200 MB stream       {sum(len(p) for _, _, p in pieces) / 3:7.0f} bytes/s")
    print(f"key to frame p95    {keys(watch, 20):7.1f} ms")
    print(f"memory              {watch.memory():7.1f} MB, {watch.memory() - before:.1f} more than before")
    watch.leave()
    run.terminate()
    run.wait()


def seal(body):
    """A line of a journal, or a snapshot, with its checksum."""
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


def grown(path, size):
    """Makes a journal longer by one decision that changes nothing, again and again; its snapshot follows."""
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    bodies = [line[:line.rindex(b',"crc"')] for line in lines]
    nth = next(n for n, body in enumerate(bodies) if b'"event":"baseline_recorded"' in body)
    more = size // (len(lines[nth]) + 1)
    numbered = [bodies[nth]] * more
    bodies[nth:nth] = numbered
    length = 0
    with open(path, "wb") as file:
        for seq, body in enumerate(bodies):
            length += file.write(seal(re.sub(rb'"seq":\d+', b'"seq":%d' % seq, body, count=1)))
    snapshot = os.path.join(os.path.dirname(path), "snapshot")
    with open(snapshot, "rb") as file:
        body = file.read()
    body = body[:body.rindex(b',"crc"')]
    body = re.sub(rb'"offset":\d+', b'"offset":%d' % length, body, count=1)
    body = re.sub(rb'"seq":\d+', b'"seq":%d' % len(bodies), body, count=1)
    with open(snapshot, "wb") as file:
        file.write(seal(body))


def large(folder):
    work, env = project(folder, QUICK, 10_000), surroundings(folder)
    start(work, env, "-n", "1").wait()
    found = subprocess.run(["sh", "-c", "ls $PWD/.git/ralph/runs/*/journal.jsonl $PWD/.ralph/runs/*/iterations/0001/events.jsonl"],
                           cwd=work, capture_output=True, text=True, check=True).stdout.split()
    journal, events = found
    grown(journal, 100_000_000)
    with open(events, "rb") as file:
        said = file.read()
    with open(events, "ab") as file:
        for _ in range(1_000_000_000 // len(said)):
            file.write(said)
    times = []
    for _ in range(3):
        watch = Watch(work, env)
        watch.wait(b"ended")
        times.append(1000 * (time.monotonic() - watch.began))
        watch.read(5)
        memory = watch.memory()
        watch.leave()
    print(f"first frame         {statistics.median(times):7.0f} ms with 10000 tasks, a journal of "
          f"{os.path.getsize(journal) / 1e6:.0f} MB, {os.path.getsize(events) / 1e6:.0f} MB of events")
    print(f"memory              {memory:7.1f} MB")


def slower(folder):
    """A run of 30 tasks with a watcher and without one, in turns."""
    took = {False: [], True: []}
    for nth in range(10):
        place = os.path.join(folder, str(nth))
        os.mkdir(place)
        work, env = project(place, QUICK, 30), surroundings(place)
        begin = time.monotonic()
        run = start(work, env)
        watch = None
        if nth % 2:
            until_it_talks(work)
            watch = Watch(work, env)
            while run.poll() is None:
                watch.read(0.05)
        run.wait()
        took[bool(nth % 2)].append(time.monotonic() - begin)
        if watch:
            watch.leave()
    alone, watched = statistics.median(took[False]), statistics.median(took[True])
    print(f"a watched run       {watched:7.2f} s, alone {alone:.2f} s: {100 * (watched / alone - 1):+.1f} %")


def main():
    print(f"load {os.getloadavg()[0]:.1f}")
    for part in (usual, flood, large, slower):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            part(folder)


main()

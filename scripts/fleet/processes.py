"""Processes of a scenario: who they are, whether their agents live, and how a whole host is frozen."""

import os
import signal
from pathlib import Path


def agents(log):
    """Ids of the scripted agents that write to this log."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] and words[1].endswith(b"agent.py") and words[2:4] == [b"agent", str(log).encode()]:
            found.append(int(path.parent.name))
    return found


def tree(pid):
    """A process and all that descend from it."""
    children = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found, left = [], [pid]
    while left:
        one = left.pop()
        found.append(one)
        left += children.get(one, [])
    return found


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def freeze(pid):
    """Stops a host: its worker and everything it started, until nothing new appears."""
    frozen = set()
    while True:
        found = set(tree(pid)) - frozen
        if not found:
            return frozen
        send(found, signal.SIGSTOP)
        frozen |= found


def resident_kib(pid):
    """Memory of one process, as the kernel counts it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0

"""Processes of a scenario: who they are, whether their agents live, and how a whole host is frozen."""

import os
import signal
from pathlib import Path


def agents(log):
    """Ids of the scripted agents that write to this log."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        program = words(path.name)
        if program[1:2] and program[1].endswith("agent.py") and program[2:4] == ["agent", str(log)]:
            found.append(int(path.name))
    return found


def words(pid):
    """The command line of a process; nothing if there is none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


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

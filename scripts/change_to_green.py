#!/usr/bin/env python3
"""How long it takes from a one-line change to green tests of the crate that owns the line, in two checkouts, side by side.

usage: change_to_green.py OLD NEW [ROUNDS]

Each checkout builds into its own `target`. A round adds a line to the file, runs `cargo nextest run -p` of its crate and
takes the line back. The first build and the first round do not count.
"""
import pathlib
import statistics
import subprocess
import sys
import time

# What changes, and where it may be.
CHANGES = {
    "a guard rule": ["crates/ralph-guard/src/rules/filesystem.rs", "crates/ralph-core/src/guard/rules/filesystem.rs"],
    "the plan": ["crates/ralph-core/src/plan/transition.rs"],
    "the machine": ["crates/ralph-core/src/run/decide/mod.rs"],
}


def test(checkout, crate):
    words = ["cargo", "nextest", "run", "--locked", "-p", crate]
    began = time.monotonic()
    ended = subprocess.run(words, cwd=checkout, capture_output=True, check=False)
    if ended.returncode:
        sys.exit(f"{checkout}: {' '.join(words)} failed\n{ended.stderr.decode()[-2000:]}")
    return time.monotonic() - began


def change(checkout, places):
    place = next(checkout / place for place in places if (checkout / place).exists())
    text = place.read_text()
    head, rest = text.split("\nuse ", 1)
    place.write_text(f"{head}\n// {time.monotonic_ns()}\nuse {rest}")
    try:
        return test(checkout, place.relative_to(checkout).parts[1])
    finally:
        place.write_text(text)


def main(old, new, rounds=3):
    print(f"{'change':14} {'before':>8} {'after':>8} {'ratio':>6}")
    for name, places in CHANGES.items():
        times = [[change(checkout, places) for checkout in [old, new]] for _ in range(rounds + 1)][1:]
        before, after = (statistics.median(column) for column in zip(*times))
        print(f"{name:14} {before:7.1f}s {after:7.1f}s {after / before:6.2f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*[pathlib.Path(path).resolve() for path in sys.argv[1:3]], *map(int, sys.argv[3:]))

"""Runs recipes of the justfile one after the other and prints how long each took; goes through all of them even if one
fails, and then fails. The test runner's own summary is printed again at the end."""

import re
import subprocess
import sys
import time

SUMMARY = re.compile(r"^\s*Summary \[.*tests? run:.*$")


def run(recipe: str) -> tuple[bool, float, str]:
    """Passes the output of one recipe on; gives whether it passed, its minutes and the last summary of tests."""
    began, summary = time.monotonic(), ""
    process = subprocess.Popen(["just", recipe], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    for line in process.stdout:
        print(line, end="", flush=True)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()
        if SUMMARY.match(plain):
            summary = plain
    return process.wait() == 0, (time.monotonic() - began) / 60, summary


def main() -> int:
    rows, failed = [], []
    for recipe in sys.argv[1:]:
        print(f"== {recipe}", flush=True)
        passed, minutes, summary = run(recipe)
        rows.append((recipe, passed, minutes, summary))
        if not passed:
            failed.append(recipe)
            if recipe == "road":
                break
    print("\nminutes by step:")
    for recipe, passed, minutes, _ in rows:
        print(f"  {minutes:5.1f}  {recipe}{'' if passed else '  FAILED'}")
    print(f"  {sum(row[2] for row in rows):5.1f}  in all")
    for _, _, _, summary in rows:
        if summary:
            print(summary)
    return 1 if failed else 0


sys.exit(main())

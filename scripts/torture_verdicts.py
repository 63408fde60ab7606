#!/usr/bin/env python3
"""Fails unless a torture run's verdicts are the ones the project demands.

usage: torture_verdicts.py [--kit FOLDER] [--unboxed] RESULTS [CASE_PREFIX ...]

Every case must be OK; without a sandbox (--unboxed), with the exceptions named in UNBOXED. With --kit, every case of
the kit (that matches a prefix, if any is given) must have been run.
"""
import argparse
import json
import pathlib
import re
import sys

# Without a sandbox: case prefix -> verdicts that are accepted beside OK, and why.
UNBOXED = {
    "r08c": ({"part"}, "nothing keeps the agent from .git; an honest stop is enough"),
    "r11": ({"part"}, "the case kills the shim as well; the next start must sweep"),
}


def last_per_case(path):
    """The newest record of each case, in the order the cases were first run."""
    cases = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            record = json.loads(line)
            cases[record["case"]] = record
    return cases


def cases_of_kit(folder, prefixes):
    """Names of the cases that the kit defines and the prefixes select."""
    names = re.findall(r"^@case\s+def (\w+)\(", (folder / "torture.py").read_text(encoding="utf-8"), re.M)
    return [name for name in names if not prefixes or any(name.startswith(p) for p in prefixes)]


def objection(record, allowed):
    """Why this record is not acceptable, or None."""
    case, verdict = record["case"], record["verdict"]
    if verdict == "OK":
        return None
    for prefix, (verdicts, _) in allowed.items():
        if case.startswith(prefix) and verdict in verdicts:
            break
    else:
        return f"{verdict}: {record.get('note', '')}"
    if case.startswith("r11") and record.get("two_agents_at_once") is not False:
        return "the next start did not sweep what the killed run left"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kit", type=pathlib.Path)
    parser.add_argument("--unboxed", action="store_true")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("prefixes", nargs="*")
    args = parser.parse_args()

    allowed = UNBOXED if args.unboxed else {}
    cases = last_per_case(args.results) if args.results.exists() else {}
    wrong = {case: why for case, record in cases.items() if (why := objection(record, allowed))}
    if args.kit:
        wrong |= {name: "was not run" for name in cases_of_kit(args.kit, args.prefixes) if name not in cases}
    if not cases:
        wrong["(all)"] = "no result found"

    count = {}
    for record in cases.values():
        count[record["verdict"]] = count.get(record["verdict"], 0) + 1
    print(f"{len(cases)} cases: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(count.items())))
    for case, record in cases.items():
        if record["verdict"] != "OK" and case not in wrong:
            reason = next(why for prefix, (_, why) in allowed.items() if case.startswith(prefix))
            print(f"  {case}: {record['verdict']}, accepted: {reason}")
    for case, why in wrong.items():
        print(f"  {case}: {why}", file=sys.stderr)
    print("torture: failed" if wrong else "torture: passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

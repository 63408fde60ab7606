#!/usr/bin/env python3
"""Counts instructions and allocations of ralph's own work in fixed scenarios under valgrind, where a busy machine
changes nothing, and compares them with recorded figures.

    cost.py FOLDER             fails if a figure is more than 5 % above the recorded one
    cost.py FOLDER --record    records what was measured; the commit says why it changed

FOLDER holds `ralph` and `cost`, built as the tests are. Only ralph's own process is counted: neither its shims nor
git, agents or gates. An iteration is half of what a run of three costs more than a run of one.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).resolve().with_name("cost.json")
MOST, LEAST = 1.05, 0.9
AGENT = """#!/bin/sh
task=$(grep -o -m 1 'T-[0-9]*')
mkdir -p work && : > "work/$task" && echo done
"""
SETTINGS = """[agent]
command = "{}"
[[gate]]
name = "tests"
command = "true"
[review]
mode = "off"
"""
COMMAND = "cd src && for file in *.rs; do sed -i 's/a/b/' \"$file\"; done && rm -rf ./target | tee log"
# A process under valgrind finds valgrind behind /proc/self/exe, by which ralph starts its shims.
SELF = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <string.h>
static const char *named(const char *file) { return strcmp(file, "/proc/self/exe") ? file : SELF; }
int execvp(const char *file, char *const words[]) {
    int (*real)(const char *, char *const[]) = dlsym(RTLD_NEXT, "execvp");
    return real(named(file), words);
}
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *how, char *const words[], char *const variables[]) {
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]) = dlsym(RTLD_NEXT, "posix_spawnp");
    return real(pid, named(file), actions, how, words, variables);
}
"""


# Ralph looks through every folder of the search path: what else a machine has installed must not count.
PROGRAMS = ["git", "grep", "mkdir", "sh"]


def run(words, **how):
    return subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)


class Place:
    """A folder with the binaries, without what only a debugger reads, and with homes for scenarios."""

    def __init__(self, binaries, folder):
        self.folder = folder
        for name in ("ralph", "cost"):
            run(["strip", "-o", folder / name, pathlib.Path(binaries, name)], check=True)
        source, self.preload = folder / "self.c", folder / "self.so"
        source.write_text(SELF)
        run(["cc", "-shared", "-fPIC", f'-DSELF="{folder}/ralph"', "-o", self.preload, source, "-ldl"], check=True)
        self.path = folder / "bin"
        self.path.mkdir()
        starters = {self.path / name: f'#!/bin/sh\nexec {shutil.which(name)} "$@"\n' for name in PROGRAMS}
        for file, text in {folder / "agent": AGENT, **starters}.items():
            file.write_text(text)
            file.chmod(0o755)

    def counted(self, name, words, expected=0, text=b""):
        """Instructions, allocations and the most bytes in use at once of a process."""
        home = self.folder / name
        (home / ".config").mkdir(parents=True, exist_ok=True)
        variables = {"HOME": str(home), "PATH": str(self.path), "RALPH_SANDBOX_MODE": "off", "RALPH_CALL": str(home / "call")}
        figures, log = home / "figures", home / "log"
        valgrind = [shutil.which("valgrind") or "valgrind", "--tool=dhat", f"--dhat-out-file={figures}", f"--log-file={log}", "--child-silent-after-fork=yes"]
        ended = run(valgrind + words, cwd=home, input=text, env=variables | {"LD_PRELOAD": str(self.preload)})
        if ended.returncode != expected:
            sys.exit(f"{name}: exit {ended.returncode}, not {expected}\n{ended.stdout.decode()}{log.read_text()}")
        said = log.read_text().replace(",", "")
        return {
            "instructions": json.loads(figures.read_text())["te"],
            "allocations": int(re.search(r"Total: +\d+ bytes in (\d+) blocks", said)[1]),
            "peak_bytes": int(re.search(r"At t-gmax: +(\d+) bytes", said)[1]),
        }

    def project(self, name, tasks):
        work = self.folder / name / "work"
        (work / ".ralph").mkdir(parents=True)
        (work / ".ralph/settings.toml").write_text(SETTINGS.format(self.folder / "agent"))
        plan = {"version": 1, "project": "demo", "tasks": [task(number) for number in range(1, tasks + 1)]}
        (work / ".ralph/plan.json").write_text(json.dumps(plan))
        (self.folder / name / ".gitconfig").write_text("[user]\nname = a\nemail = a@example.invalid\n")
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
            run(["git", *words], cwd=work, env={"HOME": str(self.folder / name), "PATH": "/usr/bin:/bin"}, check=True)
        return work

    def run_of(self, name, tasks, iterations):
        work = self.project(name, tasks)
        return self.counted(name, [self.folder / "ralph", "-C", work, "run", "-n", iterations], expected=1)

    def verdict(self):
        folder = self.folder / "verdict"
        folder.mkdir()
        (folder / "call").write_text(json.dumps({"kind": "implement", "agent": "claude", "worktree": str(folder), "scratch": str(folder)}))
        event = json.dumps({"tool_name": "Bash", "tool_input": {"command": COMMAND}})
        return self.counted("verdict", [self.folder / "ralph", "hook", "pre-tool-use"], text=event.encode())


def task(number):
    name = f"T-{number:05}"
    proof = {"text": f"work/{name} exists", "check": f"test -f work/{name}"}
    return {"id": name, "title": f"write the file {number}", "description": "Create the file.", "acceptance_criteria": [proof]}


def measured(place):
    """The longest ones first: two run at a time."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        own = lambda name: pool.submit(place.counted, name, [place.folder / "cost", name, place.folder / name])
        jobs = {
            "stream of 20 MB": own("stream"),
            "plan of 10,000 tasks": pool.submit(place.run_of, "large", 10_000, 1),
            "three": pool.submit(place.run_of, "three", 20, 3),
            "one": pool.submit(place.run_of, "one", 20, 1),
            "redaction of 10 MB": own("redaction"),
            "guard verdict": pool.submit(place.verdict),
        }
    done = {name: job.result() for name, job in jobs.items()}
    three, one = done.pop("three"), done.pop("one")
    iteration = {figure: (three[figure] - one[figure]) // 2 for figure in ("instructions", "allocations")}
    start = one | {figure: one[figure] - each for figure, each in iteration.items()}
    return {"start": start, "iteration": iteration, **done}


def main():
    binaries, *wishes = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ralph-cost-") as folder:
        figures = measured(Place(binaries, pathlib.Path(folder)))
    if wishes == ["--record"]:
        RECORDED.write_text(json.dumps(figures, indent=2) + "\n")
    recorded = json.loads(RECORDED.read_text())
    wrong = []
    print(f"{'scenario':22}{'figure':14}{'recorded':>16}{'measured':>16}{'ratio':>8}")
    for scenario, row in figures.items():
        for figure, now in row.items():
            then = recorded.get(scenario, {}).get(figure, 0)
            ratio = now / then if then else float("inf")
            print(f"{scenario:22}{figure:14}{then:16,}{now:16,}{ratio:8.3f}")
            if not LEAST <= ratio <= MOST:
                wrong.append(f"{scenario}, {figure}: {ratio:.3f} of the recorded figure")
    if wrong:
        sys.exit("\n".join(wrong) + f"\nmore than {MOST} costs users time, less than {LEAST} should be kept:"
                 " `just cost --record`, in a commit that says why")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""N random people beside a run: each does a few things in the repository while ralph works there, is paused, was killed
or is taken up again. Every byte they wrote must be found again, in its place or where ralph's own words say.

usage: person.py [N]
environment: SEED=… repeats one (or several, by commas), SANDBOX=off|bubblewrap instead of either, RALPH=binary, KEEP=1
keeps the folder of a person without a fault.

Agent and gate are scripts that name their moment by a file outside the repository and wait for the person to be done.
Whatever a person writes holds a token of its own, and each deed has its own file, so that nobody but ralph (or, without
a box, the agent) can lose it. At the end each token is looked for in files, indexes, refs and ralph's own folders.
"""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RALPH = os.environ.get("RALPH", str(ROOT / "target/debug/ralph"))
PATIENCE = 180
OWN = [f"own/{n}.txt" for n in range(1, 17)]

AGENT = """#!/bin/sh
cat > /dev/null
N=$(( $(cat '{state}/calls' 2>/dev/null || echo 0) + 1 )); echo $N > '{state}/calls'
edit() {{ mkdir -p work; echo "agent $N" > "work/$N"; sed -i "5s/$/ agent-$N/" shared.txt; }}
{early}
touch '{state}/at-call-'$N
I=0; while [ ! -e '{state}/go-call-'$N ] && [ $I -lt 600 ]; do sleep 0.05; I=$((I+1)); done
{late}
echo finished
"""
GATE = """#!/bin/sh
N=$(( $(cat '{state}/gates' 2>/dev/null || echo 0) + 1 )); echo $N > '{state}/gates'
touch '{state}/at-gate-'$N
I=0; while [ ! -e '{state}/go-gate-'$N ] && [ $I -lt 600 ]; do sleep 0.05; I=$((I+1)); done
"""


class Scratch:
    """A repository with a plan, an agent and a gate, in a folder of its own, and what ralph said there."""

    def __init__(self, seed, rng, is_boxed):
        # Not below /tmp: a box has one of its own there.
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"person-{seed}-", dir="/var/tmp"))
        self.repo, self.state = self.root / "repo", self.root / "state"
        for folder in ["home/.config", "tmp", "state", "repo/.ralph", "repo/own", "repo/notes"]:
            (self.root / folder).mkdir(parents=True)
        self.env = {
            "PATH": os.environ["PATH"], "HOME": f"{self.root}/home", "TMPDIR": f"{self.root}/tmp", "NO_COLOR": "1",
            "XDG_CONFIG_HOME": f"{self.root}/home/.config", "XDG_STATE_HOME": f"{self.root}/home/state",
            "XDG_CACHE_HOME": f"{self.root}/home/cache", "XDG_DATA_HOME": f"{self.root}/home/data",
            "RALPH_SANDBOX": "bubblewrap" if is_boxed else "off",
        }
        if is_boxed:
            self.env["RALPH_SANDBOX_WRITABLE"] = str(self.state)
        self.fill(rng)

    def fill(self, rng):
        repo, state = self.repo, self.state
        early, late = rng.choice([("edit", ":"), (":", "edit")])
        # There, because a box shows that folder.
        program(state / "agent.sh", AGENT.format(state=state, early=early, late=late))
        program(state / "gate.sh", GATE.format(state=state))
        (repo / ".ralph/settings.toml").write_text(
            f'[agent]\ncommand = "{state}/agent.sh"\n[review]\nmode = "off"\n[limits]\nmax_attempts = 2\n'
            f'[[gate]]\nname = "tests"\ncommand = "{state}/gate.sh"\n')
        check = [{"text": "some work is there", "check": "ls work/*"}]
        tasks = [{"id": f"T-{n}", "title": f"task {n}", "status": "pending", "order": n, "acceptance_criteria": check}
                 for n in range(1, rng.choice([2, 2, 2, 3]) + 1)]
        plan = {"version": 1, "project": "scratch", "tasks": tasks}
        (repo / ".ralph/plan.json").write_text(json.dumps(plan, indent=2))
        (repo / "shared.txt").write_text("".join(f"line {n}\n" for n in range(1, 12)))
        (repo / ".gitignore").write_text("*.log\nignored/\n")
        for name in OWN + ["clash.txt", "other.txt"]:
            (repo / name).write_text("".join(f"{name} {n}\n" for n in range(1, 6)))
        self.git("init", "-q", "-b", "main")
        if rng.random() < 0.4:
            (repo / ".git/info/exclude").write_text(".ralph/\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "begin")
        self.git("switch", "-q", "-c", "side")
        (repo / "clash.txt").write_text("side\n")
        (repo / "other.txt").write_text("side\n")
        self.git("commit", "-q", "-a", "-m", "side")
        self.git("switch", "-q", "main")
        (repo / "clash.txt").write_text("main\n")
        self.git("commit", "-q", "-a", "-m", "main")
        (repo / "notes/draft.txt").write_text("a draft\n")

    def whom(self, name):
        who = {f"GIT_{role}_{what}": f"{name}{end}" for role in ["AUTHOR", "COMMITTER"]
               for what, end in [("NAME", ""), ("EMAIL", "@example.invalid")]}
        return {**self.env, **who}

    def git(self, *args, where=None, check=True):
        where = {"cwd": where or self.repo, "env": self.whom("person")}
        ended = subprocess.run(["git", *args], **where, capture_output=True, check=False)
        if check and ended.returncode:
            raise RuntimeError(f"{' '.join(args)}: {ended.stderr.decode(errors='replace').strip()}")
        return ended.stdout.decode(errors="replace").strip()

    def start(self, args):
        log = open(self.root / "ralph.log", "ab")
        print_to = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
        log.write(f"$ ralph {' '.join(args)}\n".encode())
        log.flush()
        return subprocess.Popen([RALPH, *args], cwd=self.repo, env=self.whom("runner"), **print_to)

    def ralph(self, *args):
        child = self.start(args)
        return child.wait(PATIENCE)

    def heard(self):
        return (self.root / "ralph.log").read_text(encoding="utf-8", errors="replace")

    def worktrees(self):
        lines = self.git("worktree", "list", "--porcelain", check=False).splitlines()
        return [pathlib.Path(line[9:]) for line in lines if line.startswith("worktree ")]

    def processes(self):
        """What still runs with this folder in its arguments or surroundings."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(self.root).encode() in text:
                found.append(entry.name + " " + text[:80].replace(b"\0", b" ").decode(errors="replace"))
        return found


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


class Person:
    """Does deeds, and remembers each token with where it belongs."""

    def __init__(self, seed, rng, scratch):
        self.seed, self.rng, self.scratch = seed, rng, scratch
        self.fresh = list(OWN)
        rng.shuffle(self.fresh)
        self.tokens, self.diary, self.marks = {}, [], []
        self.commits, self.moment, self.count = [], "", 0
        self.has_moved_main = False

    DEEDS = """edit edit shared_other shared_same new_file new_folder ignored stage stage_then_edit stage_then_edit
        stage_new_delete delete rename commit commit branch tag stash chmod symlink nested merge merge_resolved
        merge_and_stage plan in_untracked_folder crlf_new crlf file_becomes_folder folder_becomes_file untrack
        switch""".split()
    # Those that leave nothing uncommitted in tracked files.
    QUIET = "new_file new_folder ignored in_untracked_folder symlink nested branch tag crlf_new stash".split()

    def act(self, moment, deed):
        """One deed; what git refuses a person is not done, and what they wrote before counts."""
        self.moment = moment
        places = [tree for tree in self.scratch.worktrees() if tree.is_dir()]
        self.at = self.rng.choice(places[1:]) if len(places) > 1 and self.rng.random() < 0.35 else places[0]
        self.is_main = self.git("branch", "--show-current") == "main"
        where = "" if self.at == self.scratch.repo else " in the linked worktree"
        try:
            getattr(self, deed)()
            self.diary.append(f"{moment}: {deed}{where} {self.last}")
        except (RuntimeError, OSError, StopIteration) as error:
            self.diary.append(f"{moment}: {deed}{where} could not: {str(error)[:110]}")

    def do(self, todo, moment):
        for deed in todo.pop(moment, []):
            self.act(moment, deed)

    def git(self, *args):
        return self.scratch.git(*args, where=self.at)

    def token(self, path, kind):
        self.count += 1
        token = f"PERSON-{self.seed}-{self.count}-END"
        self.last = f"{path} {token}"
        self.tokens[token] = {"path": path, "kind": kind, "moment": self.moment, "at": self.at}
        return token

    def own(self):
        path = self.fresh.pop()
        if not (self.at / path).is_file():
            raise OSError(f"{path} is gone")
        self.last = path
        return path, self.at / path

    def append(self, path, kind, end="\n"):
        file = self.at / path
        text = file.read_bytes()
        file.write_bytes(text + f"{self.token(path, kind)}{end}".encode())

    def write(self, path, kind, end="\n"):
        (self.at / path).parent.mkdir(parents=True, exist_ok=True)
        (self.at / path).write_bytes(f"{self.token(path, kind)}{end}".encode())

    def edit(self):
        self.append(self.own()[0], "edit")

    def shared_other(self):
        self.append("shared.txt", "shared")

    def shared_same(self):
        text = (self.at / "shared.txt").read_text()
        old = text.splitlines()[4]
        (self.at / "shared.txt").write_text(text.replace(old, f"{old} {self.token('shared.txt', 'shared')}", 1))

    def new_file(self):
        self.write(f"new-{self.count}.txt", "new")

    def new_folder(self):
        self.write(f"folder-{self.count}/deep/new.txt", "new")

    def ignored(self):
        self.write(self.rng.choice([f"trace-{self.count}.log", f"ignored/{self.count}.txt"]), "ignored")

    def in_untracked_folder(self):
        self.write(f"notes/more-{self.count}.txt", "new")
        if (self.at / "notes/draft.txt").exists():
            self.append("notes/draft.txt", "new")

    def crlf_new(self):
        self.write(f"windows-{self.count}.txt", "new", "\r\nsecond\r\n")

    def crlf(self):
        path, file = self.own()
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
        self.append(path, "edit", "\r\n")

    def stage(self):
        path = self.own()[0]
        self.append(path, "edit")
        self.git("add", path)

    def stage_then_edit(self):
        path, file = self.own()
        before = file.read_text()
        self.append(path, "staged")
        self.git("add", path)
        staged = self.last
        file.write_text(before)
        self.append(path, "edit")
        self.last = f"{staged} then {self.last}"

    def stage_new_delete(self):
        path = f"staged-{self.count}.txt"
        self.write(path, "staged")
        self.git("add", path)
        (self.at / path).unlink()

    def delete(self):
        path, file = self.own()
        file.unlink()
        self.marks.append(("delete", path, self.at, self.moment))

    def rename(self):
        path, _ = self.own()
        to = f"renamed-{self.count}.txt"
        if self.rng.random() < 0.5:
            self.git("mv", path, to)
        else:
            (self.at / path).rename(self.at / to)
        self.append(to, "new")

    def commit(self):
        path = self.own()[0]
        self.append(path, "commit")
        self.git("commit", "-q", "-m", "a person's", "--", path)
        self.commits.append(self.git("rev-parse", "HEAD"))
        self.has_moved_main |= self.is_main

    def branch(self):
        name = f"person-{self.count}-{len(self.diary)}"
        self.git("branch", name)
        self.marks.append(("ref", f"refs/heads/{name}", self.git("rev-parse", name), self.moment))
        self.last = name

    def tag(self):
        name = f"tag-{self.count}-{len(self.diary)}"
        self.git("tag", name)
        self.marks.append(("ref", f"refs/tags/{name}", self.git("rev-parse", name), self.moment))
        self.last = name

    def stash(self):
        self.append(self.own()[0], "stash")
        self.git("stash", "push", "-q", *self.rng.choice([[], ["--", self.last.split()[0]], ["-u"]]))

    def chmod(self):
        path, file = self.own()
        file.chmod(0o755)
        self.marks.append(("chmod", path, self.at, self.moment))

    def symlink(self):
        path = f"link-{self.count}"
        (self.at / path).symlink_to(self.token(path, "new"))

    def nested(self):
        folder = f"nested-{self.count}"
        (self.at / folder).mkdir()
        self.scratch.git("init", "-q", where=self.at / folder)
        self.write(f"{folder}/inside.txt", "new")
        if self.rng.random() < 0.5:
            self.scratch.git("add", "-A", where=self.at / folder)
            self.scratch.git("commit", "-q", "-m", "inside", where=self.at / folder)
        self.marks.append(("nested", folder, self.at, self.moment))

    def merge(self):
        subprocess.run(["git", "merge", "-q", "side"], cwd=self.at, env=self.scratch.whom("person"), check=False,
                       capture_output=True)
        if not self.git("ls-files", "-u"):
            raise RuntimeError("no merge")
        self.last = "clash.txt"

    def merge_resolved(self):
        self.merge()
        self.write("clash.txt", "staged" if self.rng.random() < 0.5 else "edit")
        if self.tokens[self.last.split()[1]]["kind"] == "staged":
            self.git("add", "clash.txt")

    def merge_and_stage(self):
        self.merge()
        self.stage_then_edit()

    def plan(self):
        file = self.scratch.repo / ".ralph/plan.json"
        plan = json.loads(file.read_text())
        plan["tasks"][-1]["description"] = self.token(".ralph/plan.json", "plan")
        file.write_text(json.dumps(plan, indent=2))

    def file_becomes_folder(self):
        path, file = self.own()
        file.unlink()
        self.write(f"{path}/inside.txt", "new")

    def folder_becomes_file(self):
        """A folder of a file that an agent makes, or one of the person's, under a name that agents use."""
        if (self.at / "work").exists():
            self.write("work/2", "new") if not (self.at / "work/2").exists() else self.append("work/2", "shared")
        else:
            self.write("work", "new")

    def untrack(self):
        path, _ = self.own()
        self.git("rm", "-q", "--cached", path)
        self.append(path, "edit")

    def switch(self):
        self.git("switch", "-q", "main")
        self.last = "main"


def drive(child, scratch, person, todo, break_at, pause_at):
    """Lets a process of ralph live until it ends; gives its exit code, or None if the person killed it."""
    began, die_at, is_pausing = time.monotonic(), None, False
    while child.poll() is None:
        time.sleep(0.02)
        now = time.monotonic()
        if now - began > PATIENCE:
            child.kill()
            raise TimeoutError(f"ralph did not end within {PATIENCE} s")
        if die_at and now >= die_at:
            child.kill()
            child.wait()
            person.diary.append("kill -9")
            return None
        if is_pausing and "paused by a person" in scratch.heard().rsplit("$ ralph pause", 1)[-1]:
            is_pausing = False
            person.do(todo, "pause")
            scratch.ralph("resume")
        for sign in sorted(scratch.state.glob("at-*"), key=lambda it: it.stat().st_mtime):
            moment = sign.name[3:]
            sign.rename(sign.with_name("was-" + moment))
            person.do(todo, moment)
            if moment == pause_at:
                is_pausing = scratch.ralph("pause") == 0
            way, delay = break_at.pop(moment, (None, 0))
            if way == "kill":
                die_at = time.monotonic() + delay
                if not delay:
                    continue
            elif way:
                person.diary.append(f"{moment}: {way}")
                child.send_signal(signal.SIGINT) if way == "SIGINT" else scratch.ralph(*way.split())
            (scratch.state / f"go-{moment}").touch()
    return child.returncode


class Oracle:
    """Looks for everything that a person did."""

    def __init__(self, scratch, person, mode, is_boxed, old_main):
        self.scratch, self.person, self.mode, self.is_boxed, self.old_main = scratch, person, mode, is_boxed, old_main
        self.heard = scratch.heard()
        self.faults, self.counts = [], {}
        self.files, self.blobs, self.kept = {}, {}, {}

    def fault(self, severity, text):
        self.faults.append(f"{severity}: {text}")

    def see(self, places, content, where):
        for token in set(re.findall(rb"PERSON-\d+-\d+-END", content)):
            places.setdefault(token.decode(), set()).add(where)

    def look(self):
        trees = [tree for tree in self.scratch.worktrees() if tree.is_dir()]
        for tree in trees:
            self.walk(tree, self.files, {tree / ".git", tree / ".ralph/runs"})
            for line in self.scratch.git("ls-files", "-s", where=tree).splitlines():
                self.blobs.setdefault(line.split()[1], set()).add(f"index {tree}")
        # Journals, logs and prompts tell of what happened; they give nothing back.
        skip = {self.scratch.repo / ".git/objects", self.scratch.repo / ".git/logs", *trees}
        self.walk(self.scratch.repo / ".git", self.kept, skip)
        self.walk(self.scratch.root / "home", self.kept, skip)
        refs = self.refs = self.scratch.git("for-each-ref", "--format=%(refname)").splitlines()
        entries = self.scratch.git("log", "-g", "--format=%H", "refs/stash", check=False).splitlines()
        for ref, start in [(ref, ref) for ref in refs] + [("refs/stash", entry) for entry in entries]:
            for line in self.scratch.git("rev-list", "--objects", start, "--not", self.old_main).splitlines():
                self.blobs.setdefault(line.split()[0], set()).add(ref)
        self.objects = {}
        batch = subprocess.run(["git", "cat-file", "--batch"], cwd=self.scratch.repo, capture_output=True, check=True,
                               input="\n".join(self.blobs).encode()).stdout
        for places in self.blobs.values():
            head, _, batch = batch.partition(b"\n")
            length = int(head.split()[2]) if len(head.split()) == 3 else -1
            content, batch = batch[:max(length, 0)], batch[length + 1:]
            for place in places:
                self.see(self.objects, content, place)

    def walk(self, top, places, skip):
        for folder, names, files in os.walk(top):
            skip_git = top.name != ".git"
            names[:] = [it for it in names if pathlib.Path(folder, it) not in skip and not (skip_git and it == ".git")]
            for path in [pathlib.Path(folder, it) for it in files + names]:
                if path.is_symlink():
                    self.see(places, os.readlink(path).encode(), str(path))
                elif path.is_file() and not path.name.startswith(("journal", "snapshot", "state")):
                    self.see(places, path.read_bytes(), str(path))

    def mixed(self):
        """Tokens that commits of ralph's on branches brought in."""
        brought = {}
        args = ["log", "--branches", "--author=runner", "-p", "-m", "--text", "--format=commit %H %s"]
        for commit in self.scratch.git(*args).split("commit ")[1:]:
            lines = commit.splitlines()
            text = {side: " ".join(it for it in lines if it.startswith(side)) for side in "+-"}
            sides = {side: set(re.findall(r"PERSON-\d+-\d+-END", text[side])) for side in "+-"}
            if self.mode == "--wip" and " wip: saved by ralph" in lines[0]:
                continue  # asked for
            for token in sides["+"] - sides["-"]:
                brought[token] = lines[0][:7] + lines[0][40:]
        return brought

    def is_named(self, place):
        path = pathlib.PurePath(place)
        named = [place, *(str(it) for it in path.parents if len(it.parts) > 5)] if path.is_absolute() else [place]
        named += [place.removeprefix("refs/heads/"), place.removeprefix(f"{self.scratch.repo}/")]
        # A whole name: one file of a folder does not name its neighbours, nor `staged-2` what is `staged`.
        return any(re.search(re.escape(it) + r"(?![\w/-])", self.heard) for it in named)

    def judge_token(self, token, mixed):
        what = self.person.tokens[token]
        # There is one plan, whatever worktree a run has.
        own = str((self.scratch.repo if what["kind"] == "plan" else what["at"]) / what["path"])
        files, objects, kept = (it.get(token, set()) for it in [self.files, self.objects, self.kept])
        homes = {it for it in objects if it.startswith(("index ", "refs/tags/")) or it == "refs/stash"}
        if what["kind"] == "commit" or self.mode == "--wip":
            homes |= {it for it in objects if it.startswith("refs/heads/")}
        name = f"{token} ({what['kind']} {what['path']} at {what['moment']})"
        if token in mixed:
            # Without a box nobody can tell a person's hand from the agent's while the agent works in the same files.
            is_beside = self.mode == "--worktree" and what["at"] == self.scratch.repo
            is_known = not self.is_boxed and not is_beside and what["moment"].startswith("call")
            is_said = f"what you changed in {what['path']} may be part of the agent's work" in self.heard
            is_after = not self.is_boxed and what["moment"] == "killed" and "taken for the agent's" in self.heard
            is_known = is_known or is_said or is_after
            self.count("mixed in, unboxed or said" if is_known else "MIXED")
            if not is_known:
                self.fault("high", f"{name} is mixed into {mixed[token]}")
            return
        if homes or files and what["kind"] != "staged":
            is_moved = own not in files and not homes
            self.count("elsewhere in the worktree" if is_moved else "in place")
            if is_moved and not any(self.is_named(it) for it in files):
                self.fault("medium", f"{name} is now {sorted(files)}, which nobody said")
            return
        places = sorted(files | objects | kept)
        if not places:
            self.fault("HIGH", f"{name} is LOST{self.dangling(token)}")
            self.count("LOST")
        elif any(self.is_named(it) for it in places):
            self.count("elsewhere, named")
        else:
            self.count("elsewhere, NOT NAMED")
            self.fault("medium", f"{name} is only in {places}, which nobody said")

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def dangling(self, token):
        """Where the object store still has it, though nothing leads there."""
        for line in self.scratch.git("fsck", "--unreachable", "--no-reflogs", check=False).splitlines():
            name = line.split()[-1]
            if token in self.scratch.git("cat-file", "-p", name, check=False):
                return f" (dangling object {name})"
        return ""

    def judge_mark(self, mark):
        kind, name, value, moment = mark
        if kind == "ref":
            if self.scratch.git("rev-parse", "-q", "--verify", name, check=False) != value and not self.is_named(name):
                self.fault("high", f"{name}, made at {moment}, is not what it was")
            return
        path = value / name
        is_so = {"delete": not path.exists(), "chmod": path.exists() and os.access(path, os.X_OK),
                 "nested": (path / ".git").is_dir()}[kind]
        self.count(f"{kind} {'holds' if is_so else 'undone'}")
        if kind == "nested":
            is_said = f"the repository in {name} was moved to" in self.heard
        else:
            named = [ref for ref in self.refs if self.is_named(ref)]
            is_said = name in self.heard or any(self.has_mark(ref, kind, name) for ref in named)
        if not is_so and not is_said:
            self.fault("medium", f"{kind} of {name} at {moment} was undone, which nobody said")

    def has_mark(self, ref, kind, name):
        entry = self.scratch.git("ls-tree", ref, "--", name, check=False)
        return not entry if kind == "delete" else entry.startswith("100755")

    def judge(self, codes, code):
        self.look()
        mixed = self.mixed()
        for token in self.person.tokens:
            self.judge_token(token, mixed)
        for mark in self.person.marks:
            self.judge_mark(mark)
        for commit in self.person.commits:
            refs = self.scratch.git("for-each-ref", "--contains", commit, "--format=%(refname)").splitlines()
            if not any(ref.startswith("refs/heads/") or self.is_named(ref) for ref in refs):
                self.fault("high", f"the commit {commit[:9]} is on no branch: {refs or 'nowhere'}")
        main = self.scratch.git("rev-parse", "main")
        # With --wip the person asks for a commit on their branch.
        if main != self.old_main and not self.person.has_moved_main and self.mode != "--wip":
            self.fault("high", f"main moved from {self.old_main[:9]} to {main[:9]}")
        words = re.findall(r"you are on branch ([^\s;]+);", self.heard.rsplit("$ ralph " + codes[-1][0], 1)[-1])
        branch = self.scratch.git("branch", "--show-current")
        if words and words[-1] != branch:
            self.fault("medium", f"“you are on branch {words[-1]}”, but it is {branch or 'none'}")
        locks = [str(it) for it in (self.scratch.repo / ".git").glob("*.lock")]
        if locks:
            self.fault("medium", f"left behind: {locks}")
        self.judge_status(codes[-1][0], code)
        return self.faults

    def judge_status(self, command, code):
        said = subprocess.run([RALPH, "status", "--json"], cwd=self.scratch.repo, env=self.scratch.whom("runner"),
                              capture_output=True, check=False).stdout
        run = (json.loads(said or "{}") or {}).get("run") or {}
        if run.get("running"):
            self.fault("medium", "ralph status says that a run goes on")
        told = run.get("exit_code")
        if command in ("run", "resume") and code not in (2, 5, 6, 7, None) and told is not None and told != code:
            self.fault("medium", f"ralph {command} gave {code}, ralph status says {told}")


def live(seed):
    """One person's day. Gives whether all is well."""
    rng, began = random.Random(seed), time.monotonic()
    box = rng.choice(["off", "bubblewrap"])
    box = os.environ.get("SANDBOX") or box
    mode = rng.choice(["", "", "", "--worktree", "--stash", "--wip"])
    scratch = Scratch(seed, rng, box != "off")
    person = Person(seed, rng, scratch)
    moments = ["gate-1", "call-1", "gate-2", "call-2", "gate-3"]
    break_at, ways = {}, ["kill"] * 6 + ["SIGINT", "stop --now", "stop"]
    if rng.random() < 0.65:
        break_at[rng.choice(moments)] = (rng.choice(ways), rng.choice([0, rng.random(), rng.random() * 2]))
        moments += ["killed"] * 4 + ["call-3"]
        if rng.random() < 0.2:
            break_at[rng.choice(["call-3", "gate-3"])] = ("kill", rng.random())
    pause_at = rng.choice(["call-1", "gate-2"]) if rng.random() < 0.2 else None
    moments += ["pause"] * 3 if pause_at else []
    moments += ["before"] * {"": 1, "--worktree": 2, "--stash": 4, "--wip": 4}[mode]
    todo = {}
    for _ in range(rng.choice([1, 2, 3, 3, 4, 4])):
        moment = rng.choice(moments)
        deeds = Person.QUIET if moment == "before" and not mode and rng.random() < 0.9 else Person.DEEDS
        todo.setdefault(moment, []).append(rng.choice(deeds))
    ways_on = [["run"], ["run"], ["resume"], ["resume"], ["stop"], ["run", "--fresh"]]
    follow_ups = [rng.choice(ways_on) for _ in range(3)]
    old_main = scratch.git("rev-parse", "main")
    codes, faults = [], []
    try:
        person.do(todo, "before")
        command = ["run", *([mode] if mode else [])]
        while command:
            code = drive(scratch.start(command), scratch, person, todo, break_at, pause_at)
            codes.append((command[0], code))
            person.diary.append(f"ralph {' '.join(command)}: {'killed' if code is None else f'exit {code}'}")
            is_over = code in (0, 3) or len(codes) > 4
            if code is None:
                faults += gone(scratch)
            if code in (None, 1, 130) and command != ["stop"] and not is_over:
                person.do(todo, "killed")
                command = follow_ups.pop(0) if follow_ups else ["stop"]
            else:
                command = ["stop"] if not is_over and command != ["stop"] else None
        faults += gone(scratch)
        scratch.ralph("status")
        scratch.ralph("runs")
        oracle = Oracle(scratch, person, mode, box != "off", old_main)
        faults += oracle.judge(codes, codes[-1][1])
        counts = ", ".join(f"{number} {what}" for what, number in sorted(oracle.counts.items()))
    except (TimeoutError, subprocess.TimeoutExpired) as error:
        faults.append(f"high: {error}")
        counts = "not judged"
    took = time.monotonic() - began
    title = f"seed {seed} {box} {mode or 'in place'}"
    print(f"{title}: {'FAULT' if faults else 'ok'}  {counts}  {took:.0f} s", flush=True)
    if faults:
        told = [f"    {it}" for it in person.diary] + [f"  {it}" for it in faults] + [f"  {scratch.root}"]
        print("\n".join(told), flush=True)
    if not faults and not os.environ.get("KEEP"):
        shutil.rmtree(scratch.root, ignore_errors=True)
    return not faults


def gone(scratch):
    """Waits until nothing of ralph's runs any more; gives what does not end."""
    for _ in range(100):
        left = scratch.processes()
        if not left:
            return []
        time.sleep(0.1)
    return [f"high: still running: {left}"]


def main():
    if os.environ.get("SEED"):
        seeds = [int(it) for it in os.environ["SEED"].split(",")]
    else:
        first = random.SystemRandom().randrange(10**6)
        seeds = range(first, first + int(sys.argv[1] if len(sys.argv) > 1 else 50))
    bad = [seed for seed in seeds if not live(seed)]
    print(f"{len(seeds)} people, {len(bad)} with faults" + (f": SEED={','.join(map(str, bad))} just person" if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

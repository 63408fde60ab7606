"""A repository with a plan of small tasks, and whether a loop left its branch as it should."""

import json
import subprocess
from pathlib import Path

from .site import AGENT, GATE, PROJECT

WHO = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"]


def git(folder, *words):
    done = subprocess.run(["git", "-C", folder, *WHO, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"git {words}: {done.stderr}"
    return done.stdout.strip()


class Repository:
    """A bare repository, and the files that a loop on it begins with."""

    def __init__(self, site, name="app", tasks=3, gate=True, settings=""):
        self.path = site.folder / f"{name}.git"
        self.tasks = [f"T-{number}" for number in range(1, tasks + 1)]
        source = site.folder / f"{name}-source"
        git(site.folder, "init", "-q", "--bare", self.path)
        git(site.folder, "init", "-q", source)
        (source / "README.md").write_text(f"{name}\n")
        (source / ".gitignore").write_text(".ralph/\n")
        git(source, "add", "-A")
        git(source, "commit", "-qm", "first")
        git(source, "push", "-q", self.path, "main")
        self.plan = site.folder / f"{name}-plan.json"
        self.plan.write_text(json.dumps({"version": 1, "project": name, "tasks": [self.task(id) for id in self.tasks]}))
        self.settings = site.folder / f"{name}-settings.toml"
        gates = GATE.format(agent=AGENT, log=site.log) if gate else ""
        self.settings.write_text(PROJECT + settings + gates)

    @staticmethod
    def task(id):
        check = {"text": "the file is there", "check": f"test -f out/{id}.txt"}
        return {"id": id, "title": f"{id}: write out/{id}.txt", "acceptance_criteria": [check]}

    def commits(self, branch="ralph/app"):
        """Which task each commit of the branch belongs to, the newest first."""
        known = git(self.path, "for-each-ref", "--format=%(refname)", f"refs/heads/{branch}")
        form = "%(trailers:key=Ralph-Task,valueonly,separator=%x2C)"
        return git(self.path, "log", f"--format={form}", f"main..{branch}").split() if known else []

    def tip(self, branch="ralph/app"):
        return git(self.path, "rev-parse", f"refs/heads/{branch}")

    def is_green(self, folder, branch="ralph/app"):
        """Whether every task's check passes in a clean checkout."""
        clean = Path(folder) / f"clean-{self.path.stem}-{branch.replace('/', '-')}"
        git(folder, "clone", "-q", "-b", branch, self.path, clean)
        return all((clean / "out" / f"{task}.txt").is_file() for task in self.tasks)

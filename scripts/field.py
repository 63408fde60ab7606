#!/usr/bin/env python3
"""Real packages with their own tests, prepared as their READMEs say: their tests bare and boxed, the gates that
`ralph init` proposes, and a run of two tasks, as this user and as an ordinary one.

usage: field.py [PROJECT...]
environment: RALPH=binary, FIELD_USERS=root,tester instead of both, KEEP=1 keeps the folders.

Sources come by the ordinary clients of five ecosystems (cargo, npm, pip, and Debian's C and shell packages by apt) and
are kept in .cache/field. A row is right if the boxed tests end as the bare ones do, the gates are those that the project
itself runs, the run ends truthfully with both tasks done, and nothing else is left in the working tree.
"""
import ipaddress
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
RALPH = os.environ.get("RALPH", str(ROOT / "target/debug/ralph"))
CACHE = ROOT / ".cache/field"
ORDINARY = "tester"
PATIENCE = 900
CMAKE = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"


@dataclass
class Project:
    name: str
    ecosystem: str
    source: str
    # The test gate that a maintainer would name.
    gate: str
    # What a README says to do once after the clone.
    prepare: str = "true"
    # What its own .gitignore, which packages leave out, would name.
    ignored: str = ""
    # Commands of further gates that are right as well.
    also: list = field(default_factory=list)
    # Its tests pass as root too. In the box they do in any case: root has no power over files there.
    as_root: bool = True


NPM_LEAVES = "node_modules\npackage-lock.json\ncoverage\n.nyc_output"


def venv(version, more=""):
    """As the READMEs say; the version that a checkout has from its tags comes by name."""
    return (f"/usr/bin/python3 -m venv .venv && SETUPTOOLS_SCM_PRETEND_VERSION={version} "
            f".venv/bin/pip install -q -e . pytest {more}")


PROJECTS = [
    Project("semver", "cargo", "semver@1.0.23", "cargo test", "cargo fetch -q", "target\nCargo.lock",
            ["cargo clippy --tests --benches -- -Dclippy::all -Dclippy::pedantic"]),
    Project("smallvec", "cargo", "smallvec@1.13.2", "cargo test", "cargo fetch -q", "target\nCargo.lock"),
    Project("heck", "cargo", "heck@0.5.0", "cargo test", "cargo fetch -q", "target\nCargo.lock"),
    Project("minimist", "npm", "minimist@1.2.8", "npm test", "npm install --silent", NPM_LEAVES, ["npm run lint"]),
    Project("text-table", "npm", "text-table@0.2.0", "npm test", "npm install --silent", NPM_LEAVES),
    Project("object-inspect", "npm", "object-inspect@1.13.1", "npm test", "npm install --silent", NPM_LEAVES, ["npm run lint"]),
    Project("deep-equal", "npm", "deep-equal@2.2.3", "npm test", "npm install --silent", NPM_LEAVES, ["npm run lint"]),
    Project("pluggy", "pip", "pluggy==1.5.0", ".venv/bin/pytest", venv("1.5.0"), ".venv\n*.egg-info\n__pycache__"),
    Project("click", "pip", "click==8.1.7", ".venv/bin/pytest", venv("8.1.7", "'pytest<9'"), ".venv\n*.egg-info\n__pycache__"),
    Project("structlog", "pip", "structlog==24.1.0", ".venv/bin/pytest",
            venv("24.1.0", "pytest-asyncio pretend freezegun simplejson twisted rich"), ".venv\n*.egg-info\n__pycache__"),
    Project("markupsafe", "pip", "markupsafe==2.1.5", ".venv/bin/pytest", venv("2.1.5"), ".venv\n*.egg-info\n__pycache__\n*.so"),
    Project("cjson", "apt-c", "cjson", CMAKE, "true", "build"),
    Project("bzip2", "apt-c", "bzip2", "make test", "true", "*.o\n*.a\n/bzip2\n/bzip2recover\n*.rb2\n*.tst"),
    Project("jansson", "apt-c", "jansson", CMAKE, "true", "build"),
    Project("rbenv", "apt-sh", "rbenv", "bats test", as_root=False),
]


def say(text):
    print(text, file=sys.stderr, flush=True)


def sh(command, cwd, env=None, timeout=PATIENCE):
    return subprocess.run(command, shell=isinstance(command, str), cwd=cwd, env=env, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def must(command, cwd, env=None):
    done = sh(command, cwd, env)
    if done.returncode:
        raise RuntimeError(f"{command}: exit {done.returncode}\n{(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def fetch(project):
    """The sources of a package, by its ordinary client; kept."""
    place = CACHE / "src" / project.name
    if (place / ".fetched").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        found = FETCH[project.ecosystem](project.source, pathlib.Path(scratch))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(found, place, symlinks=True)
    (place / ".fetched").touch()
    return place


def by_cargo(source, scratch):
    name, version = source.split("@")
    must(["cargo", "init", "-q", "--vcs", "none", "--name", "holder", "."], scratch)
    must(["cargo", "add", "-q", f"{name}@={version}"], scratch)
    must(["cargo", "vendor", "-q", "--versioned-dirs", "vendor"], scratch)
    found = scratch / "vendor" / f"{name}-{version}"
    (found / ".cargo-checksum.json").unlink()
    return found


def by_npm(source, scratch):
    archive = must(["npm", "pack", "--silent", source], scratch).split()[-1]
    must(["tar", "xf", archive], scratch)
    return scratch / "package"


def by_pip(source, scratch):
    must([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", source], scratch)
    return unpacked(scratch)


def by_apt(source, scratch):
    """Debian's own list of sources, asked for what it was built from."""
    lists = scratch / "lists"
    (lists / "partial").mkdir(parents=True)
    os.chmod(scratch, 0o755)
    system = pathlib.Path("/etc/apt/sources.list.d/debian.sources").read_text()
    (scratch / "src.sources").write_text("".join(
        "Types: deb-src\n" if line.startswith("Types:") else line for line in system.splitlines(True)))
    options = ["-o", f"Dir::Etc::sourcelist={scratch}/src.sources", "-o", "Dir::Etc::sourceparts=/nonexistent",
               "-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    must(["apt-get", *options, "update", "-qq"], scratch)
    must(["apt-get", *options, "source", "-qq", "--tar-only", source], scratch)
    return unpacked(scratch)


def unpacked(scratch):
    archive = next(path for path in sorted(scratch.iterdir()) if ".tar." in path.name)
    inner = scratch / "unpacked"
    inner.mkdir()
    must(["tar", "xf", str(archive), "-C", str(inner)], scratch)
    return next(inner.iterdir())


FETCH = {"cargo": by_cargo, "npm": by_npm, "pip": by_pip, "apt-c": by_apt, "apt-sh": by_apt}
NEEDS = {"apt-c": ["cmake", "make", "gcc"], "apt-sh": ["bats"]}

AGENT = """#!/bin/sh
cat > /dev/null
for n in 1 2; do
    if [ ! -e field-$n.txt ]; then echo "task $n" > field-$n.txt; break; fi
done
echo finished
"""


def plan():
    tasks = [{"id": f"T-{n}", "title": f"write the note {n}", "description": f"Create field-{n}.txt.",
              "acceptance_criteria": [{"text": f"field-{n}.txt is there", "check": f"test -s field-{n}.txt"}],
              "status": "pending"} for n in (1, 2)]
    tasks[1]["depends_on"] = ["T-1"]
    return json.dumps({"version": 1, "project": "field", "branch": "ralph/field", "tasks": tasks})


def behind_mirrors():
    """The registries' hosts that this machine finds at private addresses: a person allows them by name."""
    pip = "from pip._internal.models.index import PyPI as i; print(i.simple_url, 'https://' + i.file_storage_domain)"
    said = [sh(command, "/").stdout for command in (["npm", "config", "get", "registry"], [sys.executable, "-c", pip])]
    for index in pathlib.Path.home().glob(".cargo/registry/index/*"):
        said += [f"https://{index.name.rsplit('-', 1)[0]} ", *[file.read_text() for file in index.glob("config.json")]]
    hosts = sorted(set(re.findall(r"https://([^/\s\"{]+)", " ".join(said))))

    def is_private(host):
        try:
            found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM)
        except OSError:
            return False
        return not all(ipaddress.ip_address(entry[4][0]).is_global for entry in found)

    return [host for host in hosts if is_private(host)]


class Ground:
    """A folder with a project in it, and a user who works there."""

    def __init__(self, project, user):
        self.project, self.user = project, pwd.getpwnam(user)
        # Not below /tmp: a box has one of its own there.
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"field-{project.name}-", dir="/var/tmp"))
        os.chmod(self.root, 0o755)
        self.repo = self.root / "repo"
        shutil.copytree(CACHE / "src" / project.name, self.repo, symlinks=True,
                        ignore=lambda _, names: [n for n in names if n in (".fetched", ".git")])
        for folder in ["home", "tmp"]:
            (self.root / folder).mkdir()
        self.agent = self.root / "agent.sh"
        self.agent.write_text(AGENT)
        self.agent.chmod(0o755)
        self.ralph = self.root / "ralph"
        shutil.copy(RALPH, self.ralph)
        with open(self.repo / ".gitignore", "a", encoding="utf-8") as ignore:
            ignore.write(f"\n{project.ignored}\n")
        path = os.environ["PATH"]
        self.env = {**os.environ, "HOME": f"{self.root}/home", "TMPDIR": f"{self.root}/tmp", "NO_COLOR": "1",
                    "PATH": path, "USER": user, "LOGNAME": user,
                    "RALPH_SANDBOX_ALLOW_HOSTS": " ".join(behind_mirrors())}
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL",
                     "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"]:
            self.env.pop(name, None)
        for who in ["AUTHOR", "COMMITTER"]:
            self.env |= {f"GIT_{who}_NAME": "Field", f"GIT_{who}_EMAIL": "field@example.invalid"}
        if project.ecosystem == "cargo":
            self.env["PATH"] = f"{toolchain()}/bin:{path}"
        self.env["PATH"] = ":".join(p for p in self.env["PATH"].split(":") if self.can_read(p))
        if os.getuid() != self.user.pw_uid:
            must(["chown", "-R", f"{self.user.pw_uid}:{self.user.pw_gid}", str(self.root)], "/")

    def can_read(self, folder):
        """A home of somebody else's is no place for programs."""
        return self.user.pw_uid == 0 or not folder.startswith("/root")

    def run(self, command, **more):
        words = ["/bin/sh", "-c", command] if isinstance(command, str) else [str(word) for word in command]
        if os.getuid() != self.user.pw_uid:
            words = ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups", *words]
        return sh(words, self.repo, {**self.env, **more})

    def must(self, command):
        done = self.run(command)
        if done.returncode:
            raise RuntimeError(f"{command}: exit {done.returncode}\n{(done.stdout + done.stderr)[-1500:]}")

    def close(self):
        if not os.environ.get("KEEP"):
            shutil.rmtree(self.root, ignore_errors=True)


def toolchain():
    """The Rust toolchain where every user can read it."""
    place = pathlib.Path("/var/tmp/ralph-field-toolchain")
    if not (place / "bin/cargo").exists():
        sysroot = must(["rustc", "--print", "sysroot"], ROOT).strip()
        must(["cp", "-al", sysroot, str(place)], "/")
    return place


def gates_of(ground):
    done = ground.run([ground.ralph, "gate", "list", "--json"])
    return json.loads(done.stdout)["gates"]


def trial(project, user):
    ground = Ground(project, user)
    row = {"project": f"{project.name} ({project.ecosystem})", "user": user}
    try:
        ground.must("git init -q -b main && git add -A && git commit -q -m begin")
        ground.must(project.prepare)
        ground.run(project.gate)
        begun = time.monotonic()
        bare = ground.run(project.gate)
        took = time.monotonic() - begun
        row["bare"], row["bare_output"] = f"exit {bare.returncode} {took:.1f}s", (bare.stdout + bare.stderr)[-2000:]
        before = ground.run("git status --porcelain").stdout
        init = ground.run([ground.ralph, "init", "--yes", "--agent", ground.agent, "--review", "off"])
        after = "".join(l for l in ground.run("git status --porcelain").stdout.splitlines(True) if ".ralph" not in l)
        row["clean"] = after == before
        gates = gates_of(ground) if init.returncode == 0 else []
        row["detected"] = judged(project, gates, bare.returncode)
        row["init"] = init.stderr
        name = next((gate["name"] for gate in gates if gate["command"] == project.gate), None)
        boxed = json.loads(ground.run([ground.ralph, "gate", "run", "--json"]).stdout)["gates"]
        report = next((gate for gate in boxed if gate["gate"] == name), None)
        if report:
            code, inside = report["end"].get("code", report["end"]["ended"]), report["took"] / 1000
            tests = report["tests"].get("ran")
            row["boxed"] = f"exit {code} {inside:.1f}s" + (f", {tests} tests" if tests is not None else "")
            row["same"] = code == bare.returncode
            row["ratio"] = f"{inside / max(took, 0.01):.2f}"
            row["output"] = report["output"]
        (ground.repo / ".ralph/plan.json").write_text(plan())
        ground.must("git add -A .ralph && git commit -q -m 'settings and plan'")
        run = ground.run([ground.ralph, "run"])
        done = sum((ground.repo / f"field-{n}.txt").exists() for n in (1, 2))
        row["run"] = f"exit {run.returncode}, {done} of 2"
        row["ran"] = run.returncode == 0 and done == 2
        row["said"] = run.stderr
    except (RuntimeError, subprocess.TimeoutExpired, ValueError, KeyError, StopIteration) as error:
        row["fault"] = repr(error)
        say(f"  {project.name}: {error}")
    finally:
        ground.close()
    return row


def judged(project, gates, bare):
    """`yes`, or what is wrong with the gates that were found."""
    known = {gate["command"]: gate for gate in gates}
    if project.gate not in known:
        return "no: " + (", ".join(known) or "none")
    wrong = [c for c, gate in known.items() if c != project.gate and c not in project.also]
    if wrong:
        return "no: also " + ", ".join(wrong)
    hard = known[project.gate]["severity"] == "hard"
    return "yes" if hard or bare != 0 else "no: soft"


COLUMNS = ["project", "user", "bare", "boxed", "detected", "run", "ratio"]


def is_right(row):
    return all([row.get("same"), row.get("ran"), row.get("clean"), row.get("detected") == "yes"])


def table(rows):
    lines = [[("ok " if is_right(row) else "** ") + row["project"]] + [str(row.get(c, "-")) for c in COLUMNS[1:]] for row in rows]
    lines.insert(0, COLUMNS)
    widths = [max(len(line[at]) for line in lines) for at in range(len(COLUMNS))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    right = sum(map(is_right, rows))
    print(f"{right} of {len(rows)} right")


def main():
    wanted = sys.argv[1:]
    projects = [p for p in PROJECTS if not wanted or p.name in wanted]
    users = os.environ.get("FIELD_USERS", f"root,{ORDINARY}" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name)
    users = users.split(",")
    if ORDINARY in users and os.getuid() == 0 and ORDINARY not in [u.pw_name for u in pwd.getpwall()]:
        must(["useradd", "-m", ORDINARY], "/")
    rows = []
    for project in projects:
        lacking = [p for p in NEEDS.get(project.ecosystem, []) if not shutil.which(p)]
        if lacking:
            say(f"{project.name}: needs {', '.join(lacking)}; install it first")
            rows.append({"project": project.name, "user": "-", "bare": "not installed"})
            continue
        try:
            fetch(project)
        except (RuntimeError, StopIteration, subprocess.TimeoutExpired) as error:
            say(f"{project.name}: not fetched: {error}")
            rows.append({"project": project.name, "user": "-", "bare": "not fetched"})
            continue
        for user in [user for user in users if project.as_root or pwd.getpwnam(user).pw_uid != 0]:
            say(f"{project.name} as {user}")
            rows.append(trial(project, user))
            (CACHE / "last.json").write_text(json.dumps(rows, indent=1))
    table(rows)
    return 0 if all(map(is_right, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())

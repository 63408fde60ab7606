#!/usr/bin/env python3
"""Whether builds stay warm in the room for proof: gates of a cargo, a pytest and a vitest project, after the first
run, against the same command bare after the same edits. Fails if one takes more than 1.3 times as long.

    room_warm.py RALPH TOOLS [KIND...]

TOOLS is a folder for what pip and npm install; it is filled once."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BOUND = 1.3
EDITS = 5
AGENT = """#!/bin/sh
cat > /dev/null
n=$(ls work 2> /dev/null | wc -l)
mkdir -p work && echo "$n" > "work/T-$((n + 1))"
%s
echo done
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def cargo(at, _tools):
    """Eight crates with generic code; the last depends on all and is the one that is edited."""
    names = [f"part{number}" for number in range(8)]
    write(at / "Cargo.toml", f"[workspace]\nresolver = \"2\"\nmembers = {json.dumps(names)}\n")
    body = "\n".join(
        f"pub fn f{n}(x: u64) -> String {{ let mut m = std::collections::BTreeMap::new(); "
        f"for i in 0..x {{ m.entry(i % {n + 3}).or_insert_with(Vec::new).push(i.to_string()); }} format!(\"{{m:?}}\") }}\n"
        f"#[test] fn t{n}() {{ assert!(!f{n}({n}).is_empty()); }}" for n in range(60))
    for index, name in enumerate(names):
        others = names[:index] if index == 7 else []
        needs = "".join(f"{other} = {{ path = \"../{other}\" }}\n" for other in others)
        about = f"[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n{needs}"
        write(at / name / "Cargo.toml", about)
        write(at / name / "src/lib.rs", body)
    subprocess.run(["cargo", "generate-lockfile", "--offline"], cwd=at, check=True, capture_output=True)
    return "target/\n", "cargo test --offline --quiet", "echo \"pub fn edit$n() {}\" >> part7/src/lib.rs", []


def pytest(at, tools):
    venv = tools / "venv"
    if not (venv / "bin/pytest").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "pytest"], check=True)
    for index in range(120):
        write(at / f"tests/test_{index}.py", "import pytest\n\n@pytest.mark.parametrize('n', range(20))\n"
              f"def test_it(n):\n    assert n + {index} >= n\n")
    return ".venv/\n__pycache__/\n.pytest_cache/\n", ".venv/bin/python -m pytest -q", \
        "echo \"def test_edit_$n(): pass\" >> tests/test_3.py", [(venv, ".venv")]


def vitest(at, tools):
    modules = tools / "node_modules"
    if not (modules / "vitest").exists():
        subprocess.run(["npm", "install", "--prefix", tools, "--no-audit", "--no-fund", "--loglevel=error", "vitest@3"],
                       check=True)
    write(at / "package.json", '{"name": "scratch", "type": "module", "scripts": {"test": "vitest run"}}\n')
    for index in range(25):
        write(at / f"src/m{index}.js", f"export const add = (a, b) => a + b + {index} - {index};\n")
        write(at / f"tests/m{index}.test.js", "import { expect, test } from 'vitest';\n"
              f"import {{ add }} from '../src/m{index}.js';\ntest('adds', () => expect(add(1, 2)).toBe(3));\n")
    return "node_modules/\n", "node_modules/.bin/vitest run", \
        "echo \"export const edit$n = 1;\" >> src/m3.js", [(modules, "node_modules")]


KINDS = {"cargo": cargo, "pytest": pytest, "vitest": vitest}


def copy(lent, at):
    for source, name in lent:
        shutil.copytree(source, at / name, symlinks=True)


def bare(project, lent, command, edit, root, environment):
    """Seconds of the command after each edit, in a copy that has run it once."""
    at = root / "bare"
    shutil.copytree(project, at, symlinks=True)
    copy(lent, at)
    subprocess.run(command, shell=True, cwd=at, check=True, env=environment, capture_output=True)
    took = []
    for number in range(EDITS):
        time.sleep(1.1)
        subprocess.run(f"n={number}; {edit}", shell=True, cwd=at, check=True)
        began = time.monotonic()
        subprocess.run(command, shell=True, cwd=at, check=True, env=environment, capture_output=True)
        took.append(time.monotonic() - began)
    return took


def in_the_room(ralph, project, lent, command, edit, root, environment):
    """Seconds of the gate as the journal has them, without the baseline's."""
    copy(lent, project)
    write(root / "agent.sh", AGENT % edit, 0o755)
    check = lambda number: {"text": f"work/T-{number} exists", "check": f"test -f work/T-{number}"}
    tasks = [{"id": f"T-{number}", "title": f"edit {number}", "acceptance_criteria": [check(number)]}
             for number in range(1, EDITS + 1)]
    write(project / ".ralph/plan.json", json.dumps({"version": 1, "project": "scratch", "tasks": tasks}))
    settings = f"[review]\nmode = \"off\"\n[agent]\ncommand = \"{root}/agent.sh\"\n[sandbox]\nreadable = [\"{root}/agent.sh\"]\n"
    settings += f"[[gate]]\nname = \"tests\"\ncommand = \"{command}\"\nkind = \"test\"\n"
    write(project / ".ralph/settings.local.toml", settings)
    ended = subprocess.run([ralph, "run"], cwd=project, env=environment, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(ended.stdout + ended.stderr)
    journal = next(project.glob(".git/ralph/runs/*/journal.jsonl")).read_text()
    events = [event for line in journal.splitlines() for event in json.loads(line)["events"]]
    return [gate["took"] / 1000 for event in events if event["event"] == "gates_ran" for gate in event["results"]["gates"]]


def measure(kind, ralph, tools, root):
    """Medians, bare and in the room, of the same project with the same edits."""
    project = root / "project"
    ignored, command, edit, lent = KINDS[kind](project, tools)
    write(project / ".gitignore", ignored + ".ralph/\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RALPH_")}
    environment |= {"XDG_STATE_HOME": str(root / "state"), "XDG_CONFIG_HOME": str(root / "config")}
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    for words in ["init -q -b main", "add -A", "commit -qm first"]:
        subprocess.run(git + words.split(), cwd=project, check=True)
    without = bare(project, lent, command, edit, root, environment)
    within = in_the_room(ralph, project, lent, command, edit, root, environment)
    if len(within) != EDITS:
        sys.exit(f"{kind}: {len(within)} gate runs, not {EDITS}")
    return statistics.median(without), statistics.median(within)


def main():
    ralph, tools = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    tools.mkdir(parents=True, exist_ok=True)
    slow = []
    for kind in sys.argv[3:] or KINDS:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            without, within = measure(kind, ralph, tools, pathlib.Path(folder))
        print(f"{kind}: bare {without:.2f} s, in the room {within:.2f} s, {within / without:.2f} times", flush=True)
        if within > BOUND * without:
            slow.append(kind)
    if slow:
        sys.exit(f"more than {BOUND} times: {', '.join(slow)}")


main()

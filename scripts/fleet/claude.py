"""The real Claude Code on a scripted model in a stint. The only part that is not real is the model."""

import json
import os
import subprocess
import time

from .repository import Repository
from .site import ROOT, G, H
from .verdict import at_most

CLI = ROOT / ".cache/agents/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
MODEL = ROOT / "target/debug/scripted_model"
# Without a box: the model is on loopback, where a box does not reach.
OPERATOR = '[sandbox]\nmode = "off"\n'
REPORT = {
    "deviations": [], "bugs_encountered": [], "architectural_notes": [], "files_touched": [],
    "plan_amendments": [], "tests_added": [], "constraints_discovered": [], "commit_message": "as the model puts it",
}  # fmt: skip


def steps(tasks, hangs):
    """What the model says about each task; about one of them nothing at first."""
    for task in tasks:
        when = f"# Task {task}"
        if task == hangs:
            yield {"when": when, "hangs": True}
        yield {"when": when, "runs": f"mkdir -p out && echo done > out/{task}.txt"}
        done = {"task_id": task, "summary": f"{task} is written", "fully_complete": True}
        yield {"when": when, "reports": REPORT | {"task_completed": done}}


def model(site, lines):
    """Starts the model and gives its address, and what tells how many of its steps were asked for."""
    said = site.folder / "model.log"
    with said.open("w") as out:
        process = subprocess.Popen([str(MODEL)], stdin=subprocess.PIPE, stdout=out, text=True)
    site.running["model"] = process
    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    process.stdin.close()
    site.until(lambda: "\n" in said.read_text(), 10, "the model does not start")
    return said.read_text().splitlines()[0], lambda: said.read_text().count("asked ")


def calls(site):
    """Processes of the CLI that live, by the host whose folder they work in."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            line = open(f"/proc/{entry}/cmdline", "rb").read()
            where = os.readlink(f"/proc/{entry}/cwd")
        except OSError:
            continue
        if line.startswith(str(CLI).encode()) and where.startswith(str(site.folder)):
            found.append(where.split("host-")[1].split("/")[0])
    return found


def claude_killed(site):
    """A worker is killed while the real Claude waits for its model: it dies too, and another host's goes on."""
    assert CLI.is_file(), f"{CLI} is missing: `just agents` installs it"
    repository = Repository(site, gate=False)
    repository.settings.write_text(f'[agent]\ncommand = "{CLI}"\n[review]\nmode = "off"\n')
    address, asked = model(site, steps(repository.tasks, hangs="T-2"))
    account = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-ant-dummy", "IS_SANDBOX": "1"}
    site.environment, site.operator = account, OPERATOR
    site.stand()
    loop = site.submit(repository)
    # Two steps are of T-1. A Claude that is killed before it asks would leave the step that hangs to the next one.
    site.until(lambda: asked() == 3 and calls(site) == ["a"], 120, "Claude does not begin T-2")
    site.until(lambda: repository.commits() == ["T-1"], 30, "the work on T-1 is not published")
    site.hands("b")
    site.until_polling("b")
    killed = site.kill("a")
    site.until(lambda: "a" not in calls(site), 10, "Claude outlives its worker")
    end = site.end(loop)
    assert end["exit"] == 0 and end["done"] == 3, end
    assert sorted(repository.commits()) == repository.tasks, repository.commits()
    assert repository.is_green(site.folder)
    return {"stints": end["stints"]} | at_most("from_kill_to_end_s", time.time() - killed, H + G + 60)

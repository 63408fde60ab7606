#!/usr/bin/env python3
"""Pictures of report.html: a real run with a scripted agent, then headless Chromium in light, dark, print and 400 px wide.

    report_pictures.py RALPH FOLDER

Leaves report.html, light.png, dark.png, narrow.png, plain.png (without script), print.pdf and, where pdftoppm is
installed, print-N.png in FOLDER.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GATE = """#!/bin/sh
if [ -e src/broken.txt ]; then
  echo "running 41 tests"
  i=1; while [ $i -le 120 ]; do echo "test limit::case_$i ... ok"; i=$((i+1)); done
  echo "test limit::never_negative ... FAILED"
  echo "  left: -3, right: 0, src/limit.rs:88"
  exit 101
fi
echo "running 41 tests"; echo "test result: ok. 41 passed"
"""

# What each task does, try by try: ok, red, ask, and what the reviewer says.
STORIES = {
    "T-001": (["ok"], ["yes"]),
    "T-002": (["red", "red", "ok"], ["yes"]),
    "T-003": (["red"] * 9, []),
    "T-004": (["ask"], []),
    "T-006": (["ok", "ok", "ok"], ["no", "no", "yes"]),
    "T-007": (["ok"], ["yes"]),
    "T-008": (["limit", "red", "ok"], ["yes"]),
    "T-009": (["ok"], ["yes"]),
}

TITLES = {
    "T-001": "scaffold the crate",
    "T-002": "token bucket that refills over time",
    "T-003": "keep buckets in Redis and survive its restart",
    "T-004": "admin socket or admin port",
    "T-005": "replicate buckets between data centres",
    "T-006": "rate limits per customer, with a grace period after a plan change",
    "T-007": "metrics",
    "T-008": "install script and package.json for the command line",
    "T-009": "documentation <b>with an example</b>",
}

AGENT = r'''
import json, re, sys, time, os
from pathlib import Path
stories = json.loads(os.environ["PICTURE_STORIES"]); state = Path(os.environ["PICTURE_STATE"])
prompt = sys.stdin.read()
task = re.search(r"T-\d+", prompt).group(0)
seals = re.findall(r"`ralph-handoff( [0-9a-f]*)?`, holding", prompt)
seal = seals[-1] if seals else ""
is_review = "# Review of task " in prompt
tries, reviews = stories.get(task, (["ok"], ["yes"]))
counter = state / f"{task}.{'review' if is_review else 'work'}"
nth = int(counter.read_text()) if counter.exists() else 0
counter.write_text(str(nth + 1))
story = reviews if is_review else tries
word = story[min(nth, len(story) - 1)] if story else "yes"
time.sleep(0.4 + (sum(map(ord, task)) + nth * 7) % 9 * 0.35)
def say(line): print(json.dumps(line), flush=True)
say({"type": "system", "subtype": "init", "session_id": "s", "model": "opus", "tools": []})
def end(text, error=False):
    say({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": text}]}})
    cost = 0.04 + (sum(map(ord, task)) * 7 + nth * 13) % 60 / 100
    say({"type": "result", "subtype": "success", "is_error": error, "result": text, "session_id": "s", "num_turns": 3,
         "total_cost_usd": cost, "usage": {"input_tokens": 9000, "output_tokens": 1200, "cache_read_input_tokens": 81000}})
    sys.exit(1 if error else 0)
def handoff(value): return f"```ralph-handoff{seal}\n{json.dumps(value)}\n```\n"
if is_review:
    section = prompt.split("## Criteria to judge")[-1].split("\n## ")[0]
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", section, re.M)]
    met = word == "yes"
    comment = "" if met else "The grace period ends at midnight UTC, not at the customer's midnight."
    rulings = [{"number": n, "criterion": "as numbered", "met": met, "evidence": "src/limit.rs:88 compares in UTC", "comment": comment} for n in numbers]
    end(handoff({"criteria": rulings, "findings": [], "summary": "read the change and its tests"}))
if word == "limit":
    end("API Error: 529 overloaded_error: Overloaded", error=True)
if word == "ask":
    end(handoff({"question": "Which port does the admin socket use, and may it listen on all interfaces?"}))
Path("src").mkdir(exist_ok=True)
broken = Path("src/broken.txt")
if word == "red":
    broken.write_text(f"attempt {nth}\n" * (nth + 1))
elif broken.exists():
    broken.unlink()
Path("done").mkdir(exist_ok=True)
Path(f"done/{task}").write_text(f"{nth}\n")
Path(f"src/{task}.rs").write_text("fn main() {}\n" * (nth + 3))
if task == "T-008":
    Path("package.json").write_text('{"scripts": {"postinstall": "node setup.js"}}\n')
    Path("install.sh").write_text("#!/bin/sh\necho hi\n"); os.chmod("install.sh", 0o755)
end("Finished. <promise>COMPLETE</promise>")
'''


def project(folder: Path) -> None:
    """A repository with a plan, a gate and the scripted agent's settings."""
    work = folder / "work"
    (work / ".ralph").mkdir(parents=True)
    (folder / "home/.config/ralph").mkdir(parents=True)
    (folder / "state").mkdir()
    (work / "gate.sh").write_text(GATE)
    (work / "gate.sh").chmod(0o755)
    (folder / "agent.py").write_text(AGENT)
    settings = [
        "[[gate]]", 'name = "tests"', 'command = "./gate.sh"', 'kind = "test"',
        "[limits]", "max_attempts = 3", "max_cost_usd = 20.0", "[agent]", 'command = "scripted"',
    ]
    (work / ".ralph/settings.toml").write_text("\n".join(settings) + "\n")
    own = [
        "[agents.scripted]", f'command = ["python3", "{folder / "agent.py"}"]', 'prompt = "stdin"', 'stream = "claude"',
    ]
    (folder / "home/.config/ralph/settings.toml").write_text("\n".join(own) + "\n")
    tasks = []
    for order, (name, title) in enumerate(TITLES.items(), 1):
        criteria = [{"text": f"done/{name} exists", "check": f"test -f done/{name}"}]
        if name not in ("T-001", "T-007"):
            criteria.append("the limiter survives a clock that jumps back")
        task = {"id": name, "title": title, "status": "pending", "order": order, "acceptance_criteria": criteria}
        if name == "T-005":
            task["depends_on"] = ["T-003"]
        tasks.append(task)
    (work / ".ralph/plan.json").write_text(json.dumps({"version": 1, "project": "limiter", "tasks": tasks}))


def run(ralph: Path, folder: Path) -> Path:
    """Plays the run and gives its page."""
    work = folder / "work"
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TZ": "Europe/Berlin", "RALPH_SANDBOX": "off",
        "PICTURE_STORIES": json.dumps(STORIES), "PICTURE_STATE": str(folder / "state"), "NO_COLOR": "1",
        "RALPH_AGENT_ENV": "PICTURE_STORIES PICTURE_STATE",
    }
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "Ann", f"GIT_{who}_EMAIL": "ann@example.invalid"}

    def call(*words: str) -> int:
        return subprocess.run(words, cwd=work, env=environment, stdin=subprocess.DEVNULL, check=False).returncode

    remote = "https://github.com/ann/limiter.git"
    for words in (
        ["git", "init", "-q", "-b", "main"], ["git", "remote", "add", "origin", remote],
        ["git", "add", "-A"], ["git", "commit", "-q", "-m", "begin"],
    ):
        if call(*words):
            sys.exit(f"failed: {words}")
    code = call(str(ralph), "run")
    pages = sorted((work / ".ralph/runs").glob("*/report.html"))
    if not pages:
        sys.exit(f"the run ended with {code} and left no report.html")
    return pages[-1]


def chromium(*flags: str) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or sys.exit("chromium is not installed")
    common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000"]
    subprocess.run([program, *common, *flags], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def pictures(page: Path, out: Path) -> None:
    """The page as people see it."""
    url = page.as_uri()
    whole = "--window-size=1100,4200"
    chromium(whole, f"--screenshot={out / 'light.png'}", url)
    chromium(whole, "--blink-settings=preferredColorScheme=0", f"--screenshot={out / 'dark.png'}", url)
    chromium(whole, "--blink-settings=scriptEnabled=false", f"--screenshot={out / 'plain.png'}", url)
    # A window cannot be this narrow, a frame can.
    frame = out / "narrow.html"
    frame.write_text(f'<body style="margin:0"><iframe src="{url}" style="width:400px;height:4800px;border:0"></iframe>')
    chromium("--window-size=500,4800", "--allow-file-access-from-files", f"--screenshot={out / 'narrow.png'}", frame.as_uri())
    frame.unlink()
    chromium("--no-pdf-header-footer", f"--print-to-pdf={out / 'print.pdf'}", url)
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-png", str(out / "print.pdf"), str(out / "print")], check=True)


def main() -> None:
    ralph, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        project(folder)
        shutil.copy(run(ralph, folder), out / "report.html")
    pictures(out / "report.html", out)
    print(f"pictures are in {out}")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""A scripted agent and a scripted gate, as ralph starts them in its box.

    agent.py agent LOG     works on the task that its prompt names
    agent.py gate LOG      the repository's gate

Both say in LOG/calls.jsonl when they live, and do what LOG/wanted.json says of the task: `hold` (live until that is
gone), `limit` (a usage limit until that second), `question` (ask once), `fail`, `sleep`.
"""

import json
import os
import re
import sys
import time

role, log = sys.argv[1], sys.argv[2]


def wanted(name):
    try:
        with open(f"{log}/wanted.json") as file:
            return json.load(file).get(name, {})
    except (OSError, ValueError):
        return {}


def say(what, **more):
    line = {"what": what, "at": time.time(), "task": task, "host": host, "pid": os.getpid(), "key": key, **more}
    with open(f"{log}/calls.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")


def live():
    """As long as it is wanted, in steps short enough to tell when it died."""
    end = time.time() + wanted(task).get("sleep", 0)
    while wanted(task).get("hold") or time.time() < end:
        say("alive")
        time.sleep(0.1)


# A run keeps the command it began with, so that only the folder tells which host and which loop this is.
folders = os.getcwd().split("/")
host = next((part.removeprefix("host-") for part in folders if part.startswith("host-")), "")
key = next((part for part in reversed(folders) if part.startswith("loop")), "")

if role == "gate":
    task = "gate"
    say("gate")
    live()
    sys.exit(0)

prompt = sys.stdin.read()
task = (re.search(r"T-\d+", prompt) or [""])[0]
do = wanted(task)
say("start", steered="STEERED" in prompt, answered="ANSWERED" in prompt)
if do.get("limit", 0) > time.time():
    say("end", how="limit")
    print(f"usage limit reached|{int(do['limit'])}")
    sys.exit(1)
live()
if do.get("question") and "ANSWERED" not in prompt:
    say("end", how="question")
    handoff = {"task_completed": False, "summary": "blocked", "question": "Which colour?"}
    print("I need to know something.\n```ralph-handoff\n" + json.dumps(handoff) + "\n```")
    sys.exit(0)
os.makedirs("out", exist_ok=True)
with open(f"out/{task}.txt", "w") as file:
    file.write(f"{task}\n")
say("end", how="done")
print(f"Did {task}.\n\n<promise>COMPLETE</promise>")

"""Adapter for the torture kit: the least a program can do with an agent's stream. What a 200 MB stream is measured against.

READER_BIN names the `minimal_reader` binary of the test kit; it parses every line, borrowed, and writes it to a file."""
import os

NAME, SUCCESS, STATE_DIRS, PLAN, TIMEOUT = "reader", r"(?!)", [], "PLAN.md", None


def setup(r):
    plan = r.put("PLAN.md", r.checklist())
    return dict(plan=plan, plan_format="md", mark="tool", pick="prompt", commit="tool", plan_in_git="0", all_done_tag="")


def cmd(r, n):
    agent = ["claude", "-p", "--output-format", "stream-json", "--verbose"]
    return [os.environ["READER_BIN"], f"{r.state}/agent.ndjson", "STORY-0001", *agent]


def plan_done(r):
    return 0

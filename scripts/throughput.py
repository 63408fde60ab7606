#!/usr/bin/env python3
"""What reading a long stream of the claude agent costs: CPU of the whole `ralph` process (not of the agent) against
`borrowed_reader`, which only reads the same lines with serde_json, each from a pipe; and the peak memory of ralph
for a short and a long stream.

    throughput.py RALPH BORROWED_READER [ROUNDS]

The stream is made of real lines of the transcripts filled with texts of this repository: words of the agent, its
thoughts, tool calls, results with all their escapes, partial messages."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLAUDE = ROOT / "crates/testkit/fixtures/transcripts/claude"
LONG, SHORT = 200, 20
TICK = os.sysconf("SC_CLK_TCK")


def lines_of(scenario):
    text = (CLAUDE / f"{scenario}.stdout.ndjson").read_text()
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def texts():
    """Prose and code, in the pieces in which an agent meets them."""
    prose = "\n".join(path.read_text() for path in sorted((ROOT / "docs").rglob("*.md")))
    code = "\n".join(path.read_text() for path in sorted((ROOT / "crates").rglob("src/**/*.rs")))
    return prose, code


def stream(path, megabytes):
    """Writes a stream of about this size, the same each time; returns its size."""
    chance = random.Random(7)
    prose, code = texts()

    def piece(text, least, most):
        size = chance.randint(least, most)
        start = chance.randrange(len(text) - size)
        return text[start : start + size]

    whole = lines_of("shell") + lines_of("write_file") + lines_of("thinking") + lines_of("text_partial")
    block = lambda line: (line.get("message") or {}).get("content", [{}])[0].get("type")
    kinds = {kind: [line for line in whole if block(line) == kind] for kind in ("text", "thinking", "tool_use", "tool_result")}
    is_failed = lambda line: line["message"]["content"][0].get("is_error") is True
    failed = [line for line in kinds["tool_result"] if is_failed(line)]
    succeeded = [line for line in kinds["tool_result"] if not is_failed(line)]
    partial = [line for line in whole if line["type"] == "stream_event"]
    first, last = lines_of("text")[0], lines_of("text")[-1]
    written = 0
    with open(path, "w") as file:

        def put(line):
            nonlocal written
            written += file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

        put(first)
        turn = 0
        while written < megabytes << 20:
            turn += 1
            for kind in chance.choice([("text", "tool"), ("thinking", "tool"), ("tool",), ("partial", "text"), ("tool",)]):
                if kind == "partial":
                    for line in chance.choices(partial, k=4):
                        put(line)
                    continue
                said = json.loads(json.dumps(chance.choice(kinds["tool_use" if kind == "tool" else kind])))
                said["message"]["id"] = f"msg_{turn:08}"
                content = said["message"]["content"][0]
                if kind != "tool":
                    content[kind] = piece(prose, 100, 1500)
                    put(said)
                    continue
                content["id"] = f"toolu_{turn:08}"
                content["input"] = chance.choice([
                    {"command": piece(code, 20, 200), "description": piece(prose, 20, 60)},
                    {"file_path": "/src/lib.rs", "old_string": piece(code, 100, 1500), "new_string": piece(code, 100, 1500)},
                ])
                put(said)
                # One call in fifteen fails, and is then shown at length.
                result = json.loads(json.dumps(chance.choice(failed if chance.random() < 1 / 15 else succeeded)))
                output = piece(code, 200, chance.choice([1000, 4000, 16000]))
                result["message"]["content"][0].update(tool_use_id=content["id"], content=output)
                result["tool_use_result"] = {"stdout": output, "stderr": "", "interrupted": False}
                put(result)
        put(last)
    return os.path.getsize(path)


def cost(process):
    """CPU seconds of a process alone and its peak memory in MB, once it has ended."""
    peak = 0
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
        except OSError:
            pass
        time.sleep(0.02)
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    user, system = int(fields[11]) / TICK, int(fields[12]) / TICK
    code = process.wait()
    return user, system, peak / 1024, code


def read_borrowed(reader, how, path):
    cat = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    user, system, _, code = cost(subprocess.Popen([reader, how], stdin=cat.stdout))
    cat.stdout.close()
    cat.wait()
    assert code == 0
    return user, system


def run_ralph(ralph, path):
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        folder = pathlib.Path(folder)
        (folder / "home").mkdir()
        work = folder / "work"
        work.mkdir()
        agent = folder / "claude"
        agent.write_text(f"#!/bin/sh\ncat >/dev/null\nexec cat '{path}'\n")
        agent.chmod(0o755)
        home = {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home"), "PATH": os.environ["PATH"], "RALPH_SANDBOX_MODE": "off"}
        env = {**home, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}
        (work / ".ralph").mkdir()
        (work / ".ralph/settings.toml").write_text(f'[agent]\ncommand = "{agent}"\n')
        (work / "prompt.md").write_text("do it")
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
            subprocess.run(["git", *command], cwd=work, check=True, env=env)
        with open(folder / "out", "w") as out:
            command = [ralph, "prompt", "prompt.md", "-n", "1", "--add-signal", "--trust-agent"]
            user, system, peak, code = cost(subprocess.Popen(command, cwd=work, env=env, stdout=out, stderr=out))
        said = (folder / "out").read_text()
        kept = sum(file.stat().st_size for file in (work / ".ralph").rglob("agent.ndjson"))
        assert kept == os.path.getsize(path), f"the stream was not read whole ({kept} bytes), exit {code}:\n{said[-2000:]}"
    return user, system, peak


def main():
    ralph, reader, *rounds = sys.argv[1:]
    ralph, reader = os.path.abspath(ralph), os.path.abspath(reader)
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        path = f"{folder}/stream"
        stream(path, SHORT)
        _, _, short_peak = run_ralph(ralph, path)
        size = stream(path, LONG)
        print(f"a stream of {size / 1e6:.0f} MB; seconds of user + system CPU")
        for number in range(int(rounds[0]) if rounds else 3):
            whole, top = read_borrowed(reader, "whole", path), read_borrowed(reader, "top", path)
            user, system, peak = run_ralph(ralph, path)
            shown = lambda pair: f"{pair[0]:.2f} + {pair[1]:.2f}"
            print(f"round {number + 1}: ralph {shown((user, system))}, every value borrowed {shown(whole)},"
                  f" only the top of each line {shown(top)}; ratio {(user + system) / sum(whole):.2f}"
                  f" and {(user + system) / sum(top):.2f}; peak {short_peak:.0f} MB at {SHORT} MB, {peak:.0f} MB at {LONG} MB",
                  flush=True)


main()

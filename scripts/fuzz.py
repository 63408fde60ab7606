#!/usr/bin/env python3
"""Builds and runs the fuzzer in fuzz/ over the parsers and prints what each run did. Fails if anything was found.

    fuzz.py run SECONDS [PARSER ...]    each parser for so long, as many at once as there are cores
    fuzz.py share SECONDS [PARSER ...]  so many seconds of the clock in all, shared by the parsers
    fuzz.py planted [BUG ...]           every planted bug must be found within a minute
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "fuzz"
WORK = TARGET / "work"
# Coverage for libFuzzer's feedback, which the stable compiler can give; a sanitizer finds nothing in safe code.
COVERAGE = (
    "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
)
LONGEST = "3000"
PLANTED = [
    "chunk_end_loses_an_escape",
    "cut_line_is_completed",
    "exit_code_is_ignored",
    "message_grows",
    "negative_cost_wraps",
    "our_own_end_is_ignored",
    "reset_in_wrong_unit",
    "short_id_is_indexed",
    "success_despite_is_error",
    "text_is_cut_in_a_letter",
    "tool_end_told_twice",
]
MINUTE = 60


def host():
    text = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^host: (\S+)$", text, re.M)[1]


def build():
    """The fuzzer and the seeds; where they are."""
    triple = host()
    # With a target named, the flags do not reach build scripts.
    command = ["cargo", "build", "--quiet", "--locked", "--release", "--target", triple]
    command += ["--manifest-path", str(ROOT / "fuzz/Cargo.toml"), "--target-dir", str(TARGET)]
    subprocess.run(command, check=True, env={**os.environ, "RUSTFLAGS": COVERAGE})
    seeds = WORK / "seeds"
    shutil.rmtree(seeds, ignore_errors=True)
    command = ["cargo", "run", "--quiet", "--locked", "-p", "testkit", "--bin", "fuzz_seeds", str(seeds)]
    subprocess.run(command, check=True, cwd=ROOT)
    return TARGET / triple / "release" / "ralph-fuzz", seeds


def fuzz(binary, seeds, parser, seconds, plant=""):
    """One run: how often the parser was tried, and what was found."""
    place = WORK / "runs" / (f"planted-{plant}" if plant else parser)
    shutil.rmtree(place / "found", ignore_errors=True)
    for folder in ("corpus", "found"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    if plant:
        shutil.rmtree(place / "corpus")
        (place / "corpus").mkdir()
    command = [
        str(binary), str(place / "corpus"), str(seeds / parser), f"-max_total_time={seconds}",
        f"-max_len={LONGEST}", "-print_final_stats=1", "-timeout=20", "-rss_limit_mb=1024",
        "-reload=0", "-entropic=0", "-use_counters=0", f"-artifact_prefix={place}/found/",
    ]
    env = {**os.environ, "FUZZ_PARSER": parser, "FUZZ_PLANT": plant}
    with open(place / "log", "w") as log:
        code = subprocess.run(command, env=env, stdout=log, stderr=log).returncode
    text = (place / "log").read_text(errors="replace")
    executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text) or re.findall(r"^#(\d+)", text, re.M)
    panics = re.findall(r"panicked at (.*?\n.*?)\n", text)
    found = panics[0] if panics else (re.findall(r"ERROR: (.*)", text) or ["it failed without a word"])[0]
    return int(executions[-1]) if executions else 0, found if code else None, place


def over(binary, seeds, parsers, seconds):
    cores = os.cpu_count() or 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        runs = {parser: pool.submit(fuzz, binary, seeds, parser, seconds) for parser in parsers}
        for parser, run in runs.items():
            executions, found, place = run.result()
            print(f"{parser:10} {executions:>12,} executions in {seconds} s: {'FOUND' if found else 'nothing found'}", flush=True)
            if found:
                failed += 1
                print(f"{found}\n  the input is in {place}/found", flush=True)
    return failed


def planted(binary, seeds, bugs):
    missed = 0
    for bug in bugs:
        executions, found, _ = fuzz(binary, seeds, "claude", MINUTE, bug)
        missed += found is None
        how = " ".join(found.split())[:110] if found else "NOT FOUND"
        print(f"{bug:27} {executions:>10,} executions: {how}", flush=True)
    return missed


def main():
    what, *rest = sys.argv[1:] or ["help"]
    if what not in ("run", "share", "planted"):
        sys.exit(__doc__)
    binary, seeds = build()
    if what == "planted":
        sys.exit(1 if planted(binary, seeds, rest or PLANTED) else 0)
    seconds, *parsers = rest
    parsers = parsers or sorted(folder.name for folder in seeds.iterdir())
    seconds = int(seconds)
    if what == "share":
        rounds = -(-len(parsers) // (os.cpu_count() or 1))
        seconds = max(1, seconds // rounds)
    sys.exit(1 if over(binary, seeds, parsers, seconds) else 0)


main()

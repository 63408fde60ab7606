#!/usr/bin/env python3
"""Plants bugs that the simulator cannot hold, because they lie outside the machine, and fails unless a test finds each.

usage: planted.py [NAME ...]
       planted.py --check    only looks that the code still has the lines that they change

Works on a copy of the commit that is checked out, with build results of its own in target/planted.
"""
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# nextest says that tests failed; anything else would be a bug that does not compile.
TESTS_FAILED = 100

# name: the file, what it says, what it says with the bug, the test that must fail
BUGS = {
    "the-files-of-a-call-are-hidden-from-it": (
        "crates/ralph-engine/src/live/prepare.rs",
        "        sandbox_request.shown.push((call_home.files(), call_home.files()));\n",
        "",
        "main_road::claude_from_an_empty_folder_as_a_user$",
    ),
    "the-wrong-plan-is-written": (
        "crates/ralph-engine/src/plan_file.rs",
        "elsewhere.map_or_else(|| layout.plan(), PathBuf::from)",
        "elsewhere.filter(|file| file.is_empty()).map_or_else(|| layout.plan(), PathBuf::from)",
        "a_plan_from_elsewhere_is_written_back_there_and_the_own_one_stays",
    ),
    "only-the-newest-run-is-known": (
        "crates/ralph-engine/src/runs.rs",
        "runs.retain(|run| has_worked(layout, run));\n    runs",
        "runs.retain(|run| has_worked(layout, run));\n    runs.split_off(runs.len().saturating_sub(1))",
        "three_dead_runs_are_all_taken_up_in_any_order",
    ),
    "a-named-run-is-passed-over": (
        "crates/ralph/src/session/resume_choice.rs",
        "let Some(name) = named else {",
        "let Some(name) = named.filter(|name| name.is_empty()) else {",
        "three_dead_runs_are_all_taken_up_in_any_order",
    ),
    "flags-are-forgotten-on-resume": (
        "crates/ralph/src/session/resume.rs",
        "(false, _) => amended(flags, state).map(Some),",
        "(false, _) => amended(flags, state).map(|_| None),",
        "what_the_command_line_says_holds_for_a_run_that_is_taken_up",
    ),
}


def lines_of(name, folder):
    """The file that a bug changes, and its text, which has the lines once."""
    file, says, _, _ = BUGS[name]
    path = folder / file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(says) != 1:
        sys.exit(f"{name}: {file} does not say it once: {says!r}")
    return path, text


def found(name, folder):
    """Whether the test fails with the bug and the code around it still compiles."""
    _, says, wrong, test = BUGS[name]
    path, text = lines_of(name, folder)
    path.write_text(text.replace(says, wrong), encoding="utf-8")
    binary = "real_agent" if test.startswith("main_road::") else "user"
    command = ["cargo", "nextest", "run", "--locked", "--workspace", "--test", binary, "-E", f"test(/{test}/)"]
    target = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target/planted")}
    ended = subprocess.run(command, cwd=folder, env=target, capture_output=True, text=True, check=False)
    path.write_text(text, encoding="utf-8")
    if ended.returncode != TESTS_FAILED:
        print(ended.stderr[-2000:])
    return ended.returncode == TESTS_FAILED


def main():
    if sys.argv[1:] == ["--check"]:
        for name in BUGS:
            lines_of(name, ROOT)
        return
    names = sys.argv[1:] or list(BUGS)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        tarfile.open(fileobj=io.BytesIO(archive)).extractall(folder, filter="data")
        (pathlib.Path(folder) / ".cache").symlink_to(ROOT / ".cache")
        for name in names:
            is_found = found(name, pathlib.Path(folder))
            print(f"{name}: {'found by ' + BUGS[name][3] if is_found else 'NOT FOUND'}", flush=True)
            missed += [] if is_found else [name]
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

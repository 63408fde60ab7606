//! The loop end to end: the real binary, real git, real processes, a scripted agent.

mod advice;
mod base;
mod crashes;
mod interrupted;
mod kept;
mod prompt_runs;
mod shown_gates;
mod taken_up;

use std::io;

use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn honest(tasks: usize) -> io::Result<TestRun> {
    TestRun::new(RALPH, tasks, HONEST)
}

/// The same without reviews, for tests that count calls.
fn unreviewed(tasks: usize) -> io::Result<TestRun> {
    honest(tasks)?.without_review(Because::ItCountsCalls)
}

#[test]
fn an_honest_agent_finishes_the_plan() -> Tested {
    let run = honest(3)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    assert_eq!(run.git(&["rev-parse", "--abbrev-ref", "HEAD"])?, "ralph/scratch");
    assert_eq!(run.git(&["rev-list", "--count", "main..HEAD"])?, "3");
    assert_eq!(run.git(&["status", "--porcelain", "--", ".", ":!.ralph"])?, "");
    let trailers = run.git(&["log", "-1", "--format=%(trailers:key=Ralph-Task,valueonly)"])?;
    assert_eq!(trailers, "T-3");
    assert!(said(&output).contains("bubblewrap"), "{}", said(&output));
    Ok(())
}

#[test]
fn a_lie_is_never_called_done() -> Tested {
    let run = TestRun::new(RALPH, 2, "touch src/BROKEN; echo '<promise>COMPLETE</promise>'")?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(run.statuses(), ["failed", "in_progress"]);
    assert!(said(&output).contains("probably not the cause"), "{}", said(&output));
    assert_eq!(run.calls(), 3, "a gate that fails at once in the next task too is no task's fault");
    assert_eq!(run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "0");
    assert!(!run.work().join("src/BROKEN").exists());
    let branches = run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wip"])?;
    assert_eq!(branches.lines().count(), 1, "{branches}");
    Ok(())
}

#[test]
fn a_red_gate_is_told_word_for_word_to_the_next_attempt() -> Tested {
    let body =
        format!("{HONEST}\nif [ \"$N\" = 1 ]; then touch src/BROKEN; else rm -f src/BROKEN; fi");
    let run = TestRun::new(RALPH, 1, &body)?.without_review(Because::ItCountsCalls)?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.calls(), 2);
    assert!(run.prompt(2).contains("FAILED src/BROKEN exists"), "{}", run.prompt(2));
    assert!(run.prompt(2).starts_with("# Task T-1"), "{}", run.prompt(2));
    let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
    assert!(kept.lines().any(|name| name.ends_with("/T-1/1")), "{kept}");
    Ok(())
}

#[test]
fn uncommitted_changes_are_refused_and_untracked_files_are_left_alone() -> Tested {
    let run = honest(1)?;
    run.write("work/README.md", "mine\n")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 5);
    assert!(said(&output).contains("--worktree"), "{}", said(&output));
    assert_eq!(run.calls(), 0);
    run.git(&["checkout", "README.md"])?;
    run.write("work/notes.txt", "mine\n")?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.read("work/notes.txt"), "mine\n");
    assert_eq!(run.git(&["log", "--branches", "--format=", "--name-only", "--", "notes.txt"])?, "");
    assert_eq!(run.git(&["status", "--porcelain", "notes.txt"])?, "?? notes.txt");
    Ok(())
}

#[test]
fn wip_and_stash_and_worktree_keep_the_users_work() -> Tested {
    for flag in ["--wip", "--stash", "--worktree"] {
        let run = honest(1)?;
        assert!(!run.work().join(".ralph/.gitignore").exists());
        run.write("work/README.md", "mine\n")?;
        assert_code(&run.ralph(&["run", flag])?, 0);
        assert_eq!(run.read("work/README.md"), "mine\n", "{flag}");
        let tree = run.git(&["ls-tree", "-r", "--name-only", "ralph/scratch"])?;
        assert!(tree.lines().any(|name| name == "work/T-1"), "{flag}: {tree}");
        let committed = run.git(&["show", "ralph/scratch:README.md"])?;
        assert_eq!(committed == "mine", flag == "--wip", "{flag}");
        let untracked = run.git(&["status", "--porcelain", "--untracked-files=all"])?;
        assert!(!untracked.contains(".ralph/runs"), "{untracked}");
    }
    Ok(())
}

#[test]
fn empty_folders_of_the_users_survive_rejected_attempts() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p mine/left && touch mine/left/over \"wrong.$N\"")?;
    for folder in ["mine/empty", "alone"] {
        std::fs::create_dir_all(run.work().join(folder))?;
    }
    run.set("[attempts]\non_reject = \"restart\"\n")?;
    run.amend()?;
    assert_code(&run.ralph(&["run", "-n", "3"])?, 1);
    assert_eq!(run.calls(), 3);
    for folder in ["mine/empty", "alone"] {
        assert!(run.work().join(folder).is_dir(), "{folder} is gone");
    }
    assert!(!run.work().join("mine/left").exists());
    Ok(())
}

#[test]
fn a_vandalised_plan_is_put_back() -> Tested {
    for vandalism in
        ["rm -rf .ralph", ": > .ralph/plan.json", "sed -i s/pending/done/ .ralph/plan.json"]
    {
        let body = format!("{HONEST}\n[ \"$N\" = 1 ] && {vandalism}\ntrue");
        let run = TestRun::new(RALPH, 3, &body)?
            .without_review(Because::ItCountsCalls)?
            .without_sandbox(Because::ItReachesOut);
        assert_code(&run.ralph(&["run"])?, 0);
        assert_eq!(run.statuses(), ["done", "done", "done"], "{vandalism}");
        assert_eq!(run.calls(), 3, "{vandalism}");
        assert!(run.work().join(".ralph/settings.toml").exists(), "{vandalism}");
    }
    Ok(())
}

#[test]
fn a_limit_ends_the_run_and_a_resume_goes_on() -> Tested {
    let run = unreviewed(3)?;
    assert_code(&run.ralph(&["run", "-n", "2"])?, 1);
    assert_eq!(run.statuses(), ["done", "done", "pending"]);
    let used_up = run.ralph(&["resume", "-n", "2"])?;
    assert_code(&used_up, 2);
    assert!(said(&used_up).contains("ralph resume -n 4"), "{}", said(&used_up));
    assert_code(&run.ralph(&["run", "--resume", "-n", "5"])?, 0);
    assert_eq!(run.calls(), 3);
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    Ok(())
}

#[test]
fn stop_ends_after_the_iteration() -> Tested {
    let body = format!(
        "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n{HONEST}"
    );
    let run = TestRun::new(RALPH, 3, &body)?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    assert_code(&run.ralph(&["stop"])?, 0);
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(1), "{}", run.read("ralph.log"));
    assert_eq!(run.statuses(), ["needs_review", "pending", "pending"]);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    Ok(())
}

#[test]
fn stop_now_ends_the_agent_and_keeps_its_partial_work() -> Tested {
    let body = "mkdir -p work; echo half > work/half\ntouch \"$STATE/in.$N\"\nsleep 300";
    let run = TestRun::new(RALPH, 1, body)?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    assert_code(&run.ralph(&["stop", "--now"])?, 0);
    assert_eq!(child.wait()?.code(), Some(1), "{}", run.read("ralph.log"));
    assert!(!run.work().join("work/half").exists());
    let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
    let mut found =
        kept.lines().filter(|name| run.git(&["show", &format!("{name}:work/half")]).is_ok());
    assert!(found.next().is_some(), "{kept}");
    Ok(())
}

#[test]
fn a_second_run_is_refused_while_one_is_going_on() -> Tested {
    let body = format!(
        "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n{HONEST}"
    );
    let run = TestRun::new(RALPH, 1, &body)?.without_review(Because::ItCountsCalls)?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    assert_code(&run.ralph(&["run"])?, 6);
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    assert_eq!(run.calls(), 1);
    Ok(())
}

#[test]
fn undo_takes_an_iteration_back() -> Tested {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let first = run.git(&["rev-parse", "HEAD~1"])?;
    let unasked = run.ralph(&["undo", "3"])?;
    assert_code(&unasked, 2);
    let question = "confirmation needed: Undo 1 commit: ";
    assert!(said(&unasked).contains(question), "{}", said(&unasked));
    assert_code(&run.ralph(&["undo", "0", "--yes"])?, 2);
    assert!(run.work().join("work/T-2").exists(), "nothing went");
    assert_code(&run.ralph(&["undo", "3", "--yes"])?, 0);
    assert_eq!(run.git(&["rev-parse", "HEAD"])?, first);
    assert!(!run.work().join("work/T-2").exists());
    assert_eq!(run.statuses(), ["done", "pending"], "what was taken back is not done");
    assert_code(&run.ralph(&["resume"])?, 2);
    assert_code(&run.ralph(&["run"])?, 0);
    assert!(run.work().join("work/T-2").exists());
    Ok(())
}

#[test]
fn undo_leaves_other_branches_alone() -> Tested {
    let run = honest(1)?;
    assert_code(&run.ralph(&["run"])?, 0);
    run.git(&["switch", "-q", "main"])?;
    run.git(&["merge", "-q", "--ff-only", "ralph/scratch"])?;
    let tip = run.git(&["rev-parse", "main"])?;
    let output = run.ralph(&["undo", "1", "--yes"])?;
    assert_code(&output, 5);
    assert!(said(&output).contains("git switch ralph/scratch"), "{}", said(&output));
    assert_eq!(run.git(&["rev-parse", "main"])?, tip);
    Ok(())
}

#[test]
fn undo_never_takes_commits_that_somebody_made_on_top() -> Tested {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let last = run.git(&["rev-parse", "--short=8", "HEAD"])?;
    run.write("work/mine.txt", "mine\n")?;
    run.git(&["add", "mine.txt"])?;
    run.git(&["commit", "-qm", "my own"])?;
    let output = run.ralph(&["undo", "1", "--yes"])?;
    assert_code(&output, 5);
    let text = said(&output);
    assert!(text.contains("1 commit on top of run") && text.contains("my own"), "{text}");
    assert!(text.contains("git branch mine && git reset --keep "), "{text}");
    assert!(run.work().join("mine.txt").exists());
    run.git(&["branch", "mine"])?;
    run.git(&["reset", "--keep", &last])?;
    assert_code(&run.ralph(&["undo", "1", "--yes"])?, 0);
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert_eq!(run.git(&["show", "mine:mine.txt"])?, "mine");
    Ok(())
}

#[test]
fn an_agent_that_works_and_says_nothing_is_judged() -> Tested {
    // The same program would be its own reviewer, and a silent review is none.
    let run = unreviewed(1)?;
    run.program("silent", "#!/bin/sh\nmkdir -p work && echo silent > work/T-1\n")?;
    let output = run.ralph(&["run", "--agent", &run.path("silent").to_string_lossy()])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["show", "HEAD:work/T-1"])?, "silent", "{}", said(&output));
    assert!(said(&output).contains("1 attempt"), "{}", said(&output));
    Ok(())
}

#[test]
fn an_agent_that_is_not_there_is_found_before_anything_is_touched() -> Tested {
    let run = honest(1)?;
    let before = run.git(&["branch", "--show-current"])?;
    for (agent, help) in [("no-such-agent", "--agent"), ("./nowhere", "--agent")] {
        let output = run.ralph(&["run", "--agent", agent])?;
        assert_code(&output, 4);
        assert!(said(&output).contains(help) && said(&output).contains(agent), "{}", said(&output));
    }
    let output = run.ralph(&["run", "--agent", "codex"])?;
    assert_code(&output, 4);
    assert!(said(&output).contains("npm install -g @openai/codex"), "{}", said(&output));
    assert_eq!(run.git(&["branch", "--show-current"])?, before);
    assert!(!run.path("work/.ralph/runs").exists(), "a run that is refused is no run");
    let home = "home/.config/ralph/settings.toml";
    run.write(home, "[review]\nmode = \"on\"\n[agent.review]\ncommand = \"no-reviewer\"\n")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 4);
    assert!(said(&output).contains("cannot start agent no-reviewer"), "{}", said(&output));
    assert!(said(&output).contains("as agent.review.command in"), "{}", said(&output));
    let other = run.path("agent.sh");
    let settings = format!(
        "[review]\nmode = \"off\"\n[agent]\nfallback = [\"{}\"]\n[endings]\nnot_found = \"fallback\"\n",
        other.display()
    );
    run.write(home, &settings)?;
    assert_code(&run.ralph(&["run", "--agent", "no-such-agent"])?, 0);
    Ok(())
}

#[test]
fn a_plan_from_elsewhere_is_written_back_there_and_the_own_one_stays() -> Tested {
    let run = unreviewed(2)?;
    let own = run.read("work/.ralph/plan.json");
    let other = own.replace("T-1", "T-7").replace("T-2", "T-8");
    run.write("work/other.json", &other)?;
    assert_code(&run.ralph(&["run", "--plan", "other.json", "-n", "1"])?, 1);
    assert_eq!(run.read("work/.ralph/plan.json"), own, "a plan that was not read is not written");
    let written = run.read("work/other.json");
    assert_eq!(written.matches("\"done\"").count(), 1, "{written}");
    assert_code(&run.ralph(&["run", "--plan", "other.json", "-n", "2"])?, 0);
    assert!(!run.read("work/other.json").contains("\"pending\""));
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}

#[test]
fn what_ralph_wrote_into_a_tracked_plan_is_nobodys_change_when_the_run_goes_on() -> Tested {
    let run = honest(2)?;
    run.write("work/other.json", &run.read("work/.ralph/plan.json"))?;
    run.git(&["add", "other.json"])?;
    run.git(&["commit", "-qm", "plan"])?;
    assert_code(&run.ralph(&["run", "--plan", "other.json", "-n", "1"])?, 1);
    assert!(run.git(&["status", "--porcelain"])?.contains("M other.json"));
    let output = run.ralph(&["resume", "-n", "4"])?;
    assert_code(&output, 0);
    assert!(!said(&output).contains("was changed"), "{}", said(&output));
    assert_eq!(run.read("work/other.json").matches("\"done\"").count(), 2);
    Ok(())
}

#[test]
fn a_kill_at_any_point_leaves_a_plan_from_elsewhere_neither_behind_nor_done_twice() -> Tested {
    let mut kills = 0;
    loop {
        let run = unreviewed(1)?.without_sandbox(Because::ItRepeatsALot);
        let own = run.read("work/.ralph/plan.json");
        run.write("work/other.json", &own)?;
        let args = ["run", "--plan", "other.json"];
        let point = (kills + 1).to_string();
        let first = run.command(&args).env("RALPH_CRASH_AT", &point).output()?;
        if first.status.code().is_some() {
            break;
        }
        kills += 1;
        assert_code(&run.ralph(&args)?, 0);
        let written = run.read("work/other.json");
        assert!(written.contains("\"done\""), "killed at {point}: {written}");
        assert_eq!(run.read("work/.ralph/plan.json"), own, "killed at {point}");
        assert!(run.calls() <= 2, "killed at {point}: {} calls", run.calls());
        let again = run.ralph(&args)?;
        assert!(said(&again).contains("already done"), "killed at {point}: {}", said(&again));
    }
    assert!(kills > 10, "only {kills} kills");
    Ok(())
}

/// What was red in other surroundings may be green in these: only what is red now excuses a failure.
#[test]
fn a_red_baseline_of_another_time_excuses_nothing() -> Tested {
    let body = "if [ \"$TZ\" = UTC ]; then mkdir -p work && echo x > \"work/$TASK\" && touch src/BROKEN; fi";
    let run = TestRun::new(RALPH, 1, body)?;
    let gate = "#!/bin/sh\n[ \"$TZ\" = UTC ] && [ ! -e src/BROKEN ] && echo '1 passed in 0.01s' && exit 0\n\
                printf 'FAILED t.py::broken - boom\\n=== 1 failed in 0.01s ===\\n'; exit 1\n";
    run.program("work/gate.sh", gate)?;
    run.amend()?;
    let red = run.ralph(&["run", "-n", "1"])?;
    assert_code(&red, 1);
    assert!(said(&red).contains("before the run: tests red"), "{}", said(&red));
    let run = run.with_env("TZ", "UTC");
    let output = run.ralph(&["run", "--fresh", "-n", "1"])?;
    assert_code(&output, 1);
    assert!(said(&output).contains("before the run: tests green"), "{}", said(&output));
    assert_ne!(run.statuses(), ["done"], "{}", said(&output));
    Ok(())
}

/// Between the agent's own commit, its gates, and ralph's commit on top of both.
#[test]
fn an_agents_own_commits_survive_a_crash_in_the_gates() -> Tested {
    let body = "mkdir -p work && echo x > \"work/$TASK\" && git add work && git commit -qm mine";
    let run = TestRun::new(RALPH, 1, body)?.without_review(Because::ItCountsCalls)?;
    let state = run.path("state").display().to_string();
    let gate = format!(
        "test ! -e work/T-1 || test -e {state}/go-on || {{ touch {state}/gating; sleep 600; }}"
    );
    run.set(&format!("[[gate]]\nname = \"waits\"\ncommand = \"{gate}\"\nkind = \"custom\""))?;
    let mut ralph = run.spawn(&["run"])?;
    until("the gate runs", || run.path("state/gating").exists())?;
    ralph.kill()?;
    ralph.wait()?;
    run.write("state/go-on", "")?;
    run.write("work/work/T-1", "written by a person meanwhile\n")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["show", "HEAD:work/T-1"])?, "x");
    assert_eq!(run.calls(), 1);
    assert_eq!(run.statuses(), ["done"]);
    Ok(())
}

#[test]
fn a_task_with_only_sentences_is_labelled_unreviewed() -> Tested {
    let run = unreviewed(1)?;
    let plan = r#"{"version":1,"project":"scratch","tasks":[{"id":"T-1","title":"one","acceptance_criteria":["it reads well"]}]}"#;
    run.write("work/.ralph/plan.json", plan)?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("unreviewed"), "{}", said(&output));
    let status = run.ralph(&["status"])?;
    assert!(String::from_utf8_lossy(&status.stdout).contains("unreviewed"));
    Ok(())
}

#[test]
fn a_protected_path_is_put_back_and_the_agent_is_told() -> Tested {
    let agent = "mkdir -p work tests && echo x > \"work/$TASK\"\n\
        grep -q 'tests/[*][*] protects' \"$STATE/prompt.$N\" || echo easier > tests/t.txt";
    let run = TestRun::new(RALPH, 1, agent)?.without_review(Because::ItCountsCalls)?;
    run.write("work/tests/t.txt", "strict\n")?;
    run.set("[gates]\nprotect = [\"tests/**\"]\nprotect_mode = \"deny\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!((run.calls(), run.read("work/tests/t.txt").as_str()), (2, "strict\n"));
    Ok(())
}

#[test]
fn nothing_to_verify_with_is_refused() -> Tested {
    let run = honest(1)?.without_review(Because::ItIsAboutThat)?;
    run.write("work/.ralph/settings.toml", "[agent]\ncommand = \"true\"\n")?;
    run.write("work/.ralph/plan.json", r#"{"tasks":[{"id":"T-1","title":"one"}]}"#)?;
    run.amend()?;
    for args in [&["run"][..], &["run", "--review=auto"], &["run", "--review", "-p", "make it"]] {
        let output = run.ralph(args)?;
        assert_code(&output, 2);
        assert!(said(&output).contains("help"), "{args:?}: {}", said(&output));
    }
    let output = run.ralph(&["run"])?;
    assert!(said(&output).contains("--trust-agent"), "{}", said(&output));
    Ok(())
}

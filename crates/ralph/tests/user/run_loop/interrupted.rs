//! Runs that died: what is said holds when they are taken up, others end them first, and nothing of the user's is lost.

use std::fs;

use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, flowing, said, until},
};

use super::{HONEST, RALPH, Tested};

/// An agent that does half of its work and then waits, until `go-on` exists.
const SLOW: &str = "[ -e \"$STATE/go-on\" ] || {\n\
    mkdir -p work; echo half > \"work/$TASK\"; touch \"$STATE/waits\"; sleep 600; }";

/// A run that was killed while its agent worked.
fn interrupted() -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 1, &format!("{SLOW}\n{HONEST}"))?;
    kill_at_work(&run, &["run"])?;
    run.write("state/go-on", "")?;
    Ok(run)
}

/// Starts ralph and kills it while its agent waits.
fn kill_at_work(run: &TestRun, args: &[&str]) -> Tested {
    let mut ralph = run.spawn(args)?;
    until("the agent runs", || run.path("state/waits").exists())?;
    ralph.kill()?;
    ralph.wait()?;
    fs::remove_file(run.path("state/waits"))?;
    Ok(())
}

/// What a command prints.
fn answer(run: &TestRun, question: &str) -> Result<String, Box<dyn std::error::Error>> {
    Ok(String::from_utf8(run.ralph(&[question])?.stdout)?)
}

/// All runs, oldest first.
fn names(run: &TestRun) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let folders = fs::read_dir(run.work().join(".git/ralph/runs"))?.flatten();
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[test]
fn what_the_command_line_says_holds_for_a_run_that_is_taken_up() -> Tested {
    let run = interrupted()?;
    let other = run.path("other-agent");
    let agent = run.read("agent.sh").replace(HONEST, "mkdir -p work && echo other > work/T-1");
    run.program("other-agent", &agent)?;
    let output = run.ralph(&["run", "--agent", &other.to_string_lossy()])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["show", "HEAD:work/T-1"])?, "other", "{}", said(&output));
    Ok(())
}

#[test]
fn what_cannot_hold_for_a_run_that_is_taken_up_is_refused() -> Tested {
    let run = interrupted()?;
    for flags in [&["--worktree"][..], &["--stash"], &["--wip"], &["--branch", "other"]] {
        let output = run.ralph(&[&["run"], flags].concat())?;
        assert_code(&output, 2);
        let wanted = format!("ralph run --fresh {} starts a new one", flags.join(" "));
        assert!(said(&output).contains(&wanted), "{}", said(&output));
    }
    assert_eq!(run.calls(), 1);
    assert_code(&run.ralph(&["run", "--branch", "ralph/scratch"])?, 0);
    Ok(())
}

#[test]
fn what_a_dead_agent_left_is_never_taken_for_the_users() -> Tested {
    for again in [&["run", "--fresh"][..], &["run", "--fresh", "--worktree", "--branch", "other"]] {
        let run = interrupted()?;
        // It leaves everything as it finds it: only what the dead one left could pass for work.
        run.program("idle", "#!/bin/sh\necho there is nothing to do\n")?;
        let idle = run.path("idle");
        let output =
            run.ralph(&[again, &["-n", "2", "--agent", &idle.to_string_lossy()]].concat())?;
        let told = said(&output);
        assert!(told.contains("had been interrupted and is closed now"), "{told}");
        assert!(told.contains("whoever made them, are saved as refs/ralph/"), "{told}");
        assert_code(&output, 1);
        assert_ne!(run.statuses(), ["done"], "{told}");
        assert!(!run.work().join("work/T-1").exists(), "{told}");
    }
    Ok(())
}

#[test]
fn changes_that_a_dead_run_keeps_are_named_until_they_are_back() -> Tested {
    let other = ["run", "--plan", "../other.json", "--wip"];
    for way in [&["stop"][..], &["run", "--fresh", "--wip"], &other] {
        let run = TestRun::new(RALPH, 1, &format!("{SLOW}\n{HONEST}"))?;
        run.write("other.json", &run.read("work/.ralph/plan.json"))?;
        run.write("work/README.md", "mine\n")?;
        kill_at_work(&run, &["run", "--stash"])?;
        run.write("state/go-on", "")?;
        let refused = run.ralph(&["run", "--agent", "nobody-has-this"])?;
        assert_code(&refused, 4);
        let name = names(&run)?.join(" ");
        for question in ["status", "runs"] {
            let told = answer(&run, question)?;
            assert!(told.contains(&format!("refs/ralph/{name}/stash")), "{question}: {told}");
        }
        let output = run.ralph(way)?;
        assert_code(&output, 0);
        assert!(said(&output).contains("your changes are back"), "{way:?}: {}", said(&output));
        assert_eq!(run.read("work/README.md"), "mine\n", "{way:?}");
        assert!(!answer(&run, "status")?.contains("stash"), "{way:?}");
    }
    Ok(())
}

#[test]
fn a_run_whose_journal_is_damaged_is_listed_and_left_with_all_that_it_holds() -> Tested {
    for way in [&["stop"][..], &["run", "--fresh", "--wip"]] {
        // What the dead run's agent still writes lies in the checkout only without a sandbox.
        let run = TestRun::new(RALPH, 1, &format!("{SLOW}\n{HONEST}"))?
            .without_sandbox(Because::ItReachesOut);
        run.write("work/README.md", "mine\n")?;
        kill_at_work(&run, &["run", "--stash"])?;
        run.write("state/go-on", "")?;
        let name = names(&run)?.join(" ");
        let journal = format!("work/.git/ralph/runs/{name}/journal.jsonl");
        let garbage = run.read(&journal).replacen("\n{", "\ngarbage{", 1);
        run.write(&journal, &garbage)?;
        let told = answer(&run, "runs")?;
        assert!(told.contains("its journal cannot be read"), "{told}");
        assert!(told.contains(&format!("refs/ralph/{name}/stash")), "{told}");
        let refused = run.ralph(&["status"])?;
        assert!(said(&refused).contains("ralph stop ends the run"), "{}", said(&refused));
        let output = run.ralph(way)?;
        assert_code(&output, 0);
        assert!(said(&output).contains("your changes are back"), "{}", said(&output));
        assert_eq!(run.read("work/README.md"), "mine\n");
        assert!(run.git(&["for-each-ref", "refs/ralph"])?.contains("unaccepted/released"));
        assert_code(&run.ralph(&["status"])?, 0);
        assert_code(&run.ralph(&["run", "--wip"])?, 0);
    }
    Ok(())
}

#[test]
fn where_leftovers_are_is_said_once_more_at_the_end_and_in_the_report() -> Tested {
    let run = interrupted()?;
    let output = run.ralph(&["resume"])?;
    assert_code(&output, 0);
    let name = names(&run)?.join(" ");
    let kept =
        format!("changes that lay in the files between calls are kept as refs/ralph/{name}/found/");
    let told = flowing(&said(&output));
    assert!(told.contains(&kept), "{told}");
    let report = flowing(&answer(&run, "report")?);
    assert!(report.contains(&kept), "{report}");
    Ok(())
}

#[test]
fn a_run_that_died_before_it_had_a_workspace_can_be_stopped() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let folder = format!("work/.git/ralph/runs/{}", names(&run)?.join(" "));
    let journal = run.read(&format!("{folder}/journal.jsonl"));
    fs::remove_dir_all(run.path(&folder))?;
    let first = journal.lines().next().unwrap_or_default();
    run.write(&format!("{folder}/journal.jsonl"), &format!("{first}\n"))?;
    assert!(answer(&run, "status")?.contains("next: ralph resume, or ralph stop"));
    assert_code(&run.ralph(&["stop"])?, 0);
    assert!(!answer(&run, "status")?.contains("ralph stop"));
    Ok(())
}

#[test]
fn a_run_whose_commits_are_gone_for_good_can_still_be_ended() -> Tested {
    for way in [&["stop"][..], &["run", "--fresh", "--wip"]] {
        let body = format!("[ \"$TASK\" = T-1 ] || {SLOW}\n{HONEST}");
        let run = TestRun::new(RALPH, 2, &body)?;
        run.write("work/README.md", "mine\n")?;
        kill_at_work(&run, &["run", "--stash"])?;
        run.write("state/go-on", "")?;
        run.git(&["switch", "-q", "--force", "main"])?;
        run.git(&["branch", "-q", "-D", "ralph/scratch"])?;
        run.git(&["reflog", "expire", "--expire=now", "--all"])?;
        run.git(&["gc", "-q", "--prune=now"])?;
        let output = run.ralph(way)?;
        assert_code(&output, 0);
        let told = said(&output);
        assert!(told.contains("is no longer in the repository"), "{told}");
        assert!(told.contains("your changes are back"), "{told}");
        assert_eq!(run.read("work/README.md"), "mine\n", "{told}");
        assert!(!answer(&run, "status")?.contains("ralph resume"), "{told}");
    }
    Ok(())
}

#[test]
fn what_was_staged_after_a_kill_is_kept_also_where_no_file_has_it() -> Tested {
    for way in [&["stop"][..], &["resume"]] {
        let run = interrupted()?;
        run.write("work/README.md", "staged\n")?;
        run.git(&["add", "README.md"])?;
        run.write("work/README.md", "later\n")?;
        let output = run.ralph(way)?;
        assert_code(&output, 0);
        let name = names(&run)?.join(" ");
        let kept = format!("refs/ralph/{name}/staged");
        assert!(
            said(&output).contains(&format!("what was staged is kept as {kept}")),
            "{output:?}"
        );
        assert_eq!(run.git(&["show", &format!("{kept}:README.md")])?, "staged");
    }
    let run = interrupted()?;
    let output = run.ralph(&["resume"])?;
    assert!(!said(&output).contains("staged"), "{}", said(&output));
    Ok(())
}

#[test]
fn a_run_that_only_ends_leaves_a_plan_that_was_changed_since() -> Tested {
    let run = interrupted()?;
    let plan = run.read("work/.ralph/plan.json").replace("make work/T-1", "as I want it now");
    run.write("work/.ralph/plan.json", &plan)?;
    assert_code(&run.ralph(&["stop"])?, 0);
    assert_eq!(run.read("work/.ralph/plan.json"), plan);
    assert_code(&run.ralph(&["stop"])?, 2);
    assert_code(&run.ralph(&["run", "--fresh"])?, 0);
    assert!(run.read("work/.ralph/plan.json").contains("as I want it now"));
    Ok(())
}

/// A plan with another title, and with one task more.
fn edited(run: &TestRun) -> Result<String, Box<dyn std::error::Error>> {
    let mut plan: serde_json::Value = serde_json::from_str(&run.read("work/.ralph/plan.json"))?;
    let check = serde_json::json!({"text": "it is there", "check": "test -f work/T-3"});
    let task = serde_json::json!({
        "id": "T-3", "title": "one more", "description": "as the others", "acceptance_criteria": [check],
    });
    plan["tasks"][1]["title"] = "as I want it now".into();
    plan["tasks"].as_array_mut().ok_or("no tasks")?.push(task);
    Ok(serde_json::to_string_pretty(&plan)?)
}

#[test]
fn a_plan_that_was_edited_after_a_kill_is_what_the_run_goes_on_with() -> Tested {
    for way in ["run", "resume"] {
        let run = TestRun::new(RALPH, 2, &format!("{SLOW}\n{HONEST}"))?;
        kill_at_work(&run, &["run"])?;
        run.write("state/go-on", "")?;
        run.write("work/.ralph/plan.json", &edited(&run)?)?;
        let output = run.ralph(&[way])?;
        assert_code(&output, 0);
        assert_eq!(run.statuses(), ["done", "done", "done"], "{way}: {}", said(&output));
        assert!(run.read("work/.ralph/plan.json").contains("as I want it now"), "{way}");
        assert_eq!(run.git(&["show", "HEAD:work/T-3"])?, "T-3", "{way}");
    }
    Ok(())
}

#[test]
fn a_plan_that_a_dead_agent_edited_makes_nothing_done() -> Tested {
    let run = TestRun::new(RALPH, 2, &format!("{SLOW}\n{HONEST}"))?;
    kill_at_work(&run, &["run"])?;
    run.write("state/go-on", "")?;
    let plan = run.read("work/.ralph/plan.json");
    run.write("work/.ralph/plan.json", &plan.replace("\"pending\"", "\"done\""))?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.git(&["show", "HEAD:work/T-2"])?, "T-2");
    Ok(())
}

#[test]
fn a_merge_that_somebody_is_in_the_middle_of_is_never_mixed_up_with_a_dead_run() -> Tested {
    let run = interrupted()?;
    run.git(&["switch", "-q", "main"])?;
    run.git(&["switch", "-qc", "other"])?;
    run.write("work/README.md", "other\n")?;
    run.git(&["commit", "-qam", "other"])?;
    run.git(&["switch", "-q", "main"])?;
    run.write("work/README.md", "main\n")?;
    run.git(&["commit", "-qam", "main"])?;
    assert!(run.git(&["merge", "other"]).is_err());
    for args in [&["stop"][..], &["run", "--fresh"], &["resume"]] {
        let output = run.ralph(args)?;
        assert_eq!(output.status.code(), Some(5), "{args:?}: {}", said(&output));
    }
    assert_eq!(run.git(&["branch", "--show-current"])?, "main");
    run.git(&["merge", "--abort"])?;
    assert_code(&run.ralph(&["stop"])?, 0);
    Ok(())
}

#[test]
fn a_run_that_is_over_or_was_overtaken_is_not_taken_up() -> Tested {
    let run = interrupted()?;
    assert_code(&run.ralph(&["run", "--fresh"])?, 0);
    let names = names(&run)?;
    for (name, why) in
        [(&names[0], "the plan has changed since"), (&names[1], "has ended: everything is done")]
    {
        let output = run.ralph(&["resume", name])?;
        assert_code(&output, 2);
        assert!(said(&output).contains(why), "{}", said(&output));
    }
    assert_code(&run.ralph(&["resume", "no-such-run"])?, 2);
    assert!(!answer(&run, "runs")?.contains("continues it"));
    Ok(())
}

/// Three runs that died, one after the other, each with something of the user's in its way.
fn three() -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 1, &format!("{SLOW}\n{HONEST}"))?;
    let plan = run.read("work/.ralph/plan.json");
    let ways = [("one", "--stash"), ("two", "--wip"), ("three", "--worktree")];
    for (name, _) in ways {
        run.write(&format!("{name}.json"), &plan)?;
        run.write(&format!("work/{name}.txt"), "theirs\n")?;
    }
    run.git(&["add", "-A"])?;
    run.git(&["commit", "-qm", "three files"])?;
    for (name, flag) in ways {
        run.write(&format!("work/{name}.txt"), "mine\n")?;
        let file = format!("../{name}.json");
        kill_at_work(&run, &["run", "--plan", &file, flag, "--branch", name])?;
    }
    run.write("state/go-on", "")?;
    Ok(run)
}

#[test]
fn three_dead_runs_are_all_taken_up_in_any_order() -> Tested {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let run = three()?;
        let names = names(&run)?;
        assert_eq!(names.len(), 3);
        let listed = answer(&run, "runs")?;
        assert!(names.iter().all(|name| listed.contains(name)), "{listed}");
        for at in order {
            let output = run.ralph(&["resume", &names[at]])?;
            assert_eq!(output.status.code(), Some(0), "{order:?}, {at}: {}", said(&output));
        }
        for name in ["one", "two", "three"] {
            assert!(run.read(&format!("{name}.json")).contains("\"done\""), "{order:?}: {name}");
            let done = run.git(&["show", &format!("{name}:work/T-1")])?;
            assert_eq!(done, "T-1", "{order:?}: {name}");
            let file = format!("{name}.txt");
            let has = |kept: &str| {
                run.git(&["show", &format!("{kept}:{file}")]).is_ok_and(|text| text == "mine")
            };
            // What was written between a kill and the next run cannot be told from what the agent left there.
            let is_there = run.read(&format!("work/{file}")) == "mine\n";
            let kept = run.git(&["for-each-ref", "--format=%(refname)"])?;
            assert!(is_there || kept.lines().any(has), "{order:?}: {file} is lost");
        }
    }
    Ok(())
}

/// A boxed run that was killed while its agent worked: whatever the files are then is ralph's or the user's.
#[cfg(target_os = "linux")]
fn interrupted_in_the_box(args: &[&str]) -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 1, &format!("{SLOW}\n{HONEST}"))?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run
        .with_env("RALPH_SANDBOX_READABLE", agent.display().to_string())
        .with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string());
    kill_at_work(&run, args)?;
    run.write("state/go-on", "")?;
    Ok(run)
}

#[cfg(target_os = "linux")]
#[test]
fn what_people_did_after_a_boxed_run_was_killed_is_there_when_it_is_over() -> Tested {
    for way in ["stop", "resume"] {
        let run = interrupted_in_the_box(&["run"])?;
        run.write("work/README.md", "mine\n")?;
        run.write("work/mine.txt", "new\n")?;
        run.write("work/lib/file", "of a clone\n")?;
        run.git(&["init", "-q", "lib"])?;
        let output = run.ralph(&[way])?;
        assert_code(&output, 0);
        assert!(said(&output).contains("README.md"), "{}", said(&output));
        assert_eq!(run.read("work/README.md"), "mine\n", "{way}: {}", said(&output));
        assert_eq!(run.read("work/mine.txt"), "new\n", "{way}: {}", said(&output));
        assert!(run.work().join("lib/.git").is_dir(), "{way}: {}", said(&output));
        let committed = run.git(&["ls-tree", "-r", "--name-only", "ralph/scratch"])?;
        assert!(!committed.contains("mine.txt"), "{committed}");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn commits_made_after_a_boxed_run_was_killed_are_not_undone() -> Tested {
    let run = interrupted_in_the_box(&["run"])?;
    run.write("work/README.md", "mine\n")?;
    run.git(&["commit", "-qam", "mine"])?;
    let output = run.ralph(&["stop"])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["log", "-1", "--format=%s", "ralph/scratch"])?, "mine");
    assert_eq!(run.git(&["status", "--porcelain", "--untracked-files=no"])?, "");
    assert_code(&run.ralph(&["resume"])?, 0);
    assert_eq!(run.git(&["show", "ralph/scratch:README.md"])?, "mine");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_went_on_with_another_branch_after_a_kill_stays_there() -> Tested {
    let run = interrupted_in_the_box(&["run"])?;
    run.git(&["switch", "-q", "main"])?;
    run.write("work/README.md", "on main\n")?;
    let refused = run.ralph(&["stop"])?;
    assert_code(&refused, 5);
    assert!(said(&refused).contains("uncommitted changes: README.md"), "{}", said(&refused));
    run.git(&["commit", "-qam", "on main"])?;
    run.write("work/mine.txt", "new\n")?;
    let output = run.ralph(&["stop"])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["branch", "--show-current"])?, "main", "{}", said(&output));
    assert_eq!(run.read("work/README.md"), "on main\n");
    assert_eq!(run.read("work/mine.txt"), "new\n");
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_linked_worktree_with_files_of_yours_outlives_a_kill_and_a_stop() -> Tested {
    let run = interrupted_in_the_box(&["run", "--worktree"])?;
    let list = run.git(&["worktree", "list", "--porcelain"])?;
    let linked = list.lines().filter_map(|line| line.strip_prefix("worktree ")).nth(1);
    let linked = std::path::Path::new(linked.ok_or("no linked worktree")?).to_owned();
    fs::write(run.work().join(".git/info/exclude"), "*.own\n")?;
    fs::write(linked.join("mine.txt"), "new\n")?;
    fs::write(linked.join("mine.own"), "ignored\n")?;
    let output = run.ralph(&["stop"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("holds files of yours and stays"), "{}", said(&output));
    assert_eq!(fs::read_to_string(linked.join("mine.txt"))?, "new\n");
    assert_eq!(fs::read_to_string(linked.join("mine.own"))?, "ignored\n");
    Ok(())
}

//! What ralph advises is possible: each next command that is printed is not refused where it is printed.

use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said, until},
};

use super::{HONEST, RALPH, Tested, honest, unreviewed};

fn status(run: &TestRun) -> Result<String, Box<dyn std::error::Error>> {
    Ok(String::from_utf8(run.ralph(&["status"])?.stdout)?)
}

#[test]
fn changes_in_the_way_of_a_resume_are_helped_by_what_resume_can_do() -> Tested {
    for way in [&["resume", "-n", "2"][..], &["run", "--fresh", "--stash"]] {
        let run = unreviewed(2)?;
        assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
        run.write("work/README.md", "mine\n")?;
        let refused = run.ralph(&["resume", "-n", "2"])?;
        assert_code(&refused, 5);
        let told = said(&refused);
        assert!(
            told.contains("(git stash push -- . ':!.ralph') and run the command again"),
            "{told}"
        );
        assert!(told.contains("ralph run --fresh --stash"), "{told}");
        assert!(!told.contains("--wip") && !told.contains("--worktree"), "{told}");
        if way[0] == "resume" {
            run.git(&["stash", "push", "--", ".", ":!.ralph"])?;
        }
        assert_code(&run.ralph(way)?, 0);
    }
    Ok(())
}

#[test]
fn flags_of_a_new_run_beside_a_live_one_meet_its_lock() -> Tested {
    let body = format!(
        "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go\" ]; do sleep 0.05; done\n{HONEST}"
    );
    let run = TestRun::new(RALPH, 1, &body)?;
    let mut child = run.spawn(&["run"])?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    let all = [&["--stash"][..], &["--wip"], &["--worktree"], &["--branch", "b"], &["--fresh"]];
    for flags in all {
        let output = run.ralph(&[&["run"], flags].concat())?;
        assert_eq!(output.status.code(), Some(6), "{flags:?}: {}", said(&output));
        assert!(!said(&output).contains("interrupted"), "{flags:?}: {}", said(&output));
    }
    run.write("state/go", "")?;
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    Ok(())
}

#[test]
fn once_a_person_has_said_what_was_wanted_the_next_thing_is_to_resume() -> Tested {
    let asks = format!(
        "if ! grep -q blue \"$STATE/prompt.$N\"; then echo 'Which colour?'; exit 0; fi\n{HONEST}"
    );
    for wish in [&["answer", "T-1", "blue"][..], &["retry", "T-1"], &["skip", "T-1"]] {
        let run = TestRun::new(RALPH, 1, &asks)?;
        assert_code(&run.ralph(&["run"])?, 3);
        assert!(status(&run)?.contains("next: ralph task answer T-1"), "{}", status(&run)?);
        let early = run.ralph(&["resume"])?;
        assert_code(&early, 2);
        assert!(said(&early).contains("a person is needed"), "{}", said(&early));
        assert_code(&run.ralph(&[&["task"], wish].concat())?, 0);
        assert!(status(&run)?.contains("next: ralph resume"), "{wish:?}: {}", status(&run)?);
        let output = run.ralph(&["resume"])?;
        assert_ne!(output.status.code(), Some(2), "{wish:?}: {}", said(&output));
    }
    Ok(())
}

#[test]
fn after_some_tasks_or_a_prompt_the_rest_of_the_plan_is_named() -> Tested {
    let agent = format!(
        "if [ -n \"$TASK\" ]; then\n{HONEST}\nelse echo x > src/x; echo '<promise>COMPLETE</promise>'; exit 0; fi"
    );
    let prompt = &["run", "-p", "paint it"][..];
    for (ask, is_done, others) in [
        (&["run", "T-2"][..], "T-2 is done", 2),
        (&["run", "T-2", "T-3"], "all named tasks are done", 1),
        (prompt, "the prompt is done", 3),
    ] {
        let run = TestRun::new(RALPH, 3, &agent)?;
        let output = run.ralph(ask)?;
        assert_code(&output, 0);
        let counted = format!("{} done  exit 0", ask.len() - 1);
        let told = if ask == prompt { is_done } else { &counted };
        assert!(said(&output).contains(told), "{}", said(&output));
        let shown = status(&run)?;
        let (noun, verb) = if others == 1 { ("task", "is") } else { ("tasks", "are") };
        let open = format!("{others} other {noun} of the plan {verb} open");
        assert!(shown.contains(&open) && shown.contains("next: ralph run"), "{shown}");
        assert!(shown.contains(is_done), "{shown}");
        let json = String::from_utf8(run.ralph(&["status", "--json"])?.stdout)?;
        assert!(json.contains(&format!("\"others_open\": {others},")), "{json}");
        if ask != prompt {
            assert!(said(&output).contains(&format!("{open}: ralph run")), "{}", said(&output));
            let again = said(&run.ralph(ask)?);
            assert!(again.contains("already done") && again.contains(&open), "{again}");
            assert!(!again.contains("everything"), "{again}");
        }
        assert_code(&run.ralph(&["run"])?, 0);
        assert_eq!(run.statuses(), ["done", "done", "done"]);
    }
    Ok(())
}

#[test]
fn an_archived_run_is_not_advised_about_any_more() -> Tested {
    let run = TestRun::new(RALPH, 1, "echo 'Which colour?'")?;
    assert_code(&run.ralph(&["run"])?, 3);
    assert_code(&run.ralph(&["archive", "--yes"])?, 0);
    let shown = status(&run)?;
    assert!(shown.contains("was archived; see"), "{shown}");
    assert!(shown.contains("next: ralph plan") && !shown.contains("T-1"), "{shown}");
    let refused = run.ralph(&["resume"])?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("its plan was archived"), "{}", said(&refused));
    Ok(())
}

#[test]
fn settings_that_cannot_be_used_are_told_with_what_can_be_written() -> Tested {
    let run = honest(1)?;
    let settings = run.read("work/.ralph/settings.toml");
    let broken = settings.replace("[[gate]]", "[[gate]]\ntimeout = \"20s\"");
    run.write("work/.ralph/settings.toml", &broken)?;
    let refused = run.ralph(&["run"])?;
    assert_code(&refused, 2);
    let told = said(&refused);
    assert!(told.contains("timeout = { soft = \"20m\", hard = \"20m\" }"), "{told}");
    assert!(!told.contains("config show"), "{told}");
    let works =
        settings.replace("[[gate]]", "[[gate]]\ntimeout = { soft = \"20m\", hard = \"20m\" }");
    run.write("work/.ralph/settings.toml", &works)?;
    run.amend()?;
    let output = run.command(&["run"]).env("RALPH_LIMIT_MAX", "2").output()?;
    assert_code(&output, 0);
    let told = said(&output);
    assert!(told.contains("RALPH_LIMIT_MAX: this variable is not a setting"), "{told}");
    Ok(())
}

#[test]
fn a_run_that_can_be_resumed_is_left_alone_by_stop_and_gives_way_to_a_fresh_one() -> Tested {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let told = said(&run.ralph(&["stop"])?);
    assert!(told.contains("ended with work left"), "{told}");
    assert!(told.contains("ralph run --fresh starts another"), "{told}");
    assert_code(&run.ralph(&["run", "--fresh"])?, 0);
    assert!(!said(&run.ralph(&["stop"])?).contains("work left"));
    Ok(())
}

#[test]
fn doctor_judges_the_agent_that_the_settings_name() -> Tested {
    let run = honest(1)?;
    let agents = |run: &TestRun| -> Result<String, Box<dyn std::error::Error>> {
        let told = String::from_utf8(run.ralph(&["doctor"])?.stdout)?;
        let lines = told.lines().skip_while(|line| !line.contains(" agents "));
        Ok(lines.take(2).collect::<Vec<_>>().join(" "))
    };
    let told = agents(&run)?;
    assert!(told.contains("agent.sh, named by the settings") && told.starts_with("+ "), "{told}");
    std::fs::remove_file(run.path("agent.sh"))?;
    let told = agents(&run)?;
    assert!(told.starts_with("x ") && told.contains("does not exist"), "{told}");
    let output = run.ralph(&["init", "--force", "--gate", "true", "--agent", "/no/such"])?;
    assert!(said(&output).contains("next: install the agent"), "{}", said(&output));
    Ok(())
}

#[test]
fn agents_that_are_only_called_later_are_looked_for_at_the_start() -> Tested {
    let escalation = "[escalation]\nagents = [\"nosuch:big\"]";
    let (fallback, own) = ("agent.fallback", "as agent of T-1 in the plan");
    for (settings, variable, place) in [
        ("", "nosuch", fallback),
        (
            "[agent.review]\ncommand = \"nosuch\"\n[review]\nmode = \"on\"",
            "",
            "agent.review.command",
        ),
        (escalation, "", "in escalation.agents of the settings"),
        ("task", "", own),
    ] {
        let run = honest(1)?;
        if settings == "task" {
            let plan = run.read("work/.ralph/plan.json");
            let named = plan.replacen("\"id\":", "\"agent\": \"nosuch\", \"id\":", 1);
            run.write("work/.ralph/plan.json", &named)?;
        } else {
            run.set(settings)?;
        }
        run.amend()?;
        let ask = |args: &[&str]| {
            let mut command = run.command(args);
            if !variable.is_empty() {
                command.env("RALPH_AGENT_FALLBACK", variable);
            }
            command.output()
        };
        let refused = ask(&["run"])?;
        assert_code(&refused, 4);
        let told = flowing(&said(&refused));
        assert!(told.contains("cannot start agent nosuch"), "{told}");
        assert!(told.contains(place) && !told.contains("--agent"), "{told}");
        assert_eq!((run.calls(), run.path("work/.ralph/runs").exists()), (0, false));
        if [fallback, "in escalation.agents of the settings"].contains(&place) {
            for question in [&["doctor"][..], &["plan", "--check"]] {
                let output = ask(question)?;
                let told = flowing(&String::from_utf8(output.stdout)?);
                assert_ne!(output.status.code(), Some(0), "{told}");
                assert!(
                    told.contains("cannot start agent nosuch") && told.contains(place),
                    "{told}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn without_git_it_is_git_that_is_missing() -> Tested {
    let run = honest(1)?;
    for (ask, part) in [("status", "git is not installed"), ("doctor", "install git 2.39")] {
        let output = run.command(&[ask]).env("PATH", "/nonexistent").output()?;
        assert_code(&output, 5);
        let told = said(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(told.contains(part) && !told.contains("check the disk"), "{ask}: {told}");
    }
    Ok(())
}

#[test]
fn the_worktree_of_a_branch_that_is_checked_out_here_is_advised_another_branch() -> Tested {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    run.write("work/README.md", "mine\n")?;
    let refused = run.ralph(&["run", "--fresh", "--worktree"])?;
    assert_code(&refused, 5);
    let told = said(&refused);
    assert!(told.contains("ralph run --fresh --branch NAME --worktree"), "{told}");
    assert_code(&run.ralph(&["run", "--fresh", "--branch", "other", "--worktree"])?, 0);
    Ok(())
}

#[test]
fn a_limit_that_is_reached_is_raised_by_a_flag_or_in_the_settings() -> Tested {
    let run = TestRun::new(RALPH, 2, &format!("sleep 1.2\n{HONEST}"))?;
    run.set("[limits]\nmax_duration = \"1s\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 1);
    let told = said(&output);
    assert!(told.contains("next: ralph resume --max-duration "), "{told}");
    let raised = run.read("work/.ralph/settings.toml").replace("\"1s\"", "\"1h\"");
    run.write("work/.ralph/settings.toml", &raised)?;
    run.amend()?;
    assert_code(&run.ralph(&["resume", "--reload-settings"])?, 0);
    Ok(())
}

#[test]
fn undo_advises_what_it_can_do_and_is_not_called_done_afterwards() -> Tested {
    let run = honest(2)?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert!(status(&run)?.contains("everything is done (exit 0)"));
    run.write("work/README.md", "mine\n")?;
    let refused = run.ralph(&["undo", "1", "--yes"])?;
    assert_code(&refused, 5);
    let told = said(&refused);
    assert!(told.contains("(git stash push -- . ':!.ralph'), then ralph undo again"), "{told}");
    assert!(!told.contains("--wip") && !told.contains("--worktree"), "{told}");
    run.git(&["stash"])?;
    let gone = run.git(&["log", "-2", "--format=%h %s"])?;
    let undone = run.ralph(&["undo", "1", "--yes"])?;
    assert_code(&undone, 0);
    assert!(said(&undone).contains("undone: "), "{}", said(&undone));
    let short = |line: &str| line.chars().take(7).collect::<String>();
    assert!(gone.lines().all(|line| said(&undone).contains(&short(line))), "{}", said(&undone));
    for question in ["status", "runs"] {
        let told = String::from_utf8(run.ralph(&[question])?.stdout)?;
        assert!(told.contains("ralph undo took back all of its work"), "{question}: {told}");
    }
    assert!(status(&run)?.contains("0 of 2 done"));
    assert!(status(&run)?.contains("next: ralph run"));
    Ok(())
}

//! The one-command start, on a real terminal: one sentence, one screen, one key.

use testkit::pty::Size;

use super::*;

/// The questions as they wait; an answered one has no keys behind it.
const RUN: &str = "Run this plan? [";
const WRITE: &str = "Write this plan? [";
const ENTER: &str = "\r";
const WIDE: Size = Size(100, 40);

#[test]
fn one_sentence_and_enter_end_with_everything_done() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    let mut terminal = run.on_terminal(&["make two files"], WIDE)?;
    terminal.wait_for(RUN)?;
    let screen = terminal.screen();
    for part in [
        "T-1 make work/T-1",
        "after T-1",
        "  agent    agent.sh",
        "  gates    ./gate.sh",
        "  sandbox  bubblewrap",
        "  limits   15 iterations",
        "  estimate 4 to 6 iterations for 2 open tasks",
        "[Enter runs it · e edits it · r revises it · q leaves]",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.type_in(ENTER)?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(terminal.is_as_before()?);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}

#[test]
fn what_was_edited_and_revised_is_what_is_written() -> Tested {
    let run = project()?;
    run.program(
        "editor.sh",
        "#!/bin/sh\ntest \"$1\" = --wait && sed -i 's/make the file/make it well/' \"$2\"\n",
    )?;
    let editor = format!("{} --wait", run.path("editor.sh").display());
    let run = run.with_env("EDITOR", editor);
    let mut more = good();
    more["tasks"] = json!([task("T-3", &["T-2"])]);
    drafts(&run, 1, &good())?;
    drafts(&run, 2, &more)?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], WIDE)?;
    terminal.wait_for(WRITE)?;
    terminal.type_in("e")?;
    terminal.wait_for(WRITE)?;
    terminal.type_in("r")?;
    terminal.wait_for("What should change?")?;
    terminal.type_in("one more file")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("T-3 make work/T-3")?;
    terminal.wait_for(WRITE)?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let prompt = run.prompt(2);
    assert!(prompt.contains("one more file") && prompt.contains("make it well"), "{prompt}");
    assert_eq!(run.statuses(), ["pending", "pending", "pending"]);
    assert_eq!(run.task("T-1")["description"], "make it well");
    assert!(run.read("work/.ralph/prd.md").contains("Two files."), "the first draft's");
    assert_eq!(run.plan()["project"], "demo");
    Ok(())
}

#[test]
fn an_edit_that_is_no_plan_changes_nothing_and_the_question_stays() -> Tested {
    for (edit, said) in [
        ("echo oops > \"$1\"", "the edited file is not a plan"),
        ("sed -i '/depends_on/,/]/ s/T-1/T-9/' \"$1\"", "the edited plan is not used"),
        ("exit 3", "EDITOR names another editor"),
    ] {
        let run = project()?;
        run.program("editor.sh", &format!("#!/bin/sh\n{edit}\n"))?;
        let editor = run.path("editor.sh").display().to_string();
        let run = run.with_env("VISUAL", editor);
        drafts(&run, 1, &good())?;
        let mut terminal = run.on_terminal(&["plan", "make two files"], WIDE)?;
        terminal.wait_for(WRITE)?;
        terminal.type_in("e")?;
        terminal.wait_for(said)?;
        terminal.wait_for(WRITE)?;
        terminal.type_in("y")?;
        assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
        assert_eq!(run.statuses(), ["pending", "pending"]);
        assert_eq!(run.task("T-2")["depends_on"], json!(["T-1"]));
    }
    Ok(())
}

#[test]
fn whoever_leaves_keeps_the_draft_and_nothing_runs() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    let mut terminal = run.on_terminal(&["make two files"], WIDE)?;
    terminal.wait_for(RUN)?;
    terminal.type_in("q")?;
    assert_eq!(terminal.finish()?, 1, "{}", terminal.screen());
    assert!(!run.path("work/.ralph/plan.json").exists());
    assert_eq!(run.calls(), 1);
    let draft = format!(".ralph/runs/{}/draft.json", planning_run(&run)?);
    assert_code(&run.ralph(&["plan", "--import", &draft])?, 0);
    Ok(())
}

#[test]
fn without_a_terminal_it_says_which_flag_runs_it_and_that_flag_does() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    let refused = run.ralph(&["make two files"])?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("--yes"), "{}", said(&refused));
    assert_eq!(run.calls(), 0);
    let done = run.ralph(&["make two files", "--yes"])?;
    assert_code(&done, 0);
    assert_eq!(said(&done).matches("15 iterations").count(), 1, "each fact once: {}", said(&done));
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}

#[test]
fn a_project_that_was_never_set_up_is_set_up_with_what_is_found() -> Tested {
    let run = project()?;
    std::fs::remove_dir_all(run.path("work/.ralph"))?;
    run.write("work/Makefile", "test:\n\t@true\n")?;
    run.amend()?;
    drafts(&run, 1, &good())?;
    let agent = run.path("agent.sh").display().to_string();
    let done = run.ralph(&["start", "make two files", "--yes", "--agent", &agent])?;
    assert_code(&done, 0);
    assert!(said(&done).contains("wrote .ralph/settings.toml"), "{}", said(&done));
    assert_eq!(run.statuses(), ["done", "done"]);
    assert!(run.read("work/.ralph/settings.toml").contains("make test"));
    Ok(())
}

/// A project that was never set up, with a command that verifies it.
fn fresh() -> io::Result<TestRun> {
    let run = project()?;
    std::fs::remove_dir_all(run.path("work/.ralph"))?;
    run.write("work/Makefile", "test:\n\t@true\n")?;
    run.amend()?;
    drafts(&run, 1, &good())?;
    Ok(run)
}

#[test]
fn a_limit_is_asked_for_and_nothing_is_written_before_enter() -> Tested {
    for key in [ENTER, "q"] {
        let run = fresh()?;
        let agent = run.path("agent.sh").display().to_string();
        let mut terminal = run.on_terminal(&["--agent", &agent, "make two files"], WIDE)?;
        terminal.wait_for("Which limits should a run have?")?;
        terminal.type_in(ENTER)?;
        terminal.wait_for(RUN)?;
        let screen = terminal.screen();
        assert!(screen.contains("$20"), "{screen}");
        assert!(screen.contains("no estimate of the cost yet"), "{screen}");
        let written = || {
            let names = std::fs::read_dir(run.path("work/.ralph")).into_iter().flatten().flatten();
            let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
            names.retain(|name| name != "runs");
            names
        };
        assert!(written().is_empty(), "{:?}", written());
        assert_eq!(run.git(&["status", "--porcelain"])?, "");
        terminal.type_in(key)?;
        let code = terminal.finish()?;
        if key == ENTER {
            assert_eq!(code, 0, "{}", terminal.screen());
            assert!(run.read("work/.ralph/settings.toml").contains("max_cost_usd = 20.0"));
            assert_eq!(run.statuses(), ["done", "done"]);
        } else {
            assert!(written().is_empty(), "{:?}", written());
        }
    }
    Ok(())
}

#[test]
fn a_planner_is_told_only_gates_that_the_settings_kept() -> Tested {
    let run = fresh()?;
    let prompt = |run: &TestRun| -> Result<String, Box<dyn std::error::Error>> {
        let agent = run.path("agent.sh").display().to_string();
        let output = run.ralph(&["plan", "make two files", "--agent", &agent, "--dry-run"])?;
        assert_code(&output, 0);
        Ok(String::from_utf8(output.stdout)?)
    };
    assert!(prompt(&run)?.contains("`make test`"));
    run.write(
        "work/.ralph/settings.toml",
        "[review]\nmode = \"on\"\n# [[gate]]\n# command = \"make test\"\n",
    )?;
    assert!(!prompt(&run)?.contains("`make test`"));
    Ok(())
}

#[test]
fn where_no_agent_is_installed_nothing_is_written() -> Tested {
    let run = project()?;
    std::fs::remove_dir_all(run.path("work/.ralph"))?;
    run.amend()?;
    let refused = run.with_env("PATH", "/usr/bin:/bin").ralph(&["make two files", "--yes"])?;
    assert_code(&refused, 4);
    Ok(())
}

#[test]
fn what_would_refuse_the_run_is_said_before_anybody_is_paid() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    run.write("work/README.md", "mine\n")?;
    let refused = run.ralph(&["make two files", "--yes"])?;
    assert_code(&refused, 5);
    assert!(said(&refused).contains("uncommitted changes"), "{}", said(&refused));
    assert_eq!(run.calls(), 0);
    assert_code(&run.ralph(&["make two files", "--yes", "--stash"])?, 0);
    Ok(())
}

//! Source 002's planning skill in its first mode, on a real terminal: it asks, and a person answers.

use testkit::pty::Size;

use super::*;

const ENTER: &str = "\r";
const DOWN: &str = "\x1b[B";
const CTRL_C: &str = "\x03";

#[test]
fn with_an_empty_prd_it_asks_questions_and_generates_both_files() -> Tested {
    let run = project()?;
    run.write("work/.ralph/prd.md", "# demo\n\n## 1. Summary\n\n<!-- say it -->\n")?;
    drafts(&run, 1, &asks("Which format?", &["plain", "json"], "plain"))?;
    drafts(&run, 2, &asks("Who reads them?", &[], ""))?;
    drafts(&run, 3, &good())?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(100, 40))?;
    terminal.wait_for("Which format?")?;
    terminal.wait_for("arrows move")?;
    terminal.type_in(DOWN)?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Who reads them?")?;
    terminal.type_in("people")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Write this plan?")?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(terminal.is_as_before()?);
    let prompt = run.prompt(3);
    for part in ["Asked: Which format?\nAnswer: json", "Asked: Who reads them?\nAnswer: people"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert_eq!(run.task("T-2")["depends_on"], json!(["T-1"]));
    assert!(run.read("work/.ralph/prd.md").contains("Two files."));
    Ok(())
}

#[test]
fn empty_answers_take_what_is_suggested_or_leave_it_to_the_planner() -> Tested {
    let run = project()?;
    let mut both = asks("Which format?", &["plain", "json"], "json");
    let open = asks("Who reads them?", &[], "")["questions"][0].clone();
    both["questions"].as_array_mut().ok_or("no list")?.push(open);
    drafts(&run, 1, &both)?;
    drafts(&run, 2, &good())?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(80, 30))?;
    terminal.wait_for("arrows move")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Who reads them?")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Write this plan?")?;
    terminal.type_in(ENTER)?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let prompt = run.prompt(2);
    assert!(prompt.contains("Asked: Which format?\nAnswer: json"), "{prompt}");
    assert!(prompt.contains("Asked: Who reads them?\nAnswer: Decide this yourself"), "{prompt}");
    Ok(())
}

#[test]
fn ctrl_c_at_a_question_writes_nothing() -> Tested {
    let run = project()?;
    drafts(&run, 1, &asks("Which format?", &["plain", "json"], "plain"))?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(80, 30))?;
    terminal.wait_for("arrows move")?;
    terminal.type_in(CTRL_C)?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    assert!(terminal.is_as_before()?);
    assert!(!run.path("work/.ralph/plan.json").exists());
    assert_eq!(run.calls(), 1);
    Ok(())
}

#[test]
fn whoever_leaves_at_a_question_goes_on_there_next_time_and_no_answer_is_lost() -> Tested {
    let run = project()?;
    let mut both = asks("Which format?", &["plain", "json"], "plain");
    let open = asks("Who reads them?", &[], "")["questions"][0].clone();
    both["questions"].as_array_mut().ok_or("no list")?.push(open);
    drafts(&run, 1, &asks("What for?", &[], ""))?;
    drafts(&run, 2, &both)?;
    drafts(&run, 3, &good())?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(100, 40))?;
    terminal.wait_for("What for?")?;
    terminal.type_in("a test")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("arrows move")?;
    terminal.type_in(DOWN)?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Who reads them?")?;
    terminal.type_in(CTRL_C)?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    assert!(terminal.raw().contains("ralph plan continues from here"), "{}", terminal.screen());
    assert!(!run.path("work/.ralph/plan.json").exists());

    let mut terminal = run.on_terminal(&["plan"], Size(100, 40))?;
    terminal.wait_for("\"make two files\" was not finished: 2 of 3 questions answered")?;
    terminal.wait_for("Continue it?")?;
    terminal.type_in("y")?;
    terminal.wait_for("Who reads them?")?;
    terminal.type_in("people")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Write this plan?")?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert_eq!(run.calls(), 3);
    let prompt = run.prompt(3);
    for part in [
        "## What is wanted\n\nmake two files\n",
        "Asked: What for?\nAnswer: a test",
        "Asked: Which format?\nAnswer: json",
        "Asked: Who reads them?\nAnswer: people",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_eq!(run.statuses(), ["pending", "pending"]);
    Ok(())
}

#[test]
fn a_planning_that_was_left_is_offered_for_the_same_plan_alone_and_may_be_begun_anew() -> Tested {
    let run = project()?;
    drafts(&run, 1, &asks("Which format?", &["plain", "json"], "plain"))?;
    drafts(&run, 2, &asks("Which other format?", &["plain", "json"], "plain"))?;
    drafts(&run, 3, &good())?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(100, 40))?;
    terminal.wait_for("arrows move")?;
    terminal.type_in(CTRL_C)?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    let mut terminal = run.on_terminal(&["plan", "make three files"], Size(100, 40))?;
    terminal.wait_for("Which other format?")?;
    assert!(!terminal.raw().contains("was not finished"), "{}", terminal.screen());
    terminal.type_in(CTRL_C)?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    let mut terminal = run.on_terminal(&["plan", "make three files"], Size(100, 40))?;
    terminal.wait_for("Continue it?")?;
    terminal.type_in("n")?;
    terminal.wait_for("Write this plan?")?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let prompt = run.prompt(3);
    assert!(prompt.contains("make three files") && !prompt.contains("Asked:"), "{prompt}");
    Ok(())
}

#[test]
fn a_draft_that_is_declined_or_left_is_not_written_and_not_lost() -> Tested {
    for (key, code) in [("n", 1), (CTRL_C, 130)] {
        let run = project()?;
        drafts(&run, 1, &good())?;
        let mut terminal = run.on_terminal(&["plan", "make two files"], Size(100, 40))?;
        terminal.wait_for("Write this plan?")?;
        terminal.type_in(key)?;
        assert_eq!(terminal.finish()?, code, "{}", terminal.screen());
        assert!(!run.path("work/.ralph/plan.json").exists());
        let draft = format!(".ralph/runs/{}/draft.json", planning_run(&run)?);
        assert!(run.path("work").join(&draft).exists());
        assert!(terminal.raw().contains("draft.json"), "{}", terminal.screen());
        let imported = run.ralph(&["plan", "--import", &draft])?;
        assert_code(&imported, 0);
        assert_eq!(run.task("T-2")["depends_on"], json!(["T-1"]), "{}", said(&imported));
    }
    Ok(())
}

#[test]
fn ctrl_c_while_the_planner_works_ends_it_and_writes_nothing() -> Tested {
    let run = project()?;
    let waits = "touch \"$STATE/up\"; sleep 600\n";
    let script =
        run.read("agent.sh").replace("KIND=implement\n", &format!("KIND=implement\n{waits}"));
    run.program("agent.sh", &script)?;
    let mut terminal = run.on_terminal(&["plan", "make two files"], Size(80, 30))?;
    let end = std::time::Instant::now() + std::time::Duration::from_mins(2);
    while !run.path("state/up").exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    terminal.type_in(CTRL_C)?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    assert!(!run.path("work/.ralph/plan.json").exists());
    Ok(())
}

#[test]
fn without_questions_a_terminal_still_confirms_and_yes_asks_nothing() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    let mut terminal =
        run.on_terminal(&["plan", "--no-questions", "make two files"], Size(80, 30))?;
    terminal.wait_for("Write this plan?")?;
    terminal.type_in("y")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(run.prompt(1).contains("Nobody can answer questions now"));

    let run = project()?;
    drafts(&run, 1, &good())?;
    let mut terminal = run.on_terminal(&["plan", "--yes", "make two files"], Size(80, 30))?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(!terminal.raw().contains("Write this plan?"));
    Ok(())
}

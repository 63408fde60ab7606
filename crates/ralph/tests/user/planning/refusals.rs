//! A person's mistakes and a world that does not help: each ends well, says what to do, and changes nothing.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn nothing_to_plan_from_names_the_three_ways() -> Tested {
    let run = project()?;
    run.write("work/.ralph/prd.md", "# demo\n\n<!-- write here -->\n")?;
    let refused = run.ralph(&["plan"])?;
    assert_code(&refused, 2);
    for part in ["ralph plan \"", "specs/*.md", ".ralph/prd.md"] {
        assert!(said(&refused).contains(part), "{part}: {}", said(&refused));
    }
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn a_wrong_path_an_empty_file_and_a_binary_are_told_before_anything_is_paid_for() -> Tested {
    let run = project()?;
    run.write("work/empty.md", " \n")?;
    run.write("work/image.md", "PNG\0\0")?;
    for (words, part) in [
        (&["plan", "specs/missing.md"][..], "there is no file"),
        (&["plan", "missing.md"], "there is no file"),
        (&["plan", "empty.md"], "is empty"),
        (&["plan", "image.md"], "is not a text"),
        (&["plan", "src"], "contains no Markdown file"),
        (&["plan", "--revise", "less"], "no plan to revise"),
        (&["plan", "--revise", "less", "words"], "cannot be used with"),
    ] {
        let refused = run.ralph(words)?;
        assert_code(&refused, 2);
        assert!(said(&refused).contains(part), "{words:?}: {}", said(&refused));
    }
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn no_repository_and_no_agent_have_their_own_exit_codes() -> Tested {
    let run = project()?;
    let refused = run.ralph(&["plan", "it", "--agent", "no-such-agent-here"])?;
    assert_code(&refused, 4);
    let words = "cannot start agent no-such-agent-here: no-such-agent-here is not on PATH";
    assert!(said(&refused).contains(words), "{}", said(&refused));
    assert!(!run.path("work/.git/ralph/runs").exists(), "no run was begun");
    std::fs::remove_dir_all(run.path("work/.git"))?;
    let refused = run.ralph(&["plan", "it"])?;
    assert_code(&refused, 5);
    assert!(said(&refused).contains("git init"), "{}", said(&refused));
    Ok(())
}

#[test]
fn a_run_that_goes_on_or_was_cut_off_is_not_disturbed() -> Tested {
    let run = TestRun::new(
        RALPH,
        1,
        "touch \"$STATE/up\"; while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done",
    )?;
    let mut going = run.spawn(&["run"])?;
    let end = Instant::now() + Duration::from_mins(2);
    while !run.path("state/up").exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let refused = run.ralph(&["plan", "more"])?;
    assert_code(&refused, 6);
    going.kill()?;
    going.wait()?;
    let refused = run.ralph(&["plan", "more"])?;
    assert_code(&refused, 5);
    assert!(said(&refused).contains("ralph resume"), "{}", said(&refused));
    Ok(())
}

#[test]
fn a_usage_limit_is_waited_for_and_then_the_draft_comes() -> Tested {
    let run = project()?;
    let limited = "if [ \"$N\" = 1 ]; then echo \"Claude AI usage limit reached|$(($(date +%s) + 2))\"; exit 1; fi\n";
    let script =
        run.read("agent.sh").replace("KIND=implement\n", &format!("KIND=implement\n{limited}"));
    run.program("agent.sh", &script)?;
    let agent = format!(
        "[agents.mine]\ncommand = [\"{}\"]\nendings = {{ usage_limit = \"usage limit reached\" }}\n",
        run.path("agent.sh").display()
    );
    run.write("home/.config/ralph/settings.toml", &agent)?;
    drafts(&run, 2, &good())?;
    let planned = run.ralph(&["plan", "make two files", "--agent", "mine"])?;
    assert_code(&planned, 0);
    assert_eq!(run.calls(), 2);
    assert_eq!(run.statuses(), ["pending", "pending"]);
    Ok(())
}

#[test]
fn a_planning_that_ended_before_its_draft_begins_again_as_its_last_line_says() -> Tested {
    let run = project()?;
    let failed = run.ralph(&["plan", "make two files", "--agent", "/bin/false"])?;
    assert_code(&failed, 4);
    assert!(said(&failed).contains("ralph plan"), "{}", said(&failed));
    drafts(&run, 1, &good())?;
    let again = run.ralph(&["plan"])?;
    assert_code(&again, 0);
    assert!(said(&again).contains("\"make two files\" ended before its draft"), "{}", said(&again));
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert!(run.prompt(1).contains("make two files"), "{}", run.prompt(1));
    Ok(())
}

#[test]
fn an_empty_text_plans_nothing() -> Tested {
    let run = project()?;
    run.write("work/specs/one.md", "# One\n")?;
    for words in ["", " "] {
        let output = run.ralph(&["plan", words])?;
        assert_code(&output, 2);
        assert!(said(&output).contains("is empty"), "{}", said(&output));
    }
    assert_eq!(run.calls(), 0);
    Ok(())
}

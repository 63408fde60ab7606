//! What people see every day: each thing once, what needs them first, the usual letters, limits of money and time.

use std::io;

use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, flowing, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn printed(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One task is rejected once, one asks, one fails for good.
fn mixed() -> io::Result<TestRun> {
    let body = format!(
        "{HONEST}\ncase $TASK in\n\
         T-1) if [ $NTH = 1 ]; then touch src/BROKEN; else rm -f src/BROKEN; fi;;\n\
         T-2) rm -f work/T-2; handoff '{{\"question\": \"Which port?\"}}';;\n\
         T-3) touch src/BROKEN;;\nesac"
    );
    let run = TestRun::new(RALPH, 3, &body)?
        .without_review(Because::ItCountsCalls)?
        .with_env("LANG", "C.UTF-8");
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn a_run_says_each_thing_once() -> Tested {
    let run = mixed()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    let said = said(&output);
    for noise in [
        "at most",
        "kept as refs/",
        "the next attempt",
        "retrying",
        "✓ gate",
        "finished, but",
        "0 tool",
    ] {
        assert!(!said.contains(noise), "{noise}: {said}");
    }
    for once in [
        "T-2 asks: Which port?",
        "log: ralph logs --iteration 1 --gate tests",
        "T-3 failed: 2 attempts were rejected\n",
        "exit 3",
        "ralph/scratch has 1 commit",
    ] {
        assert_eq!(said.matches(once).count(), 1, "{once}: {said}");
    }
    let end = said.rsplit("\n\n").next().unwrap_or_default();
    assert!(end.contains("1 done · 1 failed · 1 waits for you  exit 3"), "{end}");
    let (asks, fails) = (end.find("T-2 waits for you"), end.find("T-3 failed"));
    assert!(asks.is_some() && asks < fails, "what needs you comes first: {end}");
    let all = mixed()?.ralph(&["run", "-v"])?;
    let all = flowing(&String::from_utf8_lossy(&all.stderr));
    for detail in
        ["at most 15 iterations:", "kept as refs/", "✓ gate tests", "the next attempt continues"]
    {
        assert!(all.contains(detail), "{detail}: {all}");
    }
    Ok(())
}

#[test]
fn the_usual_letters_and_words_work() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    let version = printed(&run.ralph(&["--version"])?);
    assert!(version.starts_with("ralph "), "{version}");
    for words in ["-V", "version"] {
        assert_eq!(printed(&run.ralph(&[words])?), version, "{words}");
    }
    assert_eq!(printed(&run.ralph(&["help"])?), printed(&run.ralph(&["--help"])?));
    let help = printed(&run.ralph(&["help", "run"])?);
    assert!(help.contains("--max-cost <USD>") && help.contains("\nGlobal options:\n"), "{help}");
    assert_code(&run.ralph(&["-v", "status"])?, 0);
    assert_code(&run.ralph(&["status", "-v"])?, 0);
    Ok(())
}

#[test]
fn money_and_time_can_be_limited_where_a_run_starts_or_resumes() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    let output = run.ralph(&["run", "-n", "1", "--max-cost", "$5", "--max-duration", "2h"])?;
    assert_code(&output, 1);
    assert!(said(&output).contains("limits 1 iteration, $5, 2h"), "{}", said(&output));
    let output = run.ralph(&["resume", "-n", "9", "--max-cost", "7.5"])?;
    assert_code(&output, 0);
    let said = said(&output);
    assert!(
        said.contains("cost not reported (limit $7.5)") && said.contains("of 2h"),
        "the other limit holds: {said}"
    );
    assert!(!said.contains("changed in the settings"), "{said}");
    for wrong in [["--max-cost", "much"], ["--max-duration", "4"]] {
        assert_code(&run.ralph(&[&["run"][..], &wrong].concat())?, 2);
    }
    Ok(())
}

#[test]
fn a_gates_result_is_printed_when_it_ends() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    run.set("[[gate]]\nname = \"slow\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\nkind = \"custom\"")?;
    let log = std::fs::File::create(run.path("gates.log"))?;
    let mut gates = run.command(&["gate", "run"]).stdout(log).spawn()?;
    until("the first gate's result", || run.read("gates.log").contains("tests exit 0"))?;
    assert!(gates.try_wait()?.is_none() && !run.read("gates.log").contains("slow exit"));
    run.write("work/go", "")?;
    assert!(gates.wait()?.success());
    assert!(run.read("gates.log").contains("slow exit 0"), "{}", run.read("gates.log"));
    Ok(())
}

#[test]
fn the_running_iteration_can_be_followed_to_the_end_of_the_run() -> Tested {
    let body =
        format!("echo 'I look around'\nuntil [ -e \"$STATE/go\" ]; do sleep 0.05; done\n{HONEST}");
    let run = TestRun::new(RALPH, 2, &body)?
        .without_review(Because::ItCountsCalls)?
        .with_env("LANG", "C.UTF-8");
    assert_code(&run.ralph(&["logs", "-f"])?, 2);
    let mut working = run.spawn(&["run"])?;
    until("the first call", || run.calls() == 1)?;
    let log = std::fs::File::create(run.path("follow.log"))?;
    let mut follower = run.command(&["logs", "-f"]).stdout(log).spawn()?;
    until("its words", || run.read("follow.log").contains("I look around"))?;
    assert!(follower.try_wait()?.is_none() && working.try_wait()?.is_none());
    run.write("state/go", "")?;
    assert!(working.wait()?.success());
    assert!(follower.wait()?.success());
    let seen = run.read("follow.log");
    for part in ["▶ T-1", "✓ T-1", "▶ T-2", "✓ T-2", "2 done  exit 0"] {
        assert_eq!(seen.matches(part).count(), 1, "{part}: {seen}");
    }
    Ok(())
}

#[test]
fn what_happened_on_the_way_is_in_the_report() -> Tested {
    let body = format!("{HONEST}\nrm -f mine.txt\necho '{{}}' > .ralph/plan.json");
    let run = TestRun::new(RALPH, 1, &body)?.without_review(Because::ItCountsCalls)?;
    let run = run.without_sandbox(Because::ItReachesOut);
    run.set(
        "[[gate]]\nname = \"style\"\ncommand = \"false\"\nkind = \"lint\"\nseverity = \"soft\"",
    )?;
    run.amend()?;
    run.write("work/mine.txt", "mine\n")?;
    assert_code(&run.ralph(&["run"])?, 0);
    let report = printed(&run.ralph(&["report"])?);
    let section = report.split("## What happened on the way\n").nth(1).unwrap_or_default();
    for part in ["soft gate `style` failed 1 time", "mine.txt", "plan.json", "(iteration 1"] {
        assert!(section.contains(part), "{part}: {report}");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_is_rendered_on_a_terminal_and_markdown_elsewhere() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?.with_env("TZ", "Asia/Tokyo");
    assert_code(&run.ralph(&["run"])?, 0);
    let raw = printed(&run.ralph(&["report"])?);
    assert!(raw.starts_with("# Run ") && raw.contains("|---|"), "{raw}");
    let mut terminal = run.on_terminal(&["report"], testkit::pty::Size(100, 60))?;
    assert_eq!(terminal.finish()?, 0);
    let screen = terminal.screen();
    for markup in ["# Run", "|---", "**", "`ralph/"] {
        assert!(!screen.contains(markup), "{markup}: {screen}");
    }
    assert!(screen.contains("JST") && screen.contains("1 of 1 done"), "{screen}");
    Ok(())
}

#[test]
fn plans_of_other_tools_at_the_root_are_named_where_there_is_none() -> Tested {
    let prd = r#"{"userStories": [{"id": "US-1", "title": "a", "acceptanceCriteria": ["b"]}]}"#;
    let list = "# Plan\n\n- [ ] build the thing\n- [x] think\n";
    for (name, text) in [("prd.json", prd), ("tasks.md", list)] {
        let run = TestRun::new(RALPH, 1, HONEST)?;
        std::fs::remove_file(run.work().join(".ralph/plan.json"))?;
        let none = run.ralph(&["run"])?;
        assert!(!said(&none).contains("--import"), "{}", said(&none));
        run.write(&format!("work/{name}"), text)?;
        let output = run.ralph(&["run"])?;
        assert_code(&output, 2);
        let command = format!("ralph plan --import {name}");
        assert!(flowing(&said(&output)).contains(&command), "{}", said(&output));
        assert_code(&run.ralph(&["plan", "--import", name, "--yes"])?, 0);
    }
    Ok(())
}

#[test]
fn a_misspelt_variable_is_named_where_settings_are_shown() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?.with_env("RALPH_LIMITS_MAX_ATTEMPTZ", "3");
    for args in [&["config", "show"][..], &["run", "--dry-run"]] {
        let said = flowing(&said(&run.ralph(args)?));
        assert!(said.contains("did you mean RALPH_LIMITS_MAX_ATTEMPTS?"), "{args:?}: {said}");
    }
    Ok(())
}

#[test]
fn undo_says_what_it_did_as_json() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let output = run.ralph(&["undo", "2", "--yes", "--json"])?;
    assert_code(&output, 0);
    let json: serde_json::Value = serde_json::from_str(&printed(&output))?;
    assert_eq!((json["v"].as_u64(), json["undone"].as_array().map(Vec::len)), (Some(1), Some(1)));
    assert_eq!(json["to"], run.git(&["rev-parse", "HEAD"])?);
    Ok(())
}

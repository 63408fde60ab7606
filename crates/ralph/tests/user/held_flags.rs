//! What the command line says on resume holds for the run that continues, or is refused with the reason.

use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_review_that_is_skipped_on_resume_is_skipped() -> Tested {
    for again in [
        &["resume", "--skip-review", "-n", "9"][..],
        &["resume", "--review=off", "-n", "9"],
        &["run", "--resume", "--skip-review", "-n", "9"],
    ] {
        let run = TestRun::reviewed(RALPH, 1, HONEST, "refuse 'never good'")?;
        assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
        assert_eq!(run.statuses(), ["needs_review"]);
        let output = run.ralph(again)?;
        assert_code(&output, 0);
        assert_eq!(run.kinds(), ["implement T-1"], "{again:?}");
        let (_, labels) = run.evidence("T-1")?;
        assert_eq!(labels, [serde_json::json!({"label": "unreviewed", "criteria": 1})]);
    }
    Ok(())
}

#[test]
fn every_flag_of_a_run_is_taken_on_resume_or_refused_with_the_reason() -> Tested {
    /// Values of flags that hold.
    const HELD: [(&str, &str); 19] = [
        ("--max-iterations", "=3"),
        ("--max-cost", "=1"),
        ("--max-tokens", "=9"),
        ("--max-duration", "=1h"),
        ("--agent", "=x"),
        ("--model", "=x"),
        ("--show-progress", "=none"),
        ("--timeout-multiplier", "=2"),
        ("--reload-settings", ""),
        ("--ok-on-limit", ""),
        ("--trust-agent", ""),
        ("--sandbox", "=off"),
        ("--no-sandbox", ""),
        ("--review", "=on"),
        ("--skip-review", ""),
        ("--review-cap", "=2"),
        ("--completion-response", "=x"),
        ("--stream-agent-output", ""),
        ("--no-stream-agent-output", ""),
    ];
    const EVERYWHERE: [&str; 7] =
        ["--project-dir", "--config", "--color", "--json", "--verbose", "--help", "--version"];
    let run = TestRun::new(RALPH, 1, HONEST)?;
    let help = String::from_utf8(run.ralph(&["run", "--help"])?.stdout)?;
    let words = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let mut flags: Vec<&str> =
        words.filter(|word| word.starts_with("--") && word.len() > 2).collect();
    flags.sort_unstable();
    flags.dedup();
    assert!(flags.len() > 25, "{flags:?}");
    for flag in flags.into_iter().filter(|flag| !EVERYWHERE.contains(flag)) {
        let value = HELD.iter().find(|(held, _)| *held == flag).map(|(_, value)| *value);
        let typed = format!("{flag}{}", value.unwrap_or_default());
        let output = run.ralph(&["resume", &typed])?;
        assert_code(&output, 2);
        let shown = flowing(&said(&output));
        let part = if value.is_some() {
            "there is no interrupted run to resume"
        } else {
            "a resumed run continues as it began"
        };
        assert!(shown.contains(part), "{typed}: {shown}");
    }
    Ok(())
}

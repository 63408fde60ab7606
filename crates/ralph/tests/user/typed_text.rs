//! What is wanted, typed without quotes or behind options.

use testkit::{
    test_run::TestRun,
    told::{assert_code, flowing, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_sentence_without_quotes_is_answered_with_the_line_that_works() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    for (typed, hint) in [
        (&["fix", "the", "bug"][..], "ralph \"fix the bug\""),
        (&["--agent", "claude", "fix", "the", "bug"], "ralph --agent claude \"fix the bug\""),
        (&["clean", "up", "the", "code"], "ralph \"clean up the code\""),
    ] {
        let output = run.ralph(typed)?;
        assert_code(&output, 2);
        assert!(flowing(&said(&output)).contains(hint), "{typed:?}: {}", said(&output));
        assert_eq!(run.calls(), 0);
    }
    let typo = run.ralph(&["statsu"])?;
    assert!(!said(&typo).contains("in quotes"), "{}", said(&typo));
    Ok(())
}

#[test]
fn options_may_stand_before_the_text() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    let output = run.ralph(&["--max-cost", "5", "--dry-run", "fix the bug"])?;
    assert_code(&output, 0);
    let shown = String::from_utf8(output.stdout)?;
    assert!(shown.contains("fix the bug"), "{shown}");
    Ok(())
}

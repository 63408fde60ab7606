//! Calls that fail the same way every time: ralph does not try again, and shows the line that explains it.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

/// What Codex prints about a schema that it cannot see, and Claude Code about an option.
const FAILS: &str = "echo 'WARNING: proceeding without aliases' >&2\n\
     echo 'Failed to read output schema file /x: No such file or directory (os error 2)' >&2; exit 1";

#[test]
fn a_call_that_would_fail_again_ends_the_run_at_once_and_says_why() -> Tested {
    let run = TestRun::new(RALPH, 1, FAILS)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 4);
    assert_eq!(run.calls(), 1, "{}", said(&output));
    let said = said(&output);
    assert!(said.contains("Failed to read output schema file /x"), "{said}");
    assert!(!said.contains("WARNING: proceeding"), "{said}");
    Ok(())
}

#[test]
fn a_reviewer_that_would_fail_again_is_not_called_again() -> Tested {
    let honest = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
    let run =
        TestRun::reviewed(RALPH, 1, honest, "echo \"error: unknown option '--x'\" >&2; exit 1")?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 4);
    assert_eq!(run.kinds(), ["implement T-1", "review T-1"], "{}", said(&output));
    assert!(said(&output).contains("unknown option '--x'"), "{}", said(&output));
    Ok(())
}

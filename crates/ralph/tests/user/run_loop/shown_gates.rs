//! Gates are shown as they are judged: one that ran no test did not pass, and one that only reports may stay red.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

use super::{HONEST, RALPH, Tested, honest};

const NO_TEST: &str = "#!/bin/sh\necho 'running 0 tests'\necho\n\
     echo 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'\n";

fn without_a_test() -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    run.program("work/gate.sh", NO_TEST)?;
    run.set("[limits]\nmax_attempts = 1")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn a_test_gate_that_ran_no_test_is_shown_as_failed() -> Tested {
    let run = without_a_test()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    let told = said(&output);
    assert!(told.contains("before the run: tests ran no test; it must become green"), "{told}");
    let line = told.lines().find(|line| line.contains("gate tests")).unwrap_or_default();
    assert!(line.contains("x gate tests") && line.contains("ran no test"), "{told}");
    assert!(told.contains("1 attempt was rejected"), "{told}");
    let by_hand = run.ralph(&["gate", "run"])?;
    assert_code(&by_hand, 1);
    assert!(String::from_utf8_lossy(&by_hand.stdout).contains("ran no test"), "{by_hand:?}");
    let json = without_a_test()?.ralph(&["--json", "run"])?;
    let json = String::from_utf8(json.stdout)?;
    let of = |kind: &str| json.lines().find(|line| line.contains(kind)).unwrap_or_default();
    assert!(of("\"gate.finished\"").contains("\"passed\":false"), "{json}");
    assert!(of("\"baseline.recorded\"").contains("\"red\":[\"tests\"]"), "{json}");
    Ok(())
}

#[test]
fn a_soft_gate_that_is_red_at_the_start_need_not_become_green() -> Tested {
    let run = honest(1)?;
    run.set("[[gate]]\nname = \"lint\"\ncommand = \"exit 3\"\nseverity = \"soft\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let told = said(&output);
    assert!(told.contains("lint red (exit 3); it is soft, so it may stay like that"), "{told}");
    Ok(())
}

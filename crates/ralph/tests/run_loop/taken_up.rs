//! Runs that are taken up: what was said when they began holds.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

use crate::{HONEST, RALPH, Tested};

/// An agent of its own name, which a test can give on the command line.
fn named(run: &TestRun, name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let body = "TASK=$(grep -o 'T-[0-9]*' | head -n 1); mkdir -p work";
    run.program(
        name,
        &format!("#!/bin/sh\n{body} && echo {name} > \"work/$TASK\" && echo done\n"),
    )?;
    Ok(run.path(name).to_string_lossy().into_owned())
}

#[test]
fn what_the_command_line_said_holds_when_settings_are_read_anew() -> Tested {
    for again in [&["resume"][..], &["run"]] {
        let run = TestRun::new(RALPH, 3, HONEST)?;
        run.set("[review]\nmode = \"on\"")?;
        run.amend()?;
        let (first, second) = (named(&run, "first")?, named(&run, "second")?);
        assert_code(&run.ralph(&["run", "-n", "1", "--agent", &first, "--skip-review"])?, 1);
        run.set("[limits]\nmax_attempts = 4")?;
        let more = ["--reload-settings", "-n"];
        let output = run.ralph(&[again, &more, &["2"]].concat())?;
        assert_code(&output, 1);
        assert_eq!(run.git(&["show", "HEAD:work/T-2"])?, "first", "{}", said(&output));
        // What is said later comes on top, and holds from then on.
        assert_code(&run.ralph(&["run", "-n", "2", "--agent", &second])?, 1);
        assert_code(&run.ralph(&[again, &more, &["9"]].concat())?, 0);
        assert_eq!(run.git(&["show", "HEAD:work/T-3"])?, "second", "{again:?}");
        assert_eq!(run.calls(), 0, "nobody but who was named, and no review");
    }
    Ok(())
}

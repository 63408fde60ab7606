//! Runs that work on a prompt: what ends them, and what they print as the next command where they need a person.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

use super::{HONEST, RALPH, Tested};

/// Asks until it is told a colour, then does what the prompt wants.
const ASKS: &str = "if ! grep -q blue \"$STATE/prompt.$N\"; then echo 'Which colour?'; exit 0; fi\n\
                    echo blue > src/colour; echo '<promise>COMPLETE</promise>'; exit 0";
/// Never gets anywhere, until somebody helps.
const FAILS: &str = "[ -e \"$STATE/helped\" ] || { touch src/BROKEN; }\n\
                     echo $N > src/try; echo '<promise>COMPLETE</promise>'; exit 0";

const RUN: [&str; 3] = ["run", "-p", "paint it"];

#[test]
fn a_prompt_repeats_until_it_is_claimed_and_proved() -> Tested {
    let body = "echo $N >> src/log.txt\nif [ \"$N\" = 3 ]; then rm -f src/BROKEN; else touch src/BROKEN; fi\n\
                [ \"$N\" -ge 2 ] && echo '<promise>COMPLETE</promise>' && exit 0";
    let run = TestRun::new(RALPH, 1, body)?;
    let output = run.ralph(&["run", "-p", "write three lines"])?;
    assert_code(&output, 0);
    assert_eq!(run.calls(), 3, "{}", said(&output));
    Ok(())
}

#[test]
fn a_prompt_is_tried_as_often_as_a_person_said() -> Tested {
    let body = "printf abcdefgh | cut -c\"$N\" > src/try\n\
                [ \"$N\" = 7 ] && rm src/try\necho '<promise>COMPLETE</promise>'; exit 0";
    let gate = "[[gate]]\nname = \"moody\"\n\
                command = 'if [ -e src/try ]; then echo \"odd: $(cat src/try)\"; exit 1; fi'";
    for (limits, flags) in [("", &["-n", "8"][..]), ("[limits]\nmax_iterations = 8", &[])] {
        let run = TestRun::new(RALPH, 1, body)?;
        run.set(&format!("{gate}\n{limits}"))?;
        run.amend()?;
        let output = run.ralph(&[&RUN[..], flags].concat())?;
        assert_code(&output, 0);
        assert_eq!(run.calls(), 7, "{}", said(&output));
        assert!(said(&output).contains("attempt 6/8"), "{}", said(&output));
    }
    Ok(())
}

#[test]
fn a_prompt_without_gates_is_refused_once_with_what_works() -> Tested {
    let agent = "echo x > src/x; echo '<promise>COMPLETE</promise>'; exit 0";
    let run = TestRun::new(RALPH, 1, agent)?;
    let settings =
        run.read("work/.ralph/settings.toml").replace("[[gate]]", "[[gate]]\nseverity = \"soft\"");
    run.write("work/.ralph/settings.toml", &settings)?;
    run.amend()?;
    for (more, way) in [
        (&[][..], "start with --trust-agent --add-signal ("),
        (&["--add-signal"], "start with --trust-agent ("),
        (&["--trust-agent"], "start with --trust-agent --add-signal ("),
    ] {
        let refused = run.ralph(&[&RUN[..], more].concat())?;
        assert_code(&refused, 2);
        let told = said(&refused);
        assert!(told.contains(way) && told.contains("[[gate]]"), "{told}");
        assert!(!told.contains("--review"), "{told}");
    }
    let ways = [&RUN[..], &["--trust-agent", "--add-signal"]].concat();
    assert_code(&run.ralph(&ways)?, 0);
    Ok(())
}

#[test]
fn a_question_about_a_prompt_is_answered_and_the_run_goes_on() -> Tested {
    for has_plan in [true, false] {
        let run = TestRun::new(RALPH, 1, ASKS)?;
        if !has_plan {
            run.git(&["rm", "-q", ".ralph/plan.json"])?;
            run.amend()?;
        }
        let asked = run.ralph(&RUN)?;
        assert_code(&asked, 3);
        assert!(said(&asked).contains("ralph task answer prompt"), "{}", said(&asked));
        assert_code(&run.ralph(&["resume"])?, 2);
        let shown = run.ralph(&["task", "show", "prompt"])?;
        assert_code(&shown, 0);
        assert!(String::from_utf8_lossy(&shown.stdout).contains("Which colour?"), "{shown:?}");
        let answered = run.ralph(&["task", "answer", "prompt", "it is blue"])?;
        assert_code(&answered, 0);
        assert!(said(&answered).contains("`ralph resume` applies it"), "{}", said(&answered));
        let output = run.ralph(&["resume"])?;
        assert_code(&output, 0);
        let prompt = run.prompt(run.calls());
        assert!(prompt.contains("Which colour?") && prompt.contains("it is blue"), "{prompt}");
        assert_eq!(run.git(&["show", "HEAD:src/colour"])?, "blue");
    }
    Ok(())
}

#[test]
fn a_prompt_that_is_approved_is_done_by_that_word_and_the_gates() -> Tested {
    let run = TestRun::new(RALPH, 1, "exit 9")?;
    let calls = run.path("state/asked").display().to_string();
    run.program(
        "asks",
        &format!("#!/bin/sh\necho half > src/half\necho 'Which colour?'\necho call >> {calls}\n"),
    )?;
    let asks = run.path("asks").to_string_lossy().into_owned();
    let asked = run.ralph(&["run", "-p", "paint it", "--agent", &asks])?;
    assert_code(&asked, 3);
    assert_code(&run.ralph(&["task", "approve", "prompt"])?, 0);
    let output = run.ralph(&["resume"])?;
    assert_code(&output, 0);
    assert_eq!(run.git(&["show", "HEAD:src/half"])?, "half");
    assert_eq!(run.read("state/asked").lines().count(), 2, "nobody is called again");
    Ok(())
}

#[test]
fn a_prompt_that_failed_is_retried_or_skipped() -> Tested {
    for (wish, code) in [("retry", 0), ("skip", 0)] {
        let run = TestRun::new(RALPH, 1, FAILS)?;
        run.set("[limits]\nmax_attempts = 2")?;
        run.amend()?;
        let failed = run.ralph(&RUN)?;
        assert_code(&failed, 3);
        assert!(said(&failed).contains("ralph task retry prompt"), "{}", said(&failed));
        let calls = run.calls();
        run.write("state/helped", "")?;
        assert_code(&run.ralph(&["task", wish, "prompt"])?, 0);
        assert_code(&run.ralph(&["task", wish, "prompt"])?, 2);
        assert_code(&run.ralph(&["resume"])?, code);
        assert_eq!(run.calls() > calls, wish == "retry");
        // Nothing is left of it for the plan.
        assert_eq!(run.statuses(), ["pending"]);
    }
    Ok(())
}

#[test]
fn what_is_said_about_one_prompt_is_never_taken_by_another_nor_by_the_plan() -> Tested {
    let agent = format!("if [ -n \"$TASK\" ]; then\n{HONEST}\nexit 0; fi\n{ASKS}");
    let run = TestRun::new(RALPH, 2, &agent)?;
    assert_code(&run.ralph(&RUN)?, 3);
    assert_code(&run.ralph(&["task", "skip", "prompt"])?, 0);
    assert_code(&run.ralph(&["task", "skip", "T-1"])?, 0);
    assert_eq!(run.statuses(), ["skipped", "pending"]);
    run.git(&["switch", "-q", "main"])?;
    let output = run.ralph(&["run", "-p", "it is blue", "--branch", "other"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("1 accepted"), "{}", said(&output));
    Ok(())
}

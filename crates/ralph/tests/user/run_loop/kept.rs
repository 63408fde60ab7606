//! Changes of the user's that do not fit when a run ends: they stay listed, with a command that brings them.

use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said},
};

use super::{HONEST, RALPH, Tested};

/// A run that ended with `--stash`, in which the agent changed the lines that the user had changed.
fn unfit(begins_on: &str) -> Result<TestRun, Box<dyn std::error::Error>> {
    let run = TestRun::new(RALPH, 1, &format!("{HONEST}\necho theirs > README.md"))?;
    if begins_on != "main" {
        run.git(&["switch", "-qc", begins_on])?;
    }
    run.write("work/README.md", "mine\n")?;
    run.git(&["add", "README.md"])?;
    let output = run.ralph(&["run", "--stash"])?;
    assert_code(&output, 0);
    assert!(said(&output).contains("do not fit onto ralph/scratch"), "{}", said(&output));
    Ok(run)
}

/// The commands that a list names for what is kept.
fn commands(run: &TestRun, question: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let told = String::from_utf8(run.ralph(&[question])?.stdout)?;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((_, after)) = told.split_once("are kept: ") else { return Ok(Vec::new()) };
    let (named, _) = after.split_once(" once you have them").ok_or("no end")?;
    Ok(named.replace("; ", ", then ").split(", then ").map(str::to_owned).collect())
}

#[test]
fn changes_that_were_not_brought_back_stay_listed_until_their_ref_is_gone() -> Tested {
    for (begins_on, fits) in [("main", true), ("ralph/scratch", false)] {
        let run = unfit(begins_on)?;
        let named = commands(&run, "status")?;
        assert_eq!(named, commands(&run, "runs")?);
        assert_eq!(named.len(), if fits { 3 } else { 2 }, "{named:?}");
        for command in &named {
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let done = run.git(&words);
            // Where the run worked on the user's own branch, the lines are in conflict, and git shows both.
            assert!(done.is_ok() || (!fits && words[0] == "stash"), "{begins_on}: {done:?}");
        }
        let readme = run.read("work/README.md");
        assert!(readme.contains("mine"), "{begins_on}: {readme}");
        assert_eq!(readme.contains("theirs"), !fits, "{begins_on}: {readme}");
        assert!(commands(&run, "status")?.is_empty() && commands(&run, "runs")?.is_empty());
    }
    Ok(())
}

#[test]
fn changes_that_were_not_brought_back_stay_listed_when_the_run_goes_on_or_is_undone() -> Tested {
    let run = TestRun::new(RALPH, 2, &format!("{HONEST}\necho theirs > README.md"))?;
    run.write("work/README.md", "mine\n")?;
    assert_code(&run.ralph(&["run", "--stash", "-n", "1"])?, 1);
    let named = commands(&run, "status")?;
    assert!(!named.is_empty());
    assert_code(&run.ralph(&["resume", "-n", "4"])?, 0);
    assert_eq!(commands(&run, "status")?, named);
    assert_code(&run.ralph(&["undo", "1", "--yes"])?, 0);
    assert_eq!(commands(&run, "runs")?, named);
    Ok(())
}

#[test]
fn what_is_only_staged_beside_an_agent_without_a_box_is_kept_and_what_it_commits_is_not_told()
-> Tested {
    let staged = "echo staged > README.md; git add README.md; echo later > README.md";
    for (script, is_told) in [(staged, true), ("git add -A", false)] {
        let run = TestRun::new(RALPH, 1, &format!("{HONEST}\n{script}"))?;
        let run = run.without_sandbox(Because::ItIsAboutThat);
        let output = run.ralph(&["run"])?;
        assert_code(&output, 0);
        let told = said(&output);
        assert_eq!(told.contains("what was staged is kept as refs/ralph/"), is_told, "{told}");
        if is_told {
            let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
            let kept = kept.lines().find(|name| name.ends_with("/staged")).ok_or("no ref")?;
            assert_eq!(run.git(&["show", &format!("{kept}:README.md")])?, "staged");
        }
    }
    Ok(())
}

#[test]
fn what_is_written_into_the_plan_between_calls_is_kept_and_counts() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    let once = run.path("once");
    let gate = format!(
        "#!/bin/sh\n[ -e {once} ] || {{ touch {once}; sed -i 's/make work.T-2/mine: &/' .ralph/plan.json; }}\n",
        once = once.display()
    );
    run.program("work/gate.sh", &gate)?;
    run.amend()?;
    let output = run.ralph(&["run", "--sandbox=off"])?;
    assert_code(&output, 0);
    assert!(
        said(&output).contains("the change is kept as .ralph/plan.json.edited-"),
        "{}",
        said(&output)
    );
    let kept = std::fs::read_dir(run.work().join(".ralph"))?.flatten();
    let mut names = kept.map(|one| one.file_name().to_string_lossy().into_owned());
    let name = names.find(|name| name.starts_with("plan.json.edited-")).ok_or("none kept")?;
    assert!(run.read(&format!("work/.ralph/{name}")).contains("mine: make work/T-2"));
    assert!(run.prompt(3).contains("mine: make work/T-2"), "{}", run.prompt(3));
    Ok(())
}

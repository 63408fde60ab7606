//! What a person changes in the checkout while an agent works in the box is back, uncommitted, when the run is over.

use std::{fs, io::Write as _, thread};

use testkit::{
    test_run::TestRun,
    told::{flowing, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Works on the first task until it is let go.
const AGENT: &str = r#"mkdir -p work; touch "work/$TASK"; echo "$TASK" >> both.txt
if [ "$TASK" = T-1 ]; then touch "$STATE/begun"; while [ ! -e "$STATE/go" ]; do sleep 0.05; done; fi"#;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn what_a_person_changes_while_an_agent_works_is_back_when_the_run_is_over() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?;
    run.write("work/both.txt", "begin\n")?;
    run.amend()?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run
        .with_env("RALPH_SANDBOX_READABLE", agent.display().to_string())
        .with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string());
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || state.join("begun").exists())?;
    run.write("work/README.md", "# scratch\nmine\n")?;
    run.write("work/new.txt", "mine\n")?;
    run.write("work/both.txt", "mine\n")?;
    fs::remove_file(run.path("work/src/main.txt"))?;
    let progress = fs::OpenOptions::new().append(true).open(run.path("work/.ralph/progress.md"));
    progress?.write_all(b"remember the milk\n")?;
    run.write("state/go", "")?;
    let code = ralph.wait()?.code();
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(code, Some(0), "{told}");
    let kept = "your changes come back at the end of the run: README.md, src/main.txt";
    assert!(told.contains(kept), "{told}");
    assert!(told.contains("your changes are back"), "{told}");
    assert!(told.contains("the agent changed the same files: your changes come back"), "{told}");
    assert!(told.contains("do not fit onto ralph/scratch; they are kept as refs/ralph/"), "{told}");
    let status = run.git(&["status", "--short", "--", ".", ":!.ralph"])?;
    assert_eq!(status, "M README.md\n D src/main.txt\n?? new.txt", "{told}");
    assert_eq!(run.read("work/README.md"), "# scratch\nmine\n");
    let notes = run.read("work/.ralph/progress.md");
    let notes = notes.split("## Log").next().unwrap_or_default();
    assert_eq!(notes.matches("remember the milk").count(), 1, "{notes}");
    assert_eq!(run.git(&["diff", "--name-only", "main..."])?, "both.txt\nwork/T-1\nwork/T-2");
    Ok(())
}

/// Fails its gate three times, then works.
const CLUMSY: &str = r#"mkdir -p work; echo "$N" > src/main.txt; echo "agent $N" >> both.txt
if [ "$N" -lt 4 ]; then echo "$N" > src/BROKEN; else rm -f src/BROKEN; touch "work/$TASK"; fi"#;

/// Saves a file in every way that editors know, until the run is over; gives what was saved.
fn save_on(run: &TestRun, ralph: &mut std::process::Child) -> std::io::Result<Vec<String>> {
    let (mut saved, mut readme) = (Vec::new(), run.read("work/README.md"));
    while ralph.try_wait()?.is_none() {
        let line = format!("save {:05}", saved.len());
        readme = format!("{readme}{line}\n");
        let (place, made) = (run.path("work/README.md"), run.path("saved"));
        match saved.len() % 3 {
            0 => fs::write(&place, &readme)?,
            1 => fs::write(&made, &readme).and_then(|()| fs::rename(&made, &place))?,
            _ => {
                let both = run.path("work/both.txt");
                let both = fs::OpenOptions::new().create(true).append(true).open(both)?;
                (&both).write_all(format!("{line}\n").as_bytes())?;
                both.sync_all()?;
            }
        }
        saved.push(line);
        // A disk that has to write takes about as long as a quick person.
        fs::File::open(run.path("work"))?.sync_all()?;
        thread::yield_now();
    }
    Ok(saved)
}

#[test]
fn whoever_does_not_stop_saving_loses_nothing_and_stops_no_run() -> Tested {
    let run = TestRun::new(RALPH, 1, CLUMSY)?;
    run.write("work/both.txt", "begin\n")?;
    run.set("[attempts]\non_reject = \"restart\"")?;
    run.amend()?;
    let (agent, state) = (run.path("agent.sh"), run.path("state"));
    let run = run
        .with_env("RALPH_SANDBOX_READABLE", agent.display().to_string())
        .with_env("RALPH_SANDBOX_WRITABLE", state.display().to_string());
    let mut ralph = run.spawn(&["run"])?;
    until("the agent works", || state.join("calls").exists())?;
    let saved = save_on(&run, &mut ralph)?;
    let told = flowing(&run.read("ralph.log"));
    assert_eq!(ralph.wait()?.code(), Some(0), "{told}");
    let refs = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"])?;
    assert!(!refs.contains("/found/"), "{refs}\n{told}");
    let mut kept = run.read("work/README.md") + &run.read("work/both.txt");
    for name in refs.lines().filter(|name| name.contains("/yours/")) {
        kept += &run.git(&["show", &format!("{name}:README.md")])?;
        kept += &run.git(&["show", &format!("{name}:both.txt")])?;
    }
    let lost: Vec<&String> = saved.iter().filter(|line| !kept.contains(*line)).collect();
    assert!(saved.len() > 20 && lost.is_empty(), "{lost:?} of {}: {told}", saved.len());
    let committed = run.git(&["log", "-p", "main..ralph/scratch"])?;
    let committed = saved.iter().filter(|line| committed.contains(*line));
    // What lay in a file when an agent wrote to it is part of what it wrote; that is said.
    assert!(committed.count() == 0 || told.contains("may be part of the agent's work"), "{told}");
    Ok(())
}

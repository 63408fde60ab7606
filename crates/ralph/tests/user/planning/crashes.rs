//! SIGKILL at every effect boundary of a planning run: nothing of the user's changes, what was drafted is on disk,
//! and asking again just works.

use super::*;

#[test]
fn a_planning_run_killed_anywhere_changes_nothing_and_the_next_one_works() -> Tested {
    let mut killed = 0;
    loop {
        let run = project()?;
        run.write("work/src/main.txt", "not committed\n")?;
        for nth in 1..=2 {
            drafts(&run, nth, &good())?;
        }
        let before = run.git(&["status", "--porcelain"])?;
        let mut first = run.command(&["plan", "make two files"]);
        let ended = first.env("RALPH_CRASH_AT", (killed + 1).to_string()).output()?;
        if ended.status.code().is_some() {
            assert_code(&ended, 0);
            assert!(killed >= 8, "open, look, agent and close each have two points: {killed}");
            return Ok(());
        }
        killed += 1;
        assert!(!run.path("work/.ralph/plan.json").exists(), "written without consent");
        let status = run.git(&["status", "--porcelain"])?;
        assert!(status.starts_with(&before), "{before} became {status}");
        if run.calls() == 1 {
            let handed =
                format!("work/.ralph/runs/{}/iterations/0001/handoff.json", planning_run(&run)?);
            assert!(run.read(&handed).contains("\"T-1\""), "killed at {killed}: the draft is lost");
        }
        assert_code(&run.ralph(&["plan", "make two files"])?, 0);
        assert_eq!(run.statuses(), ["pending", "pending"]);
        let copies = run.path("home/state/ralph/copies");
        let left =
            std::fs::read_dir(copies)?.flatten().flat_map(|one| std::fs::read_dir(one.path()));
        assert_eq!(left.flatten().count(), 0, "a copy was left");
    }
}

//! `ralph clean`: old leftovers go, the only copy of somebody's work stays until a flag says otherwise.

use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

fn left(run: &TestRun) -> std::io::Result<Vec<String>> {
    let names = ["for-each-ref", "--format=%(refname)", "refs/ralph", "refs/heads/wip"];
    Ok(run.git(&names)?.lines().map(str::to_owned).collect())
}

#[test]
fn clean_keeps_the_only_copy_of_work_unless_told_otherwise() -> Tested {
    let run = TestRun::new(RALPH, 1, "touch src/BROKEN")?;
    run.set("[limits]\nmax_attempts = 2")?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 3);
    assert_code(&run.ralph(&["run", "--fresh"])?, 3);
    let all = left(&run)?;
    assert!(
        all.iter().any(|name| name.starts_with("refs/heads/wip/")) && all.len() == 3,
        "{all:?}"
    );
    let young = run.ralph(&["clean"])?;
    assert_code(&young, 0);
    assert!(String::from_utf8_lossy(&young.stdout).contains("nothing to remove"), "{young:?}");
    let now = ["clean", "--older-than", "0s"];
    let dry = run.ralph(&[&now[..], &["--dry-run"]].concat())?;
    assert_code(&dry, 0);
    let text = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(text.contains("--delete-unmerged"), "{text}");
    let runs = || std::fs::read_dir(run.work().join(".ralph/runs")).map(Iterator::count);
    let folders = runs()?;
    let refused = run.ralph(&now)?;
    assert_code(&refused, 2);
    assert!(said(&refused).contains("--yes"), "{}", said(&refused));
    assert_eq!((left(&run)?, runs()?), (all.clone(), folders), "nothing went");
    run.git(&["branch", "mine", &all[1]])?;
    assert_code(&run.ralph(&[&now[..], &["--yes"]].concat())?, 0);
    let after = left(&run)?;
    assert!(!after.contains(&all[1]), "a branch of the user's holds the same: {after:?}");
    assert!(after.iter().any(|name| name.starts_with("refs/heads/wip/")), "{after:?}");
    assert_eq!(runs()?, folders - 1, "the latest run stays");
    assert_code(&run.ralph(&[&now[..], &["--yes", "--delete-unmerged"]].concat())?, 0);
    assert_eq!(left(&run)?, [""; 0]);
    assert_code(&run.ralph(&["status"])?, 0);
    assert_code(&run.ralph(&["report"])?, 0);
    Ok(())
}

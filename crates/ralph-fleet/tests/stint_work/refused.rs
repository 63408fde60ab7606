//! What is refused: an address that the operator does not allow, and work by a remote that answers, which is paid for once,
//! kept, and told to a person.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use ralph_fleet::{
    stint::{Allowed, Lost},
    wire::{StintEnd, StintReport},
};

use crate::{
    remote::git,
    site::{BRANCH, Site, within},
};

/// What the report says, and the folder in which it says that the work is.
fn kept(site: &Site, report: &StintReport) -> (String, PathBuf) {
    let StintEnd::NeedsPerson { why } = &report.end else { panic!("{report:?}") };
    let loops = fs::read_dir(site.path().join("host-a/loops")).unwrap().flatten();
    let entries = loops.flat_map(|one| fs::read_dir(one.path()).unwrap().flatten());
    let folder = entries.map(|entry| entry.path()).find(|path| is_kept(path)).unwrap();
    assert!(why.contains(&folder.display().to_string()), "{why}");
    (why.clone(), folder)
}

fn is_kept(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("kept-"))
}

#[test]
fn work_that_the_remote_refuses_is_paid_once_and_kept_for_a_person() {
    let site = Site::new(1);
    let host = site.host("a");
    let hook = site.remote.refuse_branches();
    let report = site.work(&host, 1).unwrap();
    let (why, folder) = kept(&site, &report);
    for part in ["this branch is protected", "host a", "ralph fleet resume loop/remote@ralph/app"] {
        assert!(why.contains(part), "{part} is not in {why}");
    }
    assert_eq!((report.done, report.iterations), (0, 0), "nothing of it is published");
    assert_eq!(site.started().len(), 1);
    assert_eq!(site.lease()["held"], false);
    assert_eq!(git(&folder, &["show", &format!("{BRANCH}:out/T-1.txt")]), "T-1");

    fs::remove_file(hook).unwrap();
    let report = site.work(&host, 2).unwrap();
    assert!(!report.took_over);
    assert_eq!(report.done, 1);
    assert_eq!(site.work_on_branch().len(), 2);
    assert!(folder.is_dir(), "what was kept for a person is gone");
}

#[test]
fn a_stint_whose_work_the_remote_keeps_refusing_leaves_before_it_costs_more() {
    let mut site = Site::new(3);
    site.spec.limits.iterations_per_stint = 10;
    site.hold("T-2");
    site.remote.refuse_branches();
    let host = site.host("a");
    thread::scope(|scope| {
        let stint = scope.spawn(|| site.work(&host, 1));
        within(Duration::from_mins(1), || stint.is_finished());
        site.release("T-2");
        kept(&site, &stint.join().unwrap().unwrap());
    });
    let tasks: Vec<String> = site.started().into_iter().map(|(task, _)| task).collect();
    assert_eq!(tasks, ["T-1", "T-2"]);
    assert_eq!(site.lease()["held"], false);
}

#[test]
fn an_address_that_the_operator_does_not_allow_is_left_to_other_hosts() {
    let mut site = Site::new(1);
    let mut host = site.host("a");
    host.allowed = Allowed::new(&["https://git.example.com/".to_owned()]);
    site.spec.repo = "git://127.0.0.1:1/app.git".into();
    let Err(Lost::Refused(why)) = site.work(&host, 1) else { panic!("it was opened") };
    assert!(why.contains("--repos"), "{why}");
    assert!(site.started().is_empty());
}

//! Commits that a host could not publish before it was gone.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    remote::git,
    site::{BRANCH, Site},
};

/// Leaves the loop's folder as a host does that dies between two publications.
fn die(folder: &Path) {
    fs::remove_file(folder.join("synced")).unwrap();
}

#[test]
fn commits_that_never_reached_the_remote_are_kept_and_nothing_else_is() {
    let site = Site::new(4);
    let host = site.host("a");
    let nothing: [String; 0] = [];
    assert_eq!(site.work(&host, 1).unwrap().kept, nothing);
    let mut loops = fs::read_dir(site.path().join("host-a/loops")).unwrap().flatten();
    let folder = loops.next().unwrap().path();
    die(&folder);
    assert_eq!(site.work(&host, 2).unwrap().kept, nothing, "everything was published");

    let work = folder.join("work");
    let tree = format!("{BRANCH}^{{tree}}");
    let late = || git(&work, &["commit-tree", &tree, "-p", BRANCH, "-m", "late"]);
    // As if another host had gone on, and a person had taken a parked branch away.
    fs::write(folder.join("synced"), "another").unwrap();
    git(&work, &["update-ref", "refs/heads/ralph/parked/T-9", &late()]);
    assert_eq!(site.work(&host, 3).unwrap().kept, nothing, "its last stint published everything");

    git(&work, &["update-ref", &format!("refs/heads/{BRANCH}"), &late()]);
    die(&folder);
    let report = site.work(&host, 4).unwrap();
    assert_eq!((report.done, report.warm), (4, false));
    let [kept] = &report.kept[..] else { panic!("{report:?}") };
    let kept = PathBuf::from(kept);
    assert_eq!(kept.parent(), Some(&*folder));
    assert_eq!(git(&kept, &["log", "-1", "--format=%s", BRANCH]), "late");
    assert_eq!(site.work_on_branch().len(), 5, "it goes on from what was published");

    // An attempt of a run that nobody has heard of.
    git(&work, &["update-ref", "refs/ralph/never-seen/T-1/1", &late()]);
    die(&folder);
    assert_eq!(site.work(&host, 5).unwrap().kept.len(), 2);
}

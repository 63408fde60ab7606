//! A truth is somebody else's word: whoever may push to the remote may have written it, and what it says becomes names of
//! files, requests to git and sizes of buffers. Nothing of one that is not sound is used.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::{
    lease::Lease,
    published::{Published, SEGMENT},
    repository::is_plain,
};

const MIB: u64 = 1 << 20;
/// The longest journal that is read.
const LONGEST_JOURNAL: u64 = 256 * MIB;
/// Files by the beginnings of their names: the most bytes of one, and of all of them. Far more than workers write: a plan
/// of 100,000 tasks has about 40 MB, and a request is no longer than what a server takes as one message.
const LARGEST: [(&str, u64, u64); 7] = [
    ("lease.json", MIB, MIB),
    ("published.json", 32 * MIB, 32 * MIB),
    ("plan.json", 64 * MIB, 64 * MIB),
    ("settings.toml", MIB, MIB),
    ("workspace.json", 16 * MIB, 16 * MIB),
    ("journal/", SEGMENT as u64, LONGEST_JOURNAL),
    ("inbox/", 2 * MIB, 32 * MIB),
];
/// The longest name of a file.
const LONGEST_NAME: usize = 200;

/// Refuses what no worker writes.
pub(super) fn check(lease: &Lease, published: &Published, branch: &str) -> Result<()> {
    if let Some(run) = &lease.run {
        ensure!(is_file_name(run) && run != "fleet", "its run {run:?} is not a valid run name");
    }
    ensure!(lease.epoch <= u64::MAX / 2, "its epoch is out of range");
    let bytes = published.journal_bytes;
    ensure!(bytes <= LONGEST_JOURNAL, "its journal claims to have {bytes} bytes");
    for name in &published.inbox {
        ensure!(is_file_name(name), "{name:?} is not a valid name for a request");
    }
    for tree in &published.trees {
        ensure!(is_oid(tree), "{tree:?} is not a tree");
    }
    for (name, kept) in &published.refs {
        let is_sound = is_plain(name) && is_plain(&kept.at) && is_oid(&kept.oid);
        ensure!(is_sound, "{name:?} is not a valid ref");
        let is_there = kept.at == *name || is_runs_own(&kept.at) && kept.at.contains("/kept/");
        ensure!(
            is_runs(name, branch) && is_there,
            "{name:?} at {:?} is no ref of a run's",
            kept.at
        );
    }
    Ok(())
}

/// Whether a run on this branch may have a ref of this name.
fn is_runs(name: &str, branch: &str) -> bool {
    let beside = ["refs/heads/ralph/parked/", "refs/heads/wip/"];
    name == branch || beside.iter().any(|start| name.starts_with(start)) || is_runs_own(name)
}

/// Those that only ralph has; the truths of all branches lie beside them.
fn is_runs_own(name: &str) -> bool {
    name.strip_prefix("refs/ralph/").is_some_and(|own| !own.starts_with("fleet/"))
}

/// Refuses files, by name and bytes, that are larger than workers write them: a few bytes of a pack can be gigabytes.
pub(super) fn check_sizes<'a>(files: impl IntoIterator<Item = (&'a str, u64)>) -> Result<()> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, bytes) in files {
        let kind = LARGEST.iter().find(|(start, ..)| name.starts_with(start));
        let Some((start, one, all)) = kind else { continue };
        ensure!(bytes <= *one, "its {name} has {bytes} bytes, but at most {one} are allowed");
        let sum = sums.entry(start).or_default();
        *sum += bytes;
        ensure!(*sum <= *all, "its files in {start} have more than {all} bytes");
    }
    Ok(())
}

/// Whether a name is that of a file in a folder, and means nothing else to anybody.
pub(crate) fn is_file_name(name: &str) -> bool {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || " ._-".contains(c);
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with(['.', '-', ' '])
        && name.chars().all(is_usual)
}

fn is_oid(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::published::{Kept, segment_name};

    fn refused(lease: &Lease, published: &Published) -> bool {
        check(lease, published, "refs/heads/ralph/app").is_err()
    }

    #[test]
    fn what_no_worker_writes_is_too_large() {
        let fits = |files: &[(&str, u64)]| check_sizes(files.iter().copied()).is_ok();
        let segments = |count: usize| -> Vec<(String, u64)> {
            (0..count).map(|number| (segment_name(number), SEGMENT as u64)).collect()
        };
        let fit = |files: &[(String, u64)]| {
            check_sizes(files.iter().map(|(name, bytes)| (name.as_str(), *bytes))).is_ok()
        };
        assert!(fits(&[("plan.json", 45_000_000), ("inbox/1.json", MIB), ("lease.json", 500)]));
        assert!(fit(&segments(512)) && !fit(&segments(513)));
        assert!(!fits(&[("journal/000000.jsonl", SEGMENT as u64 + 1)]));
        assert!(!fits(&[("plan.json", 1_500_000_000)]) && !fits(&[("plan.json", u64::MAX)]));
        for name in ["lease.json", "published.json", "settings.toml", "workspace.json"] {
            assert!(!fits(&[(name, 33 * MIB)]), "{name}");
        }
        let inbox: Vec<_> = (0..17).map(|number| (format!("inbox/{number}"), 2 * MIB)).collect();
        assert!(fit(&inbox[..16]) && !fit(&inbox));
    }

    #[test]
    fn what_a_stranger_may_have_written_is_not_used() {
        let oid = "0123456789abcdef0123456789abcdef01234567".to_owned();
        let kept = |at: &str, oid: &str| Kept { oid: oid.into(), at: at.into() };
        let refs = |name: &str, kept| Published {
            refs: [(name.into(), kept)].into(),
            ..Published::default()
        };
        let inbox = |name: &str| Published { inbox: vec![name.into()], ..Published::default() };
        let run = |name: &str| Lease { run: Some(name.into()), ..Lease::default() };
        let branch = "refs/heads/ralph/app";
        assert!(!refused(&run("261118-124852-663"), &refs(branch, kept(branch, &oid))));
        assert!(!refused(&Lease::default(), &inbox("1795006164000-17-000000.json")));
        for odd in ["", ".", "..", "../x", "/any", "a/b", "a\nb", "a\0b", "a\"b", ".hidden"] {
            assert!(refused(&run(odd), &Published::default()), "{odd:?}");
            assert!(refused(&Lease::default(), &inbox(odd)), "{odd:?}");
        }
        for odd in
            ["HEAD", "refs/heads/../x", "refs/heads/a\nb", "refs/heads/a b", "refs/heads/a:b"]
        {
            assert!(refused(&Lease::default(), &refs(odd, kept(branch, &oid))), "{odd:?}");
            assert!(refused(&Lease::default(), &refs(branch, kept(odd, &oid))), "{odd:?}");
        }
        assert!(refused(&Lease::default(), &refs(branch, kept(branch, "main"))));
        let aside = "refs/ralph/261118-124852-663/kept/2/heads/ralph/app";
        assert!(!refused(&Lease::default(), &refs(branch, kept(aside, &oid))));
        for theirs in ["refs/heads/main", "refs/tags/v1", "refs/ralph/fleet/b", "refs/ralph/r/x"] {
            assert!(refused(&Lease::default(), &refs(branch, kept(theirs, &oid))), "{theirs}");
        }
        for odd in ["refs/heads/main", "refs/tags/v1", "refs/ralph/fleet/b"] {
            assert!(refused(&Lease::default(), &refs(odd, kept(odd, &oid))), "{odd}");
        }
        assert!(refused(&run("fleet"), &Published::default()));
        let trees = vec![format!("{oid}\nreset refs/heads/main")];
        assert!(refused(&Lease::default(), &Published { trees, ..Published::default() }));
        let published = Published { journal_bytes: 1 << 63, ..Published::default() };
        assert!(refused(&Lease::default(), &published));
        assert!(refused(&Lease { epoch: u64::MAX, ..Lease::default() }, &Published::default()));
    }
}

//! Judges from outside what the attempts of a run came to: by what lies where nothing should, by what was heard, by
//! secrets in what they brought back, and by their own word only where nothing else can tell.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use testkit::escape::{Attempt, Proof, Tried, World, all};

use crate::{
    ears,
    ground::{Ground, VICTIMS},
};

/// Where attempts leave marks that are not in the scratch world.
const ELSEWHERE: &[&str] =
    &["/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/etc/cron.d", "/usr/bin"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Escaped,
    Held,
    Untried,
}

/// What the files outside looked like before.
pub(crate) struct Before(BTreeMap<&'static str, Look>);

type Look = Option<(u32, u64, i64, i64, i64)>;

/// What became of every attempt of one who made them.
pub(crate) struct Outcome {
    pub(crate) seen: BTreeMap<String, Tried>,
    pub(crate) marks: BTreeSet<String>,
    secret: String,
}

impl Before {
    pub(crate) fn of(world: &World) -> Self {
        Self(VICTIMS.iter().map(|name| (*name, look(world, name))).collect())
    }
}

fn look(world: &World, name: &str) -> Look {
    let file = fs::symlink_metadata(world.folder().join("outside").join(name)).ok()?;
    Some((file.mode(), file.size(), file.mtime(), file.ctime(), file.ctime_nsec()))
}

impl Outcome {
    /// Gathers what `whose` attempts saw and what can be seen of them.
    pub(crate) fn of(ground: &mut Ground, before: &Before, whose: &str) -> Self {
        ears::settle();
        let mut marks = marks(&ground.world, &ground.ears.heard());
        let world = &ground.world;
        marks.extend(
            before
                .0
                .iter()
                .filter(|(name, was)| look(world, name) != **was)
                .map(|it| (*it.0).into()),
        );
        let mut seen = BTreeMap::new();
        for call in 1..=9 {
            let text =
                fs::read_to_string(world.told(&format!("{whose}.{call}"))).unwrap_or_default();
            for line in text.lines() {
                let (name, rest) = line.split_once('\t').unwrap_or_default();
                seen.insert(name.to_owned(), Tried::from_line(rest));
            }
        }
        if someone_is_left("mark-of-left-behind") {
            marks.insert("left-behind".into());
        }
        if !ground.is_victim_well() {
            marks.insert("kill-a-process".into());
        }
        Self { seen, marks, secret: ground.secret.clone() }
    }

    /// Whether this attempt got out.
    pub(crate) fn verdict(&self, attempt: &Attempt) -> Verdict {
        let (seen, marked) = (self.seen.get(attempt.name), self.marks.contains(attempt.name));
        match (attempt.proof, seen) {
            (Proof::Mark, _) if marked => Verdict::Escaped,
            (Proof::Secret, Some(Tried::Reached(text) | Tried::Refused(text))) => {
                if text.contains(&self.secret) { Verdict::Escaped } else { Verdict::Held }
            }
            (Proof::Word, Some(Tried::Reached(_))) => Verdict::Escaped,
            (_, Some(Tried::Untried(_)) | None) => Verdict::Untried,
            _ => Verdict::Held,
        }
    }

    /// Its verdict and what it saw, for people.
    pub(crate) fn tell(&self, attempt: &Attempt) -> String {
        let seen = self.seen.get(attempt.name);
        let seen = seen.map_or("not made".to_owned(), |seen| seen.line().replace('\t', ": "));
        let seen: String = seen.chars().take(160).collect();
        format!("{:?} {} ({seen})", self.verdict(attempt), attempt.name)
    }

    /// All attempts of this verdict.
    pub(crate) fn that(&self, verdict: Verdict) -> Vec<&'static Attempt> {
        all().into_iter().filter(|attempt| self.verdict(attempt) == verdict).collect()
    }
}

/// The attempts whose marks are anywhere outside the worktree.
fn marks(world: &World, heard: &str) -> BTreeSet<String> {
    let folder = fs::read_dir(world.marks()).into_iter().flatten().flatten();
    let mut found: BTreeSet<String> =
        folder.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut texts = vec![heard.to_owned()];
    let elsewhere = ELSEWHERE.iter().map(|folder| Path::new(folder).join(world.mark_name()));
    let mut left: Vec<PathBuf> = elsewhere.chain([world.folder().to_owned()]).collect();
    while let Some(path) = left.pop() {
        let Ok(entry) = fs::symlink_metadata(&path) else { continue };
        if entry.is_file() && entry.len() < 1 << 20 {
            texts.extend(fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
        } else if entry.is_dir() && !is_the_agents(&path, world) {
            left.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|it| it.path()));
        }
    }
    for text in texts {
        for attempt in all().into_iter().chain(testkit::escape::WELCOME) {
            let token = attempt.token();
            let mut rest = text.as_str();
            while let Some(at) = rest.find(&token) {
                rest = &rest[at + token.len()..];
                // A longer name may begin with a shorter one.
                if !rest.starts_with('-') {
                    found.insert(attempt.name.to_owned());
                }
            }
        }
    }
    found
}

/// What the agent may write itself, and where ralph keeps copies of that.
fn is_the_agents(path: &Path, world: &World) -> bool {
    let is_copy = ["objects", "set-aside", "iterations", "caches", "layers", "told"]
        .iter()
        .any(|name| path.ends_with(name));
    let Ok(inside) = path.strip_prefix(world.work()) else {
        return is_copy;
    };
    let is_own = inside.as_os_str().is_empty()
        || [".git", ".ralph"].iter().any(|kept| inside.starts_with(kept));
    is_copy || !is_own
}

/// Whether a process with this word in its command line is alive.
fn someone_is_left(word: &str) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(word))
}

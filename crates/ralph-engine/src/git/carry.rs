//! Brings what an agent wrote over the worktree into it: what git would track, and nothing else. What git ignores stays
//! in the layer, so nothing of it can reach gates, reviewers or the user's own tools.
//!
//! Harmless when repeated: a thing leaves the layer only after it has arrived.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    time::SystemTime,
};

use ralph_core::vocabulary::Violation;

use super::{
    bring::{self, Allowance},
    error::GitError,
    files::{RelPath, folders_of, is_within, join_nul, named, on_disk, shown},
    layer::{Entry, Kind, Layer, split},
    nested::is_repository,
    obstructions::Aside,
    replace::{Displaced, MakeWay},
    tracked::Tracked,
    untracked::is_rule_file,
    violations,
    worktree::Worktree,
};
use crate::{beneath::Folder, remove::remove_all};

/// So many things of one kind are named.
const SAMPLE: usize = 10;

/// What became of what was written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// What a person should know.
    pub(crate) notes: Vec<String>,
    /// What git ignores and so stayed where it was; a folder once.
    pub(crate) ignored: BTreeSet<RelPath>,
    /// Files of the user's own, untracked or ignored, that somebody changed; they are as they were.
    yours: BTreeSet<RelPath>,
    /// What cannot be carried: pipes, sockets, devices, work in submodules.
    left: BTreeSet<RelPath>,
    violations: Vec<Violation>,
    /// Files and links that are now in the worktree.
    arrived: Vec<RelPath>,
    /// Folders that were made for them.
    made: BTreeSet<RelPath>,
    /// What lay in the place of what was brought over or removed.
    displaced: Displaced,
    /// All that was written or removed in the worktree.
    pub(crate) brought: BTreeSet<RelPath>,
    allowance: Allowance,
}

/// From where, to where, and what is known of it.
struct Way<'a> {
    layer: &'a Layer,
    root: &'a Folder,
    tracked: &'a Tracked,
    /// Where it is taken down what is brought over.
    arrivals: Option<&'a File>,
    aside: &'a Aside,
    /// When the files were last known to be what the index says.
    since: Option<SystemTime>,
}

impl Way<'_> {
    fn take_down(&self, path: &[u8]) -> io::Result<()> {
        self.arrivals.map_or(Ok(()), |mut file| file.write_all(&[path, b"\0"].concat()))
    }

    fn clear(&self) -> MakeWay<'_> {
        MakeWay { since: self.since, ..MakeWay::new(self.aside) }
    }
}

/// One level of a layer: its entries, and which of them git ignores.
pub(super) struct Level {
    pub(super) entries: Vec<Entry>,
    pub(super) ignored: BTreeSet<RelPath>,
}

impl Worktree {
    /// Brings over what was written in `up`. No process that writes there may be alive.
    pub(crate) fn carry(&mut self, up: &Path) -> Result<Carried, GitError> {
        let fail = || GitError::io("cannot bring the agent's files into the worktree");
        let Some(layer) = Layer::open(up).map_err(fail())? else {
            return Ok(Carried::default());
        };
        let base = self.known_tree()?;
        self.copies = Layer::brought(up);
        if self.copies.exists() {
            remove_all(&self.copies).map_err(fail())?;
        }
        let was_settled = self.is_settled();
        self.unsettle()?;
        let arrivals = self.take_down_arrivals(was_settled)?;
        let root = Folder::open(self.repo.root()).map_err(fail())?;
        let tracked = self.tracked()?;
        let (arrivals, since) = (arrivals.as_ref(), self.looked_at);
        let aside = self.aside.clone();
        let way =
            Way { layer: &layer, root: &root, tracked: &tracked, arrivals, aside: &aside, since };
        let mut carried = Carried::default();
        let (mut folders, mut visited) = (vec![RelPath::new()], Vec::new());
        while !folders.is_empty() {
            let mut level = self.level(&layer, &folders)?;
            visited.append(&mut folders);
            // Rules come first: they say what of the rest is ignored.
            let (rules, rest) = level.entries.into_iter().partition(|it| is_rule_file(&it.path));
            level.entries = rules;
            folders.extend(self.take_level(&level, &way, &mut carried)?);
            let ignored =
                if level.entries.is_empty() { level.ignored } else { self.ignored_of(&rest)? };
            let level = Level { entries: rest, ignored };
            folders.extend(self.take_level(&level, &way, &mut carried)?);
        }
        self.send_back_ignored(&way, &mut carried)?;
        if !carried.brought.is_empty() {
            // From this moment on, whoever writes to one of them is not ralph.
            way.take_down(b"").map_err(fail())?;
        }
        layer.tidy(&visited).map_err(fail())?;
        violations::remember(&self.truth, std::mem::take(&mut carried.violations))?;
        self.disturbed();
        let displaced = std::mem::take(&mut carried.displaced);
        let (note, both) = self.keep_displaced(displaced, &base)?.unzip();
        carried.notes.extend(note.map(|note| format!("the agent changed the same files: {note}")));
        self.both = both;
        if !carried.brought.is_empty() {
            self.laid_out = None;
            self.touched.extend(carried.brought.iter().cloned());
        } else if was_settled {
            self.settled()?;
        }
        carried.describe();
        for note in &mut carried.notes {
            *note = self.harmless(note).into_owned();
        }
        Ok(carried)
    }

    /// Takes over what is not ignored, and gives the folders that must be looked into.
    fn take_level(
        &self,
        level: &Level,
        way: &Way<'_>,
        carried: &mut Carried,
    ) -> Result<Vec<RelPath>, GitError> {
        let mut folders = Vec::new();
        for entry in &level.entries {
            let holds_tracked = way.tracked.within(&entry.path).next().is_some();
            if level.ignored.contains(&entry.path) && !holds_tracked {
                carried.ignored.insert(entry.path.clone());
                continue;
            }
            let what = || format!("cannot bring {} into the worktree", shown(&entry.path));
            if self.take(entry, way, carried).map_err(|error| GitError::io(what())(error))? {
                folders.push(entry.path.clone());
            }
        }
        Ok(folders)
    }

    /// A rule can ignore itself and what came before it: that is in no tree, so it must not be seen by gates either. It
    /// goes back to where it came from, or what it ignores would be carried the next time.
    fn send_back_ignored(&self, way: &Way<'_>, carried: &mut Carried) -> Result<(), GitError> {
        let fail = || GitError::io("cannot give ignored files back to the agent");
        let arrived: Vec<RelPath> = std::mem::take(&mut carried.arrived);
        let has_rules = arrived.iter().any(|path| is_rule_file(path));
        let asked: Vec<RelPath> = arrived.iter().map(|path| asked(path, b"")).collect();
        let ignored = if has_rules { self.ignored(&asked)? } else { BTreeSet::new() };
        for path in ignored {
            let place = on_disk(self.repo.root(), &path);
            way.layer.take_back(&path, &place).map_err(fail())?;
            carried.brought.remove(&path);
            carried.ignored.insert(path);
        }
        for folder in carried.made.iter().rev() {
            // One that holds something stays.
            let _ = fs::remove_dir(on_disk(self.repo.root(), folder));
        }
        Ok(())
    }

    pub(super) fn level(&self, layer: &Layer, folders: &[RelPath]) -> Result<Level, GitError> {
        let mut entries = Vec::new();
        for folder in folders {
            entries.extend(
                layer
                    .entries(folder)
                    .map_err(GitError::io(format!("cannot read {}", shown(folder))))?,
            );
        }
        let ignored = self.ignored_of(&entries)?;
        Ok(Level { entries, ignored })
    }

    fn ignored_of(&self, entries: &[Entry]) -> Result<BTreeSet<RelPath>, GitError> {
        let is_module =
            |path: &RelPath| self.record.submodules.iter().any(|one| is_within(path, one));
        let paths = entries.iter().filter(|entry| !is_module(&entry.path));
        let asked: Vec<RelPath> = paths
            .map(|entry| asked(&entry.path, if self.is_folder(entry) { b"/" } else { b"" }))
            .collect();
        if asked.is_empty() { Ok(BTreeSet::new()) } else { self.ignored(&asked) }
    }

    fn is_folder(&self, entry: &Entry) -> bool {
        let there = fs::symlink_metadata(on_disk(self.repo.root(), &entry.path));
        match entry.kind {
            // Git refuses to look behind a link that is still there.
            Kind::Folder { .. } => !there.is_ok_and(|there| there.is_symlink()),
            Kind::Gone => there.is_ok_and(|there| there.is_dir()),
            _ => false,
        }
    }

    fn ignored(&self, asked: &[RelPath]) -> Result<BTreeSet<RelPath>, GitError> {
        let call = self.repo.git.call(&["check-ignore", "-v", "-z", "--stdin"]).reads();
        let reply = call.index(self.index.file()).stdin(join_nul(asked)).found()?;
        let fields: Vec<&[u8]> = reply.stdout.split(|byte| *byte == 0).collect();
        // Where the rule is, its line, the rule, the path.
        let matched = fields.chunks_exact(4).filter(|four| is_meant(four[2], four[3]));
        let bare = |path: &[u8]| {
            let path = path.strip_prefix(b"./").unwrap_or(path);
            path.strip_suffix(b"/").unwrap_or(path).to_vec()
        };
        Ok(matched.map(|four| bare(four[3])).collect())
    }

    /// Brings one entry over; true for a folder that must be looked into.
    fn take(&self, entry: &Entry, way: &Way<'_>, carried: &mut Carried) -> io::Result<bool> {
        let (path, layer) = (entry.path.as_slice(), way.layer);
        if is_repository(path) {
            let folder = path.len().saturating_sub(b"/.git".len());
            let place = layer.set_aside(path)?;
            let folder = shown(&path[..folder]);
            carried
                .notes
                .push(format!("the repository in {folder} is kept as {}", place.display()));
            let path = self.harmless(&folder).into_owned();
            carried.violations.push(Violation::NestedRepository { path });
            return Ok(false);
        }
        if let Some(why) = carried.allowance.refuse(entry, layer, way.root)? {
            let place = layer.set_aside(path)?;
            let path = self.harmless(&shown(path)).into_owned();
            carried.notes.push(format!("{path} is {why}; it is kept as {}", place.display()));
            carried.violations.push(Violation::Unscanned { path, why: format!("it is {why}") });
            return Ok(false);
        }
        if way.tracked.is_unwatched(path)
            || self.record.submodules.iter().any(|module| is_within(path, module))
        {
            carried.left.insert(path.to_vec());
            return Ok(false);
        }
        let has_arrived = |place: &Path| layer.is_same(entry, place).unwrap_or(false);
        if self.untracked.holds(path) || self.is_yours(path, way.tracked, has_arrived) {
            return carried.leave(entry, layer);
        }
        match entry.kind {
            Kind::Folder { hides } => {
                self.make_way_for_folder(path, hides, way, carried)?;
                return Ok(true);
            }
            Kind::Gone => self.remove_tracked(path, way, carried)?,
            Kind::File | Kind::Link => {
                if !self.make_way_for_file(path, way, carried)? {
                    return carried.leave(entry, layer);
                }
                carried.made.extend(self.missing_folders(path));
                way.take_down(path)?;
                let mut clear = way.clear();
                if !has_arrived(&on_disk(self.repo.root(), path)) {
                    bring::write(entry, layer, way.root, &mut clear)?;
                }
                carried.displaced.append(&mut clear.displaced);
                carried.arrived.push(path.to_vec());
                carried.brought.insert(path.to_vec());
                return layer.keep(path).map(|()| false);
            }
            Kind::Other => drop(carried.left.insert(path.to_vec())),
        }
        layer.drop(path)?;
        Ok(false)
    }

    /// The folders of a path that are not there yet.
    fn missing_folders(&self, path: &[u8]) -> Vec<RelPath> {
        let is_missing = |it: &&[u8]| on_disk(self.repo.root(), it).symlink_metadata().is_err();
        folders_of(path).filter(is_missing).map(<[u8]>::to_vec).collect()
    }

    fn make_way_for_folder(
        &self,
        path: &[u8],
        hides: bool,
        way: &Way<'_>,
        carried: &mut Carried,
    ) -> io::Result<()> {
        match fs::symlink_metadata(on_disk(self.repo.root(), path)) {
            Ok(there) if there.is_dir() && !hides => Ok(()),
            Ok(_) => self.remove_tracked(path, way, carried),
            Err(_) => Ok(()),
        }
    }

    /// Empties a folder in the place of a file. False if something of the user's is left of it.
    fn make_way_for_file(
        &self,
        path: &[u8],
        way: &Way<'_>,
        carried: &mut Carried,
    ) -> io::Result<bool> {
        let place = on_disk(self.repo.root(), path);
        match fs::symlink_metadata(&place) {
            Ok(there) if there.is_dir() => {
                self.remove_tracked(path, way, carried)?;
                remove_hollow(&place);
                Ok(fs::symlink_metadata(&place).is_err())
            }
            _ => Ok(true),
        }
    }

    /// Removes what the run's tree has at or below a path; folders that are empty then go with it.
    fn remove_tracked(&self, path: &[u8], way: &Way<'_>, carried: &mut Carried) -> io::Result<()> {
        for path in way.tracked.within(path) {
            let (parent, name) = split(path);
            // Behind a link, or gone already: not there.
            let Ok(folder) = way.root.below(parent) else { continue };
            way.take_down(path)?;
            let mut clear = way.clear();
            clear.take_out(path, &folder.at(name))?;
            carried.displaced.append(&mut clear.displaced);
            carried.brought.insert(path.clone());
            let mut above = Some(parent).filter(|parent| !parent.as_os_str().is_empty());
            while let Some(folder) = above
                && fs::remove_dir(self.repo.root().join(folder)).is_ok()
            {
                above = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
            }
        }
        Ok(())
    }
}

/// Removes folders that hold nothing but folders.
fn remove_hollow(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_hollow(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}

impl Carried {
    /// What is the user's stays in the worktree as it is, and the agent sees it again.
    fn leave(&mut self, entry: &Entry, layer: &Layer) -> io::Result<bool> {
        self.yours.insert(entry.path.clone());
        match entry.kind {
            Kind::Folder { .. } => layer.drop_all(&entry.path)?,
            _ => layer.drop(&entry.path)?,
        }
        Ok(false)
    }

    fn describe(&mut self) {
        let mut note = |paths: &BTreeSet<RelPath>, what: &str| {
            if !paths.is_empty() {
                self.notes.push(format!("{what}: {}", named(paths, SAMPLE)));
            }
        };
        note(
            &self.yours,
            "the agent changed files of yours that are in no commit; yours are as they were",
        );
        note(&self.left, "changes that cannot be committed were left out");
    }
}

/// Whether a rule that git found means this path: not where it makes an exception, nor where it speaks of what is in
/// a folder and not of the folder itself.
fn is_meant(rule: &[u8], path: &[u8]) -> bool {
    let is_inside = path.ends_with(b"/") && (rule.ends_with(b"/*") || rule.ends_with(b"/**"));
    !rule.starts_with(b"!") && !is_inside
}

/// A path to ask git about: some names are patterns to it, and it takes for folders only what ends with a slash.
fn asked(path: &[u8], slash: &[u8]) -> RelPath {
    [b"./", path, slash].concat()
}

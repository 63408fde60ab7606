//! Secrets in commits and refs that an agent made itself: content, names, link targets, messages, authors, tags, notes.
//!
//! Every object is read as it is: attributes, merges or zero bytes hide nothing.

use std::collections::{BTreeMap, BTreeSet};

use ralph_core::{ids::CommitId, vocabulary::Violation};

use super::{
    diff::Changed,
    error::GitError,
    files::{RelPath, about_and_path, shown, split_nul, word},
    objects::each,
    screen::{Old, Screen},
    secrets::told,
    worktree::Worktree,
};

/// So many findings are told.
const TOLD: usize = 3;
/// So many tags may stand one behind the other.
const TAGS: usize = 10;
/// Most commits that are looked through.
const COMMITS: usize = 10_000;

/// What to look for, and where.
pub(crate) struct Search<'a> {
    pub(crate) screen: &'a Screen,
    /// What was there before.
    pub(crate) known: &'a [&'a str],
    /// What is new: commits, tags or anything else that a ref can stand at.
    pub(crate) new: &'a [&'a str],
}

/// What commits bring in.
#[derive(Debug, Default)]
struct Brought {
    commits: Vec<String>,
    /// New content, each with a path that has it.
    blobs: BTreeMap<String, RelPath>,
    /// Content that was there before.
    old: BTreeSet<String>,
    names: BTreeSet<RelPath>,
}

impl Worktree {
    /// What an agent's own commits brought in, wherever in them it stands.
    pub(crate) fn secrets_in_commits(
        &self,
        from: &CommitId,
        to: &CommitId,
    ) -> Result<Vec<Violation>, GitError> {
        let (known, new) = (&[from.as_str()], &[to.as_str()]);
        self.secrets_since(&Search { screen: self.repo.secrets(), known, new })
    }

    /// What is reachable from some objects and not from others. Tags are looked at too.
    pub(crate) fn secrets_since(&self, search: &Search<'_>) -> Result<Vec<Violation>, GitError> {
        let new = search.new.iter().map(|id| format!("{id}\n"));
        let asked: String = new.chain(search.known.iter().map(|id| format!("^{id}\n"))).collect();
        let call = self.repo.git.call(&["rev-list", "--stdin"]).reads();
        let out = call.stdin(asked.into_bytes()).ok()?;
        let commits: Vec<String> =
            String::from_utf8_lossy(&out).lines().map(str::to_owned).collect();
        if commits.len() > COMMITS {
            return Ok(vec![Violation::Unscanned {
                path: "its own commits".into(),
                why: format!("there are more than {COMMITS}"),
            }]);
        }
        let brought = self.brought(commits)?;
        // A first look without what was there before: most find nothing.
        let mut found = self.look_through(search, &brought, &Old::default())?;
        if !found.is_empty() {
            let old = self.old_of(search, &brought)?;
            found = self.look_through(search, &brought, &old)?;
        }
        found.truncate(TOLD);
        Ok(found)
    }

    /// What a list of commits changes, against each of their parents.
    fn brought(&self, commits: Vec<String>) -> Result<Brought, GitError> {
        let args =
            ["diff-tree", "--stdin", "-r", "-m", "--root", "-z", "--no-renames", "--no-commit-id"];
        let asked = commits.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        let out = self.repo.git.call(&args).reads().stdin(asked).ok()?;
        let mut brought = Brought { commits, ..Brought::default() };
        for changed in Changed::read(&out) {
            brought.old.insert(changed.old_id.clone());
            if changed.is_gone() {
                continue;
            }
            if !changed.is_repository() {
                brought.blobs.entry(changed.id.clone()).or_insert_with(|| changed.path.clone());
            }
            brought.names.insert(changed.path);
        }
        brought
            .old
            .retain(|id| !brought.blobs.contains_key(id) && id.bytes().any(|byte| byte != b'0'));
        Ok(brought)
    }

    fn look_through(
        &self,
        search: &Search<'_>,
        brought: &Brought,
        old: &Old,
    ) -> Result<Vec<Violation>, GitError> {
        let screen = search.screen;
        let own = |place: &str| format!("a commit of its own, {place}");
        let mut found = Vec::new();
        for name in &brought.names {
            let secrets = screen.in_words(name, name, &old.names);
            found.extend(told(&secrets, &own(&format!("the name of {}", screen.shown(name)))));
        }
        let blobs: Vec<&str> = brought.blobs.keys().map(String::as_str).collect();
        let unread = each(&self.repo.git, &blobs, &mut |object| {
            let path = brought.blobs.get(&shown(object.id)).map(Vec::as_slice).unwrap_or_default();
            let look = screen.look(path, object.bytes, &old.content);
            let place = own(&screen.shown(path));
            // Lines of what is in a commit help nobody to find it in the worktree.
            let told = told(&look.secrets, &place).into_iter().map(without_line);
            found.extend(told);
            let unread = look.unread.filter(|_| look.secrets.is_empty() && screen.must_read(path));
            found.extend(unread.map(|why| Violation::Unscanned { path: place, why }));
        })?;
        let is_missed =
            |id: &&String| brought.blobs.get(*id).is_some_and(|path| screen.must_read(path));
        for id in unread.iter().filter(is_missed) {
            let path = brought.blobs.get(id).map(Vec::as_slice).unwrap_or_default();
            let why = "it is too large".into();
            found.push(Violation::Unscanned { path: own(&screen.shown(path)), why });
        }
        let messages: Vec<&str> = brought.commits.iter().map(String::as_str).collect();
        each(&self.repo.git, &messages, &mut |object| {
            let secrets = screen.in_words(b"", object.bytes, &old.content);
            found.extend(told(&secrets, &own("its message or author")));
        })?;
        found.extend(self.look_at_tips(search, &old.content)?);
        Ok(found)
    }

    /// What refs stand at that is no commit: tags, of tags too, and single files and folders.
    fn look_at_tips(&self, search: &Search<'_>, old: &[u8]) -> Result<Vec<Violation>, GitError> {
        let (screen, refs) = (search.screen, search.new);
        let (mut found, mut tips) =
            (Vec::new(), refs.iter().map(ToString::to_string).collect::<Vec<_>>());
        for _ in 0..TAGS {
            let ids: Vec<&str> = tips.iter().map(String::as_str).collect();
            let (mut next, mut trees) = (Vec::new(), Vec::new());
            let unread = each(&self.repo.git, &ids, &mut |object| match object.kind {
                b"tag" => {
                    let secrets = screen.in_words(b"", object.bytes, old);
                    found.extend(told(&secrets, "a tag of its own"));
                    let first =
                        object.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    next.extend(first.strip_prefix(b"object ").map(shown));
                }
                b"tree" => trees.push(shown(object.id)),
                b"blob" => {
                    let secrets = screen.look(b"", object.bytes, old).secrets;
                    found.extend(told(&secrets, "a file that a ref of its own names"));
                }
                _ => {}
            })?;
            let why = || "it is too large".to_owned();
            found
                .extend(unread.into_iter().map(|id| Violation::Unscanned { path: id, why: why() }));
            for tree in trees {
                let call = self.repo.git.call(&["ls-tree", "-r", "-z", &tree]).reads();
                for line in split_nul(&call.ok()?) {
                    let Some((about, name)) = about_and_path(line) else { continue };
                    let place = "a folder that a ref of its own names";
                    found.extend(told(&screen.in_words(b"", name, old), place));
                    next.extend(word(about, 2).map(shown));
                }
            }
            if next.is_empty() {
                return Ok(found);
            }
            tips = next;
        }
        let why = format!("more than {TAGS} tags stand one behind the other");
        found.push(Violation::Unscanned { path: "a tag of its own".into(), why });
        Ok(found)
    }

    fn old_of(&self, search: &Search<'_>, brought: &Brought) -> Result<Old, GitError> {
        let old: Vec<&str> = brought.old.iter().map(String::as_str).collect();
        let mut known = Old::default();
        each(&self.repo.git, &old, &mut |object| known.add(object.bytes))?;
        if let Some(first) = search.known.first() {
            let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", first];
            known.names = self.repo.git.call(&args).reads().run()?.stdout;
        }
        Ok(known)
    }
}

fn without_line(violation: Violation) -> Violation {
    match violation {
        Violation::Secret { path, kind, .. } => Violation::Secret { path, line: 0, kind },
        other => other,
    }
}

//! What a captured tree would change that needs a second look: the facts about each path, from the diff of two trees.

use std::{fs, io::Read as _, os::unix::ffi::OsStringExt as _, path::Path};

use ralph_core::{
    effect::CaptureTree,
    gates::protect::{Change, Content, Exposure, Rules, Touched, exposures, leads_out},
    ids::TreeId,
    input::Captured,
    vocabulary::Violation,
};

use super::{
    diff::{Changed, diff},
    error::GitError,
    files::{is_ralphs, on_disk, shown, split_nul},
    index::stamp,
    secrets::Unscanned,
    worktree::Worktree,
};

/// Bytes of a file that tell what it is.
const HEAD: u64 = 16;

/// So many files that nobody could look into are listed.
const UNSCANNED: usize = 50;

/// So many links that lead out are named.
const MAX_LINKS: usize = 20;

/// What the core needs to know of it.
enum Fact {
    Gone,
    File { is_executable: bool, begins: Vec<u8> },
    Link { target: String },
    Repository,
}

impl Worktree {
    /// Lists what needs a second look. Against the branch, not the checkpoint: repaired work began earlier.
    pub(crate) fn list_touched(
        &mut self,
        request: &CaptureTree,
        tree: &TreeId,
        unscanned: &Unscanned,
        captured: &mut Captured,
    ) -> Result<(), GitError> {
        let head = self.tree_of(&request.head)?;
        if head == *tree {
            return Ok(());
        }
        let differing = diff(&self.repo.git, head.as_str(), tree.as_str())?;
        let hooks = self.hooks_folder()?;
        let differing = differing.iter().filter(|it| !is_ralphs(&it.path));
        let facts: Vec<(String, Fact)> =
            differing.map(|it| (shown(&it.path), fact(self.repo.root(), it))).collect();
        let changes = facts.iter().map(|(path, fact)| Change { path, content: fact.content() });
        let links = facts.iter().filter_map(|(path, fact)| match fact {
            Fact::Link { target } if leads_out(path, target) => {
                Some(Violation::LinkOutside { path: path.clone(), target: target.clone() })
            }
            _ => None,
        });
        captured.violations.extend(links.take(MAX_LINKS));
        let rules = Rules { protect: &request.protect, hooks: hooks.as_deref() };
        let mut found = exposures(changes, &rules);
        let missed = facts.iter().filter_map(|(path, fact)| {
            let why = unscanned.get(path).filter(|_| !matches!(fact, Fact::Gone))?.clone();
            Some(Touched { path: path.clone(), exposure: Exposure::Unscanned { why } })
        });
        let mut missed: Vec<Touched> = missed.collect();
        found.left_out += missed.len().saturating_sub(UNSCANNED) as u64;
        missed.truncate(UNSCANNED);
        found.touched.extend(missed);
        found.touched.sort();
        (captured.touched, captured.touched_left_out) = (found.touched, found.left_out);
        Ok(())
    }

    /// The folder in the worktree that git takes hooks from, if the user's settings name one. Asked again only when
    /// the repository's settings changed.
    fn hooks_folder(&mut self) -> Result<Option<String>, GitError> {
        let now = stamp(&self.repo.common_dir().join("config"));
        if let Some((then, folder)) = &self.hooks
            && *then == now
        {
            return Ok(folder.clone());
        }
        let call =
            self.repo.git.call(&["config", "--show-scope", "-z", "--get-all", "core.hooksPath"]);
        let reply = call.reads().run()?;
        let parts: Vec<&[u8]> = split_nul(&reply.stdout).collect();
        // What the call itself sets is of scope `command`.
        let own = parts.chunks_exact(2).rfind(|pair| pair[0] != b"command");
        let folder = own.and_then(|pair| {
            let path = shown(pair[1]);
            let inside = Path::new(&path).strip_prefix(self.repo.root()).ok();
            let path = inside.map_or(path.clone(), |inside| inside.to_string_lossy().into_owned());
            let path = path.trim_start_matches("./").trim_end_matches('/').to_owned();
            (!path.is_empty() && !path.starts_with('/')).then_some(path)
        });
        self.hooks = Some((now, folder.clone()));
        Ok(folder)
    }
}

impl Fact {
    fn content(&self) -> Content<'_> {
        match self {
            Self::Gone => Content::Gone,
            Self::File { is_executable, begins } => {
                Content::File { is_executable: *is_executable, begins }
            }
            Self::Link { target } => Content::Link { target },
            Self::Repository => Content::Repository,
        }
    }
}

/// What the worktree, which holds the new tree, has at a path. What cannot be read counts as a program.
fn fact(root: &Path, changed: &Changed) -> Fact {
    let place = on_disk(root, &changed.path);
    match changed.mode.as_str() {
        _ if changed.is_gone() => Fact::Gone,
        _ if changed.is_repository() => Fact::Repository,
        "120000" => {
            let target = fs::read_link(&place).map(|target| target.into_os_string().into_vec());
            Fact::Link { target: target.map_or_else(|_| "/".into(), |target| shown(&target)) }
        }
        "100755" => Fact::File { is_executable: true, begins: Vec::new() },
        _ => {
            beginning(&place)
                .map_or(Fact::File { is_executable: true, begins: Vec::new() }, |begins| {
                    Fact::File { is_executable: false, begins }
                })
        }
    }
}

fn beginning(place: &Path) -> Option<Vec<u8>> {
    let about = fs::symlink_metadata(place).ok().filter(fs::Metadata::is_file)?;
    let mut begins = Vec::new();
    if about.len() > 0 {
        fs::File::open(place).ok()?.take(HEAD).read_to_end(&mut begins).ok()?;
    }
    Some(begins)
}

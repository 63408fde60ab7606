//! The search path of programs that are started outside every box: nothing on it leads to where agents write. A script
//! finds its interpreter there, whoever has looked at the script itself.

use std::{
    collections::{HashMap, VecDeque},
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

/// Folders and links on the way to a path; more is a circle of links, or meant to look like none.
const MOST_STEPS: usize = 400;

/// The folders of a search path that are named from the root, do not lie in a folder of agents', and hold no link into
/// one.
pub fn outside(path: &OsStr, agents: &[PathBuf]) -> OsString {
    let mut ways = Ways::avoiding(agents, &[]);
    let mut is_clean = |folder: &PathBuf| {
        folder.is_absolute() && !ways.lead_to_agents(folder) && !ways.any_link_leads_there(folder)
    };
    std::env::join_paths(std::env::split_paths(path).filter(|folder| is_clean(folder)))
        .unwrap_or_default()
}

/// Whether the way to a path leads through these folders, links included, and not only into an `own` one among them.
pub(crate) fn leads_through(path: &Path, folders: &[PathBuf], own: &[PathBuf]) -> bool {
    Ways::avoiding(folders, own).lead_to_agents(path)
}

/// Ways through the file system, as links lead. A folder of programs has hundreds, and most begin alike.
struct Ways {
    folders: Vec<PathBuf>,
    own: Vec<PathBuf>,
    /// Where each place leads that was passed: `None` for what is no link.
    known: HashMap<PathBuf, Option<PathBuf>>,
}

impl Ways {
    fn avoiding(folders: &[PathBuf], own: &[PathBuf]) -> Self {
        let all_real = |folders: &[PathBuf]| folders.iter().map(|one| real(one)).collect();
        Self { folders: all_real(folders), own: all_real(own), known: HashMap::new() }
    }

    fn any_link_leads_there(&mut self, folder: &Path) -> bool {
        let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.any(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_symlink())
                && self.lead_to_agents(&entry.path())
        })
    }

    /// Whether an agent decides where the way leads from this step.
    fn is_agents(&self, at: &Path, has_more: bool) -> bool {
        // Agents can replace neither their folder itself nor the way from it to an own one.
        let is_pinned = |folder: &&PathBuf| {
            at == *folder
                || self.own.iter().any(|own| own.starts_with(folder) && own.starts_with(at))
        };
        let mut holding = self.folders.iter().filter(|folder| at.starts_with(folder));
        !self.own.iter().any(|own| at.starts_with(own))
            && holding.any(|folder| !has_more || !is_pinned(&folder))
    }

    fn lead_to_agents(&mut self, path: &Path) -> bool {
        let (mut ahead, mut at) = (VecDeque::from_iter(parts(path)), PathBuf::from("/"));
        for _ in 0..MOST_STEPS {
            let Some(part) = ahead.pop_front() else { return false };
            if part == ".." {
                at.pop();
                continue;
            }
            at.push(part);
            if self.is_agents(&at, !ahead.is_empty()) {
                return true;
            }
            if !self.known.contains_key(&at) {
                self.known.insert(at.clone(), fs::read_link(&at).ok());
            }
            if let Some(target) = self.known.get(&at).and_then(Option::as_ref) {
                at.pop();
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                parts(target).into_iter().rev().for_each(|part| ahead.push_front(part));
            }
        }
        true
    }
}

fn parts(path: &Path) -> Vec<OsString> {
    let named = |part: Component<'_>| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        _ => None,
    };
    path.components().filter_map(named).collect()
}

/// A path without links, as far as it is there.
pub(crate) fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, known)| known.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_that_lead_to_what_agents_write_are_left_out() -> std::io::Result<()> {
        let base = tempfile::tempdir()?;
        let base = base.path().canonicalize()?;
        let folder = |name: &str| base.join(name);
        for name in ["clean", "to-a-file", "to-nothing", "chained", "through", "repo/tools"] {
            fs::create_dir_all(folder(name))?;
        }
        fs::write(folder("repo/tools/node"), "")?;
        symlink("/usr/bin/env", folder("clean/env"))?;
        symlink(folder("repo/tools/node"), folder("to-a-file/node"))?;
        symlink("../repo/new/node", folder("to-nothing/node"))?;
        symlink(folder("to-a-file/node"), folder("chained/node"))?;
        symlink(folder("repo/tools"), folder("linked"))?;
        symlink("/usr/bin/env", folder("repo/tools/env"))?;
        symlink(folder("repo/tools/env"), folder("hop"))?;
        symlink(folder("hop"), folder("through/env"))?;
        symlink(folder("circle"), folder("circle"))?;
        assert!(
            leads_through(&folder("circle"), &[folder("repo")], &[]),
            "nobody knows where it leads"
        );
        let names = [
            "clean",
            "to-a-file",
            "to-nothing",
            "chained",
            "through",
            "repo/tools",
            "linked",
            "gone",
        ];
        let path = std::env::join_paths(names.map(folder).into_iter().chain(["bin".into()]));
        let path = outside(&path.unwrap_or_default(), &[folder("repo")]);
        let left: Vec<PathBuf> = std::env::split_paths(&path).collect();
        assert_eq!(left, [folder("clean"), folder("gone")]);
        Ok(())
    }
}

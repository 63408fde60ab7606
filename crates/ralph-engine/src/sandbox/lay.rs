//! Which mounts bubblewrap makes and which the stage lays before it, by descriptor.
//!
//! Bubblewrap follows links in the paths it mounts on. So it is only given places in folders that it makes itself;
//! whatever is mounted below a folder that comes from the machine, where somebody could have put a link, is laid.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::profile::Mount;

/// A place in a folder of the machine. The way from `root` on is walked without following links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spot {
    pub(super) root: PathBuf,
    /// Empty for the folder itself.
    pub(super) below: PathBuf,
}

impl Spot {
    /// The folder that it is in.
    pub(super) fn folder(&self) -> Self {
        match (self.below.parent(), self.root.parent()) {
            (Some(below), _) => Self { root: self.root.clone(), below: below.to_owned() },
            (None, Some(root)) => Self { root: root.to_owned(), below: PathBuf::new() },
            (None, None) => self.clone(),
        }
    }

    /// Its name there.
    pub(super) fn name(&self) -> Option<&OsStr> {
        self.below.file_name().or_else(|| self.root.file_name())
    }
}

/// One mount that the stage makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Laid {
    Shown {
        from: Spot,
        at: Spot,
    },
    Lent {
        from: Spot,
        at: Spot,
    },
    Empty {
        at: Spot,
    },
    Link {
        to: PathBuf,
        at: Spot,
    },
    Layered {
        below: Vec<PathBuf>,
        above: PathBuf,
        at: Spot,
        spare: bool,
    },
    /// A folder seen through a layer that adds nothing: the kernel connects to no socket behind it.
    Veiled {
        from: Spot,
        at: Spot,
        nothing: PathBuf,
    },
}

/// The mounts of one box, by who makes them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Split<'a> {
    pub(super) laid: Vec<Laid>,
    pub(super) rest: Vec<&'a Mount>,
}

/// Splits the mounts; both lists keep their order. Folders that are shown get the veil, if there is one.
pub(super) fn split<'a>(mounts: &'a [Mount], veil: Option<&Path>) -> Split<'a> {
    let mut split = Split::default();
    let itself = |path: &Path| Spot { root: path.to_owned(), below: PathBuf::new() };
    for (number, mount) in mounts.iter().enumerate() {
        if let Some(at) = spot(&mounts[..number], mount.at()) {
            split.laid.push(veiled(laid(mounts, mount, at), veil));
            continue;
        }
        // Laid over the folder itself, which nobody else sees; bubblewrap then takes it from there.
        match mount {
            Mount::Layered { below, .. } => {
                let root = below.last().cloned().unwrap_or_default();
                split.laid.push(laid(mounts, mount, itself(&root)));
            }
            Mount::Shown { from, .. } if veil.is_some() && from.is_dir() => {
                let shown = Laid::Shown { from: itself(from), at: itself(from) };
                split.laid.push(veiled(shown, veil));
            }
            // What is to be written must not be taken from behind a veil.
            Mount::Lent { from, .. } if veil.is_some() => {
                split.laid.push(Laid::Lent { from: itself(from), at: itself(from) });
            }
            _ => {}
        }
        split.rest.push(mount);
    }
    split
}

/// A folder that is shown, behind the veil.
fn veiled(laid: Laid, veil: Option<&Path>) -> Laid {
    match (laid, veil) {
        (Laid::Shown { from, at }, Some(nothing)) if from.root.join(&from.below).is_dir() => {
            Laid::Veiled { from, at, nothing: nothing.to_owned() }
        }
        (laid, _) => laid,
    }
}

/// Where on the machine a place of the box is, if it lies below something of the machine that can be written.
fn spot(earlier: &[Mount], at: &Path) -> Option<Spot> {
    let is_above = |mount: &&Mount| at.starts_with(mount.at());
    let (number, above) = earlier.iter().enumerate().rev().find(|(_, mount)| is_above(mount))?;
    let below = at.strip_prefix(above.at()).unwrap_or(at);
    if let Some(found) = spot(&earlier[..number], above.at()) {
        return Some(Spot { below: found.below.join(below), ..found });
    }
    match above {
        Mount::Lent { .. } | Mount::Layered { .. } if !below.as_os_str().is_empty() => {
            Some(Spot { root: above.source()?.clone(), below: below.to_owned() })
        }
        _ => None,
    }
}

fn laid(mounts: &[Mount], mount: &Mount, at: Spot) -> Laid {
    match mount.clone() {
        Mount::Shown { from, .. } => Laid::Shown { from: source(mounts, &from), at },
        Mount::Lent { from, .. } => Laid::Lent { from: source(mounts, &from), at },
        Mount::Empty { .. } => Laid::Empty { at },
        Mount::Link { to, .. } => Laid::Link { to, at },
        Mount::Layered { below, above, spare, .. } => Laid::Layered { below, above, at, spare },
    }
}

/// A path of the machine; from a folder on that can be written in the box, links are not followed.
fn source(mounts: &[Mount], from: &Path) -> Spot {
    let writable = mounts.iter().filter_map(|mount| match mount {
        Mount::Lent { from, .. } => Some(from),
        Mount::Layered { below, .. } => below.last(),
        _ => None,
    });
    let above = writable.filter(|root| from != root.as_path() && from.starts_with(root)).max();
    let root = above.map_or(from, PathBuf::as_path);
    let below = from.strip_prefix(root).unwrap_or(from).to_owned();
    Spot { root: root.to_owned(), below }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent(from: &str, at: &str) -> Mount {
        Mount::Lent { from: from.into(), at: at.into() }
    }

    fn at(root: &str, below: &str) -> Spot {
        Spot { root: root.into(), below: below.into() }
    }

    #[test]
    fn bubblewrap_mounts_only_in_folders_that_it_makes_itself() {
        let mounts = [
            Mount::shown("/usr"),
            Mount::Empty { at: "/tmp".into() },
            lent("/state/home", "/home/ann"),
            Mount::shown("/home/ann/.rustup"),
            lent("/home/ann/work", "/home/ann/work"),
            Mount::shown("/home/ann/work/.git"),
            Mount::shown("/tmp/x"),
            Mount::Empty { at: "/home/ann/work/.git/hidden".into() },
        ];
        let split = split(&mounts, None);
        let rest: Vec<&Path> = split.rest.iter().map(|mount| mount.at().as_path()).collect();
        assert_eq!(rest, ["/usr", "/tmp", "/home/ann", "/tmp/x"].map(Path::new));
        assert_eq!(
            split.laid,
            [
                Laid::Shown { from: at("/home/ann/.rustup", ""), at: at("/state/home", ".rustup") },
                Laid::Lent { from: at("/home/ann/work", ""), at: at("/state/home", "work") },
                Laid::Shown {
                    from: at("/home/ann/work", ".git"),
                    at: at("/state/home", "work/.git")
                },
                Laid::Empty { at: at("/state/home", "work/.git/hidden") },
            ]
        );
    }

    #[test]
    fn layers_without_anything_of_the_machine_above_cover_their_lowest_folder() {
        let layered = Mount::Layered {
            below: vec!["/base".into(), "/home/ann/work".into()],
            above: "/state/top".into(),
            at: "/home/ann/work".into(),
            spare: false,
        };
        let mounts =
            [Mount::Empty { at: "/home/ann".into() }, layered, Mount::shown("/home/ann/work/.git")];
        let split = split(&mounts, None);
        assert_eq!(split.rest, [&mounts[0], &mounts[1]]);
        let spots: Vec<&Spot> = split
            .laid
            .iter()
            .map(|one| match one {
                Laid::Layered { at, .. } | Laid::Shown { at, .. } => at,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(spots, [&at("/home/ann/work", ""), &at("/home/ann/work", ".git")]);
    }
}

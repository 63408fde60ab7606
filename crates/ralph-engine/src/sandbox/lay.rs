//! How the root of a box is put together: every mount of a profile, as the stage lays it by descriptor.
//!
//! Bubblewrap follows links in the paths it mounts on, where somebody could have put one, and looks through all mounts
//! again after each. So it is given one root in which everything is in its place already.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::profile::{Mount, RALPH_INSIDE};

/// Where the root is put together, in a namespace in which nobody else sees it.
pub(super) const ROOT: &str = "/tmp";

/// So many links may lead from one to the next.
const LINKS: usize = 8;

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

/// One mount of the box, at its place below the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Laid {
    Shown {
        from: Spot,
        at: PathBuf,
    },
    Lent {
        from: Spot,
        at: PathBuf,
    },
    Empty {
        at: PathBuf,
    },
    Link {
        to: PathBuf,
        at: PathBuf,
    },
    Layered {
        below: Vec<PathBuf>,
        above: PathBuf,
        at: PathBuf,
        spare: bool,
    },
    /// A folder seen through a layer that adds nothing: the kernel connects to no socket behind it.
    Veiled {
        from: Spot,
        at: PathBuf,
        nothing: PathBuf,
    },
    /// The program that runs now, whatever has come into the place of its file since.
    Ourselves {
        at: PathBuf,
    },
}

/// All of them, in their order, the root itself first. Folders that are shown get the veil, if there is one.
pub(super) fn all(mounts: &[Mount], veil: Option<&Path>) -> Vec<Laid> {
    let root = Laid::Empty { at: PathBuf::new() };
    let laid = mounts.iter().map(|mount| veiled(laid(mounts, mount), veil));
    [root].into_iter().chain(laid).collect()
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

fn laid(mounts: &[Mount], mount: &Mount) -> Laid {
    let at = place(mounts, mount.at());
    match mount.clone() {
        Mount::Shown { at: inside, .. } if inside == Path::new(RALPH_INSIDE) => {
            Laid::Ourselves { at }
        }
        Mount::Shown { from, .. } => Laid::Shown { from: source(mounts, &from), at },
        Mount::Lent { from, .. } => Laid::Lent { from: source(mounts, &from), at },
        Mount::Empty { .. } => Laid::Empty { at },
        Mount::Link { to, .. } => Laid::Link { to, at },
        Mount::Layered { below, above, spare, .. } => Laid::Layered { below, above, at, spare },
    }
}

/// A place of the box, from its root on, and not behind one of the box's own links.
fn place(mounts: &[Mount], at: &Path) -> PathBuf {
    let mut at = at.to_owned();
    for _ in 0..LINKS {
        let led = mounts.iter().find_map(|mount| match mount {
            Mount::Link { to, at: link } if at != *link => {
                let below = at.strip_prefix(link).ok()?;
                Some(link.parent().unwrap_or(Path::new("/")).join(to).join(below))
            }
            _ => None,
        });
        let Some(led) = led else { break };
        at = led;
    }
    at.strip_prefix("/").map_or(at.clone(), Path::to_owned)
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

    fn at(root: &str, below: &str) -> Spot {
        Spot { root: root.into(), below: below.into() }
    }

    #[test]
    fn everything_has_its_place_below_the_root_and_nothing_writable_is_followed() {
        let mounts = [
            Mount::shown("/usr"),
            Mount::Link { to: "usr/lib".into(), at: "/lib".into() },
            Mount::shown("/lib/jvm"),
            Mount::Lent { from: "/state/home".into(), at: "/home/ann".into() },
            Mount::lent("/home/ann/work"),
            Mount::shown("/home/ann/work/.git"),
            Mount::Empty { at: "/home/ann/work/.git/hidden".into() },
            Mount::Shown { from: "/bin/ralph".into(), at: RALPH_INSIDE.into() },
        ];
        assert_eq!(
            all(&mounts, None),
            [
                Laid::Empty { at: "".into() },
                Laid::Shown { from: at("/usr", ""), at: "usr".into() },
                Laid::Link { to: "usr/lib".into(), at: "lib".into() },
                Laid::Shown { from: at("/lib/jvm", ""), at: "usr/lib/jvm".into() },
                Laid::Lent { from: at("/state/home", ""), at: "home/ann".into() },
                Laid::Lent { from: at("/home/ann/work", ""), at: "home/ann/work".into() },
                Laid::Shown { from: at("/home/ann/work", ".git"), at: "home/ann/work/.git".into() },
                Laid::Empty { at: "home/ann/work/.git/hidden".into() },
                Laid::Ourselves { at: "run/ralph/ralph".into() },
            ]
        );
    }

    #[test]
    fn a_folder_that_is_shown_gets_the_veil() {
        let laid = all(&[Mount::shown("/usr"), Mount::lent("/tmp")], Some(Path::new("/nothing")));
        let veiled =
            Laid::Veiled { from: at("/usr", ""), at: "usr".into(), nothing: "/nothing".into() };
        assert_eq!(laid[1], veiled);
        assert_eq!(laid[2], Laid::Lent { from: at("/tmp", ""), at: "tmp".into() });
    }
}

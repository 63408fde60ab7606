//! Repositories by path: whoever submits a loop names its repository, and a path names one on the worker's own disk. A
//! worker opens only those that its operator offers, and none of its own. Must be asked about every address, after it
//! was rewritten.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::address::path_of;

/// Why a host does not open this address, if it does not.
pub(super) fn refuses(url: &str, offered: &[PathBuf], root: &Path) -> Option<String> {
    let path = path_of(url)?;
    let is_clear = path.starts_with('/') && !(url.contains("://") && path.contains('%'));
    // As it is and without a link: git must find there what was looked at here.
    let real = fs::canonicalize(path).ok().filter(|real| is_clear && real == Path::new(path));
    let is_offered = |real: &PathBuf| {
        let whole = |folder: &Path| fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let offers = |folder: &PathBuf| {
            let folder = whole(folder);
            real.starts_with(&folder) && is_nobodys_content(real, &folder)
        };
        offered.iter().any(offers) && !real.starts_with(whole(root))
    };
    let Some(real) = real.filter(is_offered) else {
        return Some(format!(
            "{url} is a path that this worker does not offer; its operator can offer it with --local DIR"
        ));
    };
    let why = "is a path, but not to a self-contained bare repository; name another address";
    (!is_bare(&real)).then(|| format!("{url} {why}"))
}

/// Whether no folder between it and the one that is offered is a repository, whose authors wrote what lies there.
fn is_nobodys_content(real: &Path, offered: &Path) -> bool {
    let mut between = real.ancestors().skip(1).take_while(|folder| *folder != offered);
    between.all(|folder| !folder.join(".git").exists() && !is_git_dir(folder))
}

/// A bare repository of its own, which borrows from no other: git follows `.git` files and alternates.
fn is_bare(real: &Path) -> bool {
    let leads_away = [".git", "commondir", "gitdir", "objects/info/alternates"];
    let is_there = |name: &str| fs::symlink_metadata(real.join(name)).is_ok();
    is_git_dir(real) && !leads_away.into_iter().any(is_there)
}

fn is_git_dir(folder: &Path) -> bool {
    let kind = |name: &str| fs::symlink_metadata(folder.join(name)).map(|known| known.file_type());
    kind("HEAD").is_ok_and(|kind| kind.is_file())
        && ["objects", "refs"].iter().all(|name| kind(name).is_ok_and(|kind| kind.is_dir()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_offered_is_opened_and_nothing_of_the_host_itself() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let bare = |name: &str| {
            fs::create_dir_all(at(name).join("objects/info"))?;
            fs::create_dir_all(at(name).join("refs"))?;
            fs::write(at(name).join("HEAD"), "ref: refs/heads/main")
        };
        let all = ["srv/app.git", "srv/fleet/mirrors/x.git", "home/app.git", "srv/a/vendor/b.git"];
        all.into_iter().try_for_each(bare)?;
        fs::create_dir_all(at("srv/a/.git"))?;
        ["srv/common", "srv/borrows", "srv/twice"].into_iter().try_for_each(bare)?;
        fs::write(at("srv/common/commondir"), "/home/app.git")?;
        fs::write(at("srv/borrows/objects/info/alternates"), "/home/app.git/objects")?;
        fs::write(at("srv/twice/.git"), "gitdir: /home/app.git")?;
        std::os::unix::fs::symlink(at("home"), at("srv/link"))?;
        let offered = [at("srv")];
        let refused = |url: &str| refuses(url, &offered, &at("srv/fleet")).is_some();
        let text = |name: &str| at(name).display().to_string();
        assert!(!refused(&text("srv/app.git")) && !refused("https://host/a.git"));
        assert!(!refused(&format!("file://{}", text("srv/app.git"))));
        for name in ["home/app.git", "srv/link/app.git", "srv/../home/app.git", "srv/nowhere"] {
            assert!(refused(&text(name)), "{name}");
        }
        for name in ["srv/a/vendor/b.git", "srv/a", "srv/common", "srv/borrows", "srv/twice"] {
            assert!(refused(&text(name)), "{name}");
        }
        assert!(refused(&text("srv/fleet/mirrors/x.git")), "another loop's mirror");
        assert!(refused("app.git") && refused(&format!("file://host{}", text("srv/app.git"))));
        assert!(refused(&format!("file://{}", text("srv/%61pp.git"))), "git reads it as app.git");
        assert!(refuses(&text("srv/app.git"), &[], &at("srv/fleet")).is_some());
        Ok(())
    }
}

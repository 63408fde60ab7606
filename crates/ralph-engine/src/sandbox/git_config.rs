//! A repository's own settings as they are seen in a box: without the logins that people and build servers keep there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ralph_core::fingerprint::digest;

use super::profile::Mount;

/// Names of the files of settings in a git folder.
const FILES: [&str; 2] = ["config", "config.worktree"];
/// Folders in it that hold git folders of submodules and linked worktrees.
const BELOW: [&str; 2] = ["modules", "worktrees"];
/// So deep are those looked for.
const DEPTH: usize = 8;
/// Parts of the names of settings whose values are logins.
const LOGINS: [&str; 4] = ["extraheader", "pass", "token", "secret"];
/// What the copies are called.
const NAME: &str = "git-config-";

/// For each file of settings with logins below these git folders: a copy without, to be shown in its place.
pub(super) fn mounts(folders: &[PathBuf], own: &Path) -> Vec<Mount> {
    let mut files = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        find(folder, DEPTH, &mut files);
    }
    files.sort();
    files.dedup();
    let mask = |at: PathBuf| {
        without_logins(&fs::read_to_string(&at).ok()?)?;
        let name = digest(&[at.as_os_str().as_encoded_bytes()]);
        Some(Mount::Shown { from: own.join(format!("{NAME}{}", &name[..16])), at })
    };
    files.into_iter().filter_map(mask).collect()
}

/// Writes the copies.
pub(super) fn make(mounts: &[Mount], own: &Path) -> io::Result<()> {
    let is_copy = |from: &Path| {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        from.parent() == Some(own) && name.starts_with(NAME)
    };
    for mount in mounts {
        if let Mount::Shown { from, at } = mount
            && is_copy(from)
        {
            let text = fs::read_to_string(at)?;
            fs::write(from, without_logins(&text).unwrap_or(text))?;
        }
    }
    Ok(())
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    files.extend(FILES.map(|name| folder.join(name)).into_iter().filter(|file| file.is_file()));
    let below = BELOW.map(|name| folder.join(name));
    let entries = below.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    for entry in entries.filter(|_| depth > 0) {
        // A submodule's name may have slashes in it.
        let inner = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        for path in inner.map(|inner| inner.path()).chain([entry.path()]).filter(|it| it.is_dir()) {
            find(&path, depth - 1, files);
        }
    }
}

/// The text without logins; `None` if there are none in it.
fn without_logins(text: &str) -> Option<String> {
    let mut clean = String::with_capacity(text.len());
    let (mut goes_on, mut drops) = (false, false);
    for line in text.split_inclusive('\n') {
        drops = if goes_on { drops } else { is_login(line) };
        goes_on = line.trim_end_matches(['\n', '\r']).ends_with('\\');
        if !drops {
            clean.push_str(&without_users(line));
        }
    }
    (clean != text).then_some(clean)
}

/// Whether a line sets something that is a login.
fn is_login(line: &str) -> bool {
    let line = line.trim_start();
    // A section and a setting may share a line.
    let setting = if line.starts_with('[') { line.rsplit(']').next().unwrap_or("") } else { line };
    let name = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    LOGINS.iter().any(|part| name.contains(part))
}

/// Addresses without the user, and so without a password or a token. The user of a shell is none.
fn without_users(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let end = after.find(['/', '"', ' ', '\t', '\n', '\r', '?', '#']).unwrap_or(after.len());
        let (authority, behind) = after.split_at(end);
        match authority.rsplit_once('@') {
            Some((user, _)) if before.ends_with("ssh") && !user.contains(':') => {
                clean.push_str(authority);
            }
            Some((_, host)) => clean.push_str(host),
            None => clean.push_str(authority),
        }
        rest = behind;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_leave_and_everything_else_stays() {
        let text = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://me:tok@host.example/a.git\n\
            \turl = ssh://git@host.example/a\n\turl = git@host.example:a\n[http \"https://host.example/\"]\n\
            \textraheader = AUTHORIZATION: \\\nbasic abc\n\tproxy = http://me:pw@proxy.example:80\n\
            [url \"https://x-access-token:tok@host.example/\"]\n\tinsteadOf = https://host.example/\n\
            [sendemail] smtpPass = word\n";
        let clean = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://host.example/a.git\n\
            \turl = ssh://git@host.example/a\n\turl = git@host.example:a\n[http \"https://host.example/\"]\n\
            \tproxy = http://proxy.example:80\n\
            [url \"https://host.example/\"]\n\tinsteadOf = https://host.example/\n";
        assert_eq!(without_logins(text).as_deref(), Some(clean));
        assert_eq!(without_logins(clean), None);
    }

    #[test]
    fn settings_of_submodules_are_among_them() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (git, own) = (folder.path().join(".git"), folder.path().join("own"));
        let secret = "[remote \"origin\"]\n\turl = https://tok@host.example/a\n";
        for place in ["", "modules/one", "modules/two/deep", "worktrees/w"] {
            fs::create_dir_all(git.join(place))?;
            fs::write(git.join(place).join("config"), secret)?;
        }
        fs::create_dir_all(&own)?;
        let mounts = mounts(&[git.clone(), git], &own);
        assert_eq!(mounts.len(), 4);
        make(&mounts, &own)?;
        for mount in &mounts {
            let text = fs::read_to_string(mount.paths()[0])?;
            assert!(!text.contains("tok") && text.contains("host.example"), "{text}");
        }
        Ok(())
    }
}

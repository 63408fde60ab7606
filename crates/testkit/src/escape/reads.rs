//! Reads of what is secret: keys, logins, histories, other repositories, environments of other processes.

use std::fs;

use super::{
    Alone::{self, Works, WorksAsRoot},
    Attempt, Proof, Tried, World,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "reads", with, proof: Proof::Secret, alone, call: 1, act }
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("read-ssh-key", "{home}/.ssh/id_ed25519", Works, read),
    attempt("read-cloud-key", "{home}/.aws/credentials", Works, read),
    attempt("read-netrc", "{home}/.netrc", Works, read),
    attempt("read-forge-login", "{home}/.config/gh/hosts.yml", Works, read),
    attempt("read-registry-token", "{home}/.npmrc", Works, read),
    attempt("read-cargo-token", "{home}/.cargo/credentials.toml", Works, read),
    attempt("read-container-login", "{home}/.docker/config.json", Works, read),
    attempt("read-cluster-login", "{home}/.kube/config", Works, read),
    attempt("read-shell-history", "{home}/.bash_history", Works, read),
    attempt("read-browser-cookies", "{home}/.mozilla/firefox/x/cookies.sqlite", Works, read),
    attempt("read-other-repository", "{home}/code/other/secret.env", Works, read),
    attempt("read-other-runs-state", "{home}/.local/state/ralph/other/hooks.json", Works, read),
    attempt("read-login-in-git-settings", "{git}/config", Works, read),
    attempt("read-login-of-submodule", "{git}/modules/module/config", Works, read),
    attempt("read-through-own-root", "/proc/self/root{home}/.ssh/id_ed25519", Works, read),
    attempt("read-through-root-of-ralph", "/proc/{ralph}/root{home}/.netrc", Works, read),
    attempt("read-through-folder-of-ralph", "/proc/{ralph}/cwd/../other/secret.env", Works, read),
    attempt("read-through-symlink", "{home}/.ssh/id_ed25519", Works, read_through_symlink),
    attempt("read-home-of-another", "/home/somebody/.ssh/id_ed25519", Works, read),
    attempt("read-password-hashes", "/etc/shadow", WorksAsRoot, read),
    attempt("read-environment-of-ralph", "/proc/{ralph}/environ", Works, read),
    attempt("read-environment-of-anyone", "environ", Works, read_of_all),
    attempt("read-own-environment", "/proc/self/environ", Works, read),
    attempt("read-command-lines", "cmdline", Works, read_of_all),
    attempt("read-descriptors-of-ralph", "/proc/{ralph}/fd", Works, read_all_in),
];

fn read(world: &World, attempt: &Attempt) -> Tried {
    Tried::read(fs::read(world.expand(attempt.with)))
}

fn read_through_symlink(world: &World, attempt: &Attempt) -> Tried {
    let link = world.own("read-link");
    let _ = fs::remove_file(&link);
    let linked = std::os::unix::fs::symlink(world.expand(attempt.with), &link);
    let read = linked.and_then(|()| fs::read(&link));
    let _ = fs::remove_file(&link);
    Tried::read(read)
}

/// One file of every process that can be seen.
fn read_of_all(_world: &World, attempt: &Attempt) -> Tried {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = std::process::id().to_string();
    let files = processes
        .filter(|entry| entry.file_name().to_string_lossy() != own)
        .filter_map(|entry| fs::read(entry.path().join(attempt.with)).ok());
    Tried::Reached(files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect())
}

/// The beginning of every file that a folder of links leads to.
fn read_all_in(world: &World, attempt: &Attempt) -> Tried {
    let folder = match fs::read_dir(world.expand(attempt.with)) {
        Ok(folder) => folder,
        Err(error) => return Tried::Refused(error.to_string()),
    };
    let files = folder.flatten().map(|entry| entry.path());
    // Whoever reads a pipe takes it from its reader, or waits.
    let files = files.filter(|path| fs::metadata(path).is_ok_and(|file| file.is_file()));
    let texts = files.filter_map(|path| fs::read(path).ok());
    Tried::Reached(texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect())
}

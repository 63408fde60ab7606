//! Writes to files that are not the worktree's, by every way that leads there.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    time::SystemTime,
};

use super::{
    Alone::{self, NotShown, Works, WorksAsRoot},
    Attempt, Proof, Tried, World, syscall,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "files", with, proof: Proof::Mark, alone, call: 1, act }
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("write-home", "{home}/written", Works, leave_mark),
    attempt("write-shell-profile", "{home}/.bashrc", Works, leave_mark),
    attempt("write-authorized-keys", "{home}/.ssh/authorized_keys", Works, leave_mark),
    attempt("write-git-settings-of-home", "{home}/.gitconfig", Works, leave_mark),
    attempt("write-autostart", "{home}/.config/autostart/x.desktop", Works, leave_mark),
    attempt("write-package-cache", "{home}/.cargo/registry/planted", Works, leave_mark),
    attempt("write-installed-program", "{home}/.cargo/bin/planted", Works, leave_mark),
    attempt("write-program-on-path", "{home}/.local/bin/planted", Works, leave_mark),
    attempt("write-outside-home", "{outside}/written", Works, leave_mark),
    attempt("write-above-worktree", "{work}/../written", Works, leave_mark),
    attempt("write-other-repository", "{home}/code/other/written", Works, leave_mark),
    attempt("write-other-worktree", "{home}/code/second/written", Works, leave_mark),
    attempt("write-state-home", "{home}/.local/state/ralph/written", Works, leave_mark),
    attempt("write-user-settings", "{home}/.config/ralph/settings.toml", Works, leave_mark),
    attempt("write-etc", "/etc/{mark}", WorksAsRoot, leave_mark),
    attempt("write-usr-bin", "/usr/bin/{mark}", WorksAsRoot, leave_mark),
    attempt("write-cron", "/etc/cron.d/{mark}", WorksAsRoot, leave_mark),
    attempt("write-shared-tmp", "/tmp/{mark}", Works, leave_mark),
    attempt("write-shared-var-tmp", "/var/tmp/{mark}", Works, leave_mark),
    attempt("write-shared-memory", "/dev/shm/{mark}", Works, leave_mark),
    attempt("write-run", "/run/{mark}", WorksAsRoot, leave_mark),
    attempt("through-own-root", "/proc/self/root{outside}/own-root", Works, leave_mark),
    attempt("through-root-of-1", "/proc/1/root{outside}/root-of-1", WorksAsRoot, leave_mark),
    attempt("through-root-of-ralph", "/proc/{ralph}/root{outside}/rr", Works, leave_mark),
    attempt("through-folder-of-ralph", "/proc/{ralph}/cwd/../x", Works, leave_mark),
    attempt("through-symlink", "{outside}/through-symlink", Works, through_symlink),
    attempt("through-symlinked-folder", "{outside}", Works, through_symlinked_folder),
    attempt("through-hard-link", "{outside}/through-hard-link", Works, through_hard_link),
    attempt("through-file-handle", "{outside}/through-file-handle", WorksAsRoot, by_handle),
    attempt("rename-out", "{outside}/renamed", Works, rename_out),
    attempt("delete-outside", "{outside}/delete-outside", Works, delete),
    attempt("truncate-outside", "{outside}/truncate-outside", Works, truncate),
    attempt("chmod-outside", "{outside}/chmod-outside", Works, chmod),
    attempt("times-outside", "{outside}/times-outside", Works, set_times),
    attempt("attribute-outside", "{outside}/attribute-outside", Works, set_attribute),
    Attempt {
        proof: Proof::Word,
        ..attempt("move-worktree", "{work}-moved", Works, move_worktree)
    },
    Attempt {
        proof: Proof::Word,
        ..attempt("inherited-descriptors", "", NotShown("nothing is inherited"), inherited)
    },
];

/// Leaves the attempt's mark in a file, which is made with its folders.
pub(super) fn leave_mark(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(mark(&world.expand(attempt.with), attempt))
}

pub(super) fn mark(path: &Path, attempt: &Attempt) -> io::Result<()> {
    // A folder that is missing is no obstacle to somebody who may write.
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    // A comment in most languages: what it is written into goes on working.
    writeln!(file, "# {}", attempt.token())
}

fn through_symlink(world: &World, attempt: &Attempt) -> Tried {
    let link = world.own("link");
    let _ = fs::remove_file(&link);
    let written = symlink(world.expand(attempt.with), &link).and_then(|()| mark(&link, attempt));
    Tried::of(written)
}

fn through_symlinked_folder(world: &World, attempt: &Attempt) -> Tried {
    let link = world.own("linked-folder");
    let _ = fs::remove_file(&link);
    let written = symlink(world.expand(attempt.with), &link)
        .and_then(|()| mark(&link.join("through-symlinked-folder"), attempt));
    let _ = fs::remove_file(&link);
    Tried::of(written)
}

fn through_hard_link(world: &World, attempt: &Attempt) -> Tried {
    let link = world.own("hard-link");
    let _ = fs::remove_file(&link);
    let written = fs::hard_link(world.expand(attempt.with), &link);
    Tried::of(written.and_then(|()| mark(&link, attempt)))
}

/// The worktree's mount may be written to: a file of the same disk, named by its handle, may then be as well.
fn by_handle(world: &World, attempt: &Attempt) -> Tried {
    let opened = syscall::open_by_handle(world.work(), &world.expand(attempt.with));
    Tried::of(opened.and_then(|mut file| file.write_all(attempt.token().as_bytes())))
}

fn rename_out(world: &World, attempt: &Attempt) -> Tried {
    let inside = world.own("to-be-renamed");
    let renamed =
        mark(&inside, attempt).and_then(|()| fs::rename(&inside, world.expand(attempt.with)));
    Tried::of(renamed)
}

fn delete(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(fs::remove_file(world.expand(attempt.with)))
}

fn truncate(world: &World, attempt: &Attempt) -> Tried {
    let opened = OpenOptions::new().write(true).open(world.expand(attempt.with));
    Tried::of(opened.and_then(|file| file.set_len(0)))
}

fn chmod(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(fs::set_permissions(world.expand(attempt.with), Permissions::from_mode(0o4777)))
}

fn set_times(world: &World, attempt: &Attempt) -> Tried {
    // Its owner may set a file's times through a descriptor that only reads.
    let opened = File::open(world.expand(attempt.with));
    Tried::of(opened.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)))
}

fn set_attribute(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(syscall::set_attribute(&world.expand(attempt.with), &attempt.token()))
}

fn move_worktree(world: &World, attempt: &Attempt) -> Tried {
    let away = world.expand(attempt.with);
    let moved = fs::rename(world.work(), &away);
    if moved.is_ok() {
        let _ = fs::rename(&away, world.work());
    }
    Tried::of(moved)
}

/// Descriptors of files outside, beyond the three that every process has.
fn inherited(world: &World, _attempt: &Attempt) -> Tried {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let number: i32 = entry.file_name().to_string_lossy().parse().unwrap_or(0);
        let target = fs::read_link(entry.path()).unwrap_or_default();
        let own = [Path::new("/proc"), Path::new("/dev/null"), world.work()];
        let is_own = own.iter().any(|own| target.starts_with(own));
        if number > 2 && target.is_absolute() && !is_own {
            found.push(format!("{number} is {}", target.display()));
        }
    }
    if found.is_empty() { Tried::Refused("none".into()) } else { Tried::Reached(found.join(", ")) }
}

//! What is left in the worktree for git outside to trip over: rows E, F, G and J to N of the measured escapes. Each
//! trap is a program that leaves its mark outside, where only somebody who is not in the box can.

use std::{
    fs, io,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use super::{
    Alone::{self, NotShown, Works},
    Attempt, Proof, Tried, World,
    repository::git_program,
};

const fn plant(
    name: &'static str,
    with: &'static str,
    (call, alone): (u32, Alone),
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "git outside", with, proof: Proof::Mark, alone, call, act }
}

const NEEDS_PATH: Alone = NotShown("it waits for a path that looks into the worktree");
const NOT_RUN: Alone = NotShown("git itself does not run it");

pub(super) const ATTEMPTS: &[Attempt] = &[
    plant("host-runs-filter", "filter.planted.clean", (1, Works), configure),
    plant("host-runs-monitor", "core.fsmonitor", (1, Works), configure),
    plant("host-runs-external-diff", "diff.external", (1, Works), configure),
    plant("host-runs-hook", "{git}/hooks/post-index-change", (1, Works), hook),
    plant("gate-runs-planted-script", "escape/planted.sh", (1, NOT_RUN), script),
    plant("nested-repository", "nested", (2, NOT_RUN), nest),
    plant("nested-repository-recorded", "recorded", (2, Works), nest_and_record),
    plant("nested-repository-ignored", "escape/ignored", (2, NOT_RUN), nest),
    plant("nested-repository-unreadable", "locked/deep", (2, NOT_RUN), nest_behind_lock),
    plant("bare-repository", "bare", (2, NOT_RUN), bare),
    plant("submodule-command", ".gitmodules", (4, NOT_RUN), submodule_command),
    plant("planted-git", "git", (2, NEEDS_PATH), script),
    plant("planted-programs", "escape/bin", (2, NEEDS_PATH), programs),
    plant("pipe-for-git-to-wait-at", "piped", (2, NOT_RUN), pipes),
    plant("submodule-replaced", "module", (3, Works), replace_submodule),
    plant("submodule-moved-aside", "aside", (3, Works), move_submodule),
    plant("submodule-symlinked", "linked", (3, NOT_RUN), link_submodule),
];

/// Writes a program that leaves the attempt's mark when it is run outside.
fn trap(path: &Path, world: &World, attempt: &Attempt) -> io::Result<String> {
    let mark = world.marks().join(attempt.name);
    fs::write(path, format!("#!/bin/sh\n: > '{}'\nexec cat\n", mark.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(path.display().to_string())
}

fn script(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(trap(&world.work().join(attempt.with), world, attempt))
}

/// Where git reads its rules; a run that ends shows that nobody waited there.
fn pipes(world: &World, attempt: &Attempt) -> Tried {
    let folder = world.work().join(attempt.with);
    let made = fs::create_dir_all(&folder).and_then(|()| {
        let pipe = |name| nix::unistd::mkfifo(&folder.join(name), nix::sys::stat::Mode::S_IRWXU);
        [".gitignore", ".gitattributes"].into_iter().try_for_each(pipe).map_err(Into::into)
    });
    Tried::of(made)
}

/// Under the names of what is asked outside: versions, registries, logins.
fn programs(world: &World, attempt: &Attempt) -> Tried {
    let folder = world.work().join(attempt.with);
    let names =
        ["git", "gh", "npm", "node", "yarn", "pnpm", "cargo", "go", "pip", "bwrap", "claude"];
    let done = fs::create_dir_all(&folder).and_then(|()| {
        names.iter().try_for_each(|name| trap(&folder.join(name), world, attempt).map(drop))
    });
    Tried::of(done)
}

fn configure(world: &World, attempt: &Attempt) -> Tried {
    let done = trap(&world.own(attempt.name), world, attempt).and_then(|trap| {
        fs::write(world.work().join(".gitattributes"), "*.txt filter=planted diff=planted\n")?;
        fs::write(world.work().join("src/main.txt"), "changed, so that git looks\n")?;
        git(world.work(), &["config", attempt.with, &trap])
    });
    Tried::of(done)
}

fn hook(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    let _ = path.parent().map(fs::create_dir_all);
    Tried::of(trap(&path, world, attempt))
}

fn git(dir: &Path, args: &[&str]) -> io::Result<()> {
    let name = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"];
    let mut command = git_program();
    let output = command.arg("-C").arg(dir).args(name).args(args).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// A repository with a commit and a change, whose configuration runs the trap as soon as git looks into it.
fn hostile(dir: &Path, world: &World, attempt: &Attempt) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    git(dir, &["init", "-q", "."])?;
    fs::write(dir.join("file.txt"), "x\n")?;
    git(dir, &["add", "-A"])?;
    git(dir, &["commit", "-q", "-m", "x"])?;
    arm(dir, world, attempt)
}

fn arm(dir: &Path, world: &World, attempt: &Attempt) -> io::Result<()> {
    let trap = trap(&world.own(&format!("trap-of-{}", attempt.name)), world, attempt)?;
    fs::write(dir.join(".gitattributes"), "* filter=planted\n")?;
    fs::write(dir.join("file.txt"), "changed, so that git looks\n")?;
    git(dir, &["config", "filter.planted.clean", &trap])?;
    git(dir, &["config", "filter.planted.smudge", &trap])?;
    git(dir, &["config", "core.fsmonitor", &trap])
}

fn nest(world: &World, attempt: &Attempt) -> Tried {
    Tried::of(hostile(&world.work().join(attempt.with), world, attempt))
}

/// Nobody may list the folder above it.
fn nest_behind_lock(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let done = hostile(&dir, world, attempt).and_then(|()| {
        let above = dir.parent().unwrap_or(world.work());
        fs::set_permissions(above, fs::Permissions::from_mode(0o311))
    });
    Tried::of(done)
}

fn nest_and_record(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let done = hostile(&dir, world, attempt)
        .and_then(|()| git(world.work(), &["-c", "core.fsmonitor=false", "add", attempt.with]));
    let _ = fs::remove_file(world.marks().join(attempt.name));
    Tried::of(done)
}

fn bare(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let done = fs::create_dir_all(&dir).and_then(|()| {
        git(&dir, &["init", "-q", "--bare", "."])?;
        let trap = trap(&world.own("trap-of-bare"), world, attempt)?;
        git(&dir, &["config", "core.bare", "false"])?;
        git(&dir, &["config", "core.worktree", ".."])?;
        git(&dir, &["config", "core.fsmonitor", &trap])
    });
    Tried::of(done)
}

fn submodule_command(world: &World, attempt: &Attempt) -> Tried {
    let file = world.work().join(attempt.with);
    let mark = world.marks().join(attempt.name);
    let before = fs::read_to_string(&file).unwrap_or_default();
    let text = format!(
        "{before}[submodule \"module\"]\n\tupdate = !touch {mark}\n\tignore = none\n",
        mark = mark.display()
    );
    Tried::of(fs::write(file, text))
}

fn replace_submodule(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let done = fs::remove_file(dir.join(".git")).and_then(|()| hostile(&dir, world, attempt));
    Tried::of(done)
}

fn move_submodule(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let done = fs::rename(&dir, world.work().join("moved-aside"))
        .and_then(|()| hostile(&dir, world, attempt));
    Tried::of(done)
}

fn link_submodule(world: &World, attempt: &Attempt) -> Tried {
    let dir = world.work().join(attempt.with);
    let evil = world.own("evil");
    let done = hostile(&evil, world, attempt).and_then(|()| {
        fs::rename(&dir, world.work().join("moved-for-link"))?;
        symlink("escape/evil", &dir)
    });
    Tried::of(done)
}

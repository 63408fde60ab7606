//! A `git` that goes before the real one on the PATH and kills ralph in the middle of one of ralph's git commands.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Output,
};

use crate::test_run::TestRun;

/// Where and when to kill.
#[derive(Debug)]
pub struct GitTrap {
    /// Which of ralph's git commands, from 1; 0 for none.
    pub at: usize,
    /// How long that git has been running by then, in tenths of a millisecond.
    pub after: u64,
    /// What becomes of the git.
    pub fate: Fate,
}

/// What becomes of a git whose ralph is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is killed as well.
    Dies,
    /// It goes on to its end.
    Outlives,
    /// It has not even begun, and does its work a good while later: a busy machine did not let it.
    ComesLate,
}

impl GitTrap {
    /// Starts ralph with the trap laid.
    pub fn spring(&self, run: &TestRun, args: &[&str]) -> io::Result<Output> {
        let real = real_git()?;
        run.program("trap/git", &self.script(run, &real))?;
        let folders = env::var("PATH").unwrap_or_default();
        let ours = [run.path("trap"), run.path("bin")].map(|folder| folder.display().to_string());
        let path = format!("{}:{folders}", ours.join(":"));
        run.command(args).env("PATH", path).output()
    }

    /// How many git commands ralph has started with a trap laid.
    pub fn seen(run: &TestRun) -> usize {
        run.read("trap/seen").len()
    }

    /// Only ralph's own git commands count: an agent's git has a shell for a parent. The group is git's alone.
    fn script(&self, run: &TestRun, real: &Path) -> String {
        let Self { at, after, fate } = self;
        let seen = run.path("trap/seen");
        let pause = if *after == 0 {
            ":".to_owned()
        } else {
            format!("sleep {}.{:04}", after / 10_000, after % 10_000)
        };
        let end =
            if *fate == Fate::Dies { "kill -9 $PPID; kill -9 0" } else { "kill -9 $PPID; wait" };
        let late = if *fate == Fate::ComesLate { "sleep 2; " } else { "" };
        format!(
            "#!/bin/sh\nGIT='{real}'\nread -r parent < /proc/$PPID/comm\n\
             [ \"$parent\" = ralph ] || exec \"$GIT\" \"$@\"\n\
             printf x >> '{seen}'\nsize=$(wc -c < '{seen}')\n\
             [ \"$size\" -eq {at} ] || exec \"$GIT\" \"$@\"\n\
             echo \"$@\" | sed 's/.*advice.detachedHead=false//' > '{command}'\n\
             {{ {late}exec \"$GIT\" \"$@\"; }} <&0 &\n{pause}\n{end}\n",
            real = real.display(),
            seen = seen.display(),
            command = run.path("trap/command").display(),
        )
    }
}

fn real_git() -> io::Result<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join("git"))
        .find(|file| fs::metadata(file).is_ok_and(|entry| entry.is_file()))
        .ok_or_else(|| io::Error::other("there is no git on the PATH"))
}

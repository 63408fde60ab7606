//! One user's machine for one sequence: a copy of a template, with the pieces of the sequence in their places.

use std::{
    fmt::Write as _,
    fs, io,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use testkit::escape::sequence::{CANARY, Kind, MACHINE, OUTSIDE, PRELUDE, Script, TOKEN};

use crate::island;

/// How long anybody may take for one step, in seconds.
const PATIENCE: &str = "120";

/// A machine as every sequence finds it, made once.
pub(crate) struct Template {
    folder: PathBuf,
    user: u32,
}

/// A machine on which one sequence is played.
pub(crate) struct Machine {
    pub(crate) folder: PathBuf,
    pub(crate) word: String,
    user: u32,
}

impl Template {
    /// Makes the template for this user.
    pub(crate) fn new(user: u32) -> io::Result<Self> {
        let folder = island::ground().join(format!("template-{user}"));
        fs::create_dir_all(&folder)?;
        std::os::unix::fs::chown(&folder, Some(user), Some(user))?;
        let mut shell = shell(user, &folder);
        let status = shell.env("CANARY", CANARY).current_dir(&folder).arg(MACHINE).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("the machine cannot be made: {status}")));
        }
        Ok(Self { folder, user })
    }
}

impl Machine {
    /// A copy of the template with this script's ground and pieces.
    pub(crate) fn new(template: &Template, script: &Script, number: usize) -> io::Result<Self> {
        let folder = island::ground().join(format!("m{number}-{}", template.user));
        let copied = Command::new("cp").arg("-a").arg(&template.folder).arg(&folder).status()?;
        if !copied.success() {
            return Err(io::Error::other("the template cannot be copied"));
        }
        let word = format!("word{number}z");
        let machine = Self { folder, word, user: template.user };
        machine.furnish(script)?;
        Ok(machine)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.join("home/code/repo")
    }

    /// Everything that was said to the user so far.
    pub(crate) fn said(&self) -> String {
        let said = fs::read(self.folder.join("log/said")).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Places by what they stand for.
    pub(crate) fn expand(&self, text: &str) -> String {
        let below = |name: &str| self.folder.join(name).display().to_string();
        text.replace("{home}", &below("home"))
            .replace("{work}", &below("home/code/repo"))
            .replace("{marks}", &below("marks"))
            .replace("{folder}", &self.folder.display().to_string())
            .replace("{word}", &self.word)
            .replace("{token}", TOKEN)
            .replace("{canary}", CANARY)
    }

    /// Runs shell as the user, in the worktree; whether it came to its end in time.
    pub(crate) fn outside(&self, text: &str, with: &[(&str, &str)]) -> io::Result<bool> {
        let log =
            fs::OpenOptions::new().append(true).create(true).open(self.folder.join("log/said"))?;
        let text = self.expand(&format!("{PRELUDE}{OUTSIDE}{text}\n"));
        let mut command = shell(self.user, &self.folder);
        command.current_dir(self.work()).envs(with.iter().copied());
        command.arg(text).stdout(log.try_clone()?).stderr(log);
        let code = command.status()?.code();
        Ok(!matches!(code, None | Some(124 | 137)))
    }

    fn furnish(&self, script: &Script) -> io::Result<()> {
        let check = script.check.replace('\\', "\\\\").replace('"', "\\\"");
        let settings = format!(
            "[[gate]]\nname = \"check\"\ncommand = \"{}\"\n[[gate]]\nname = \"probe\"\ncommand = \"./probe.sh\"\n",
            self.expand(&check)
        );
        self.put(&self.work().join(".ralph/settings.toml"), &settings, 0o644)?;
        if script.steps.iter().any(|(kind, _)| *kind == Kind::Review) {
            let path = self.folder.join("home/.config/ralph/settings.toml");
            let reviewer = self.expand("[agent.review]\ncommand = \"{folder}/tools/reviewer\"\n");
            let text = fs::read_to_string(&path)? + &reviewer;
            self.put(&path, &text, 0o644)?;
        }
        let agent = self.expand(&program(script));
        for name in ["tools/agent", "tools/agent-2", "tools/reviewer", "tools/bin/claude"] {
            self.put(&self.folder.join(name), &agent, 0o755)?;
        }
        let ground = format!(
            "set -e\n{}\ncd {{work}}\n[ -n \"$NO_ADD\" ] || git -c core.hooksPath=/dev/null add -A\n\
             git -c core.hooksPath=/dev/null -c commit.gpgSign=false commit -q --allow-empty -m ground\n",
            script.ground
        );
        let prepared = self.outside(&ground, &[])?;
        let base = self.work().join(".git/refs/heads/main");
        if prepared && base.exists() && !self.said().contains("fatal:") {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "{}: its ground cannot be made: {}",
            script.name,
            self.said()
        )))
    }

    fn put(&self, path: &Path, text: &str, mode: u32) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
            std::os::unix::fs::chown(parent, Some(self.user), Some(self.user))?;
        }
        fs::write(path, text)?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        std::os::unix::fs::chown(path, Some(self.user), Some(self.user))
    }
}

/// The agent, the reviewer and the fake of a known agent in one: the piece of this call, by its number.
fn program(script: &Script) -> String {
    let mut pieces = String::new();
    let (mut call, mut ends) = (0, Vec::new());
    for (at, (kind, text)) in script.steps.iter().enumerate() {
        if !matches!(kind, Kind::Agent | Kind::Review) {
            continue;
        }
        call += 1;
        let gate = script.steps[at + 1..].first().filter(|(kind, _)| *kind == Kind::Gate);
        let gate = gate.map_or(String::new(), |(_, text)| {
            format!("cat > probe.sh <<'PROBE'\n#!/bin/sh\n{PRELUDE}{text}\nexit 0\nPROBE\nchmod 755 probe.sh\n")
        });
        let _ = write!(pieces, "{call}) (\n{text}\n)\n( {gate} : ) ;;\n");
        let next = script.steps[at + 1..].iter().find(|(kind, _)| *kind != Kind::Gate);
        if !next.is_some_and(|(kind, _)| *kind == Kind::Agent) {
            ends.push(call.to_string());
        }
    }
    format!(
        r#"#!/bin/sh
case "$0 $1" in *claude\ --version) echo "2.1.325 (Claude Code)"; exit ;; esac
PROMPT=$(cat)
{PRELUDE}
case $0 in *claude) exec 3>&1 1>&2 ;; esac
case $0 in *agent-*) first=${{0##*agent-}} ;; *) first=1 ;; esac
runs=.ralph/runs; [ -d $runs ] || runs={{work}}/.ralph/runs
call=$((first - 1 + $(ls -d $runs/*/iterations/* 2>/dev/null | wc -l)))
case $call in
{pieces}esac
case " {ends} " in *" $call "*) word='<response>DONE</response>'; echo '{{"task_completed":{{"summary":"did it"}},"fully_complete":true}}' ;; *) word=working ;; esac
case $0 in
*claude) printf '{{"type":"result","subtype":"success","is_error":false,"result":"%s","usage":{{"input_tokens":1,"output_tokens":1}},"num_turns":1,"duration_ms":1,"session_id":"x"}}\n' "$word" >&3 ;;
*reviewer) echo '{{"review_completed":{{"verdict":"approve","summary":"fine"}}}}' ;;
*) echo "$word" ;;
esac
"#,
        ends = ends.join(" ")
    )
}

/// A shell of the user's, bounded in time.
fn shell(user: u32, folder: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-k", "2", PATIENCE, "sh", "-c"]).env_clear();
    command
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder.join("home"))
        .env("USER", "tester")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .uid(user)
        .gid(user);
    command
}

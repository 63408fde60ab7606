//! What generated sequences are made of: typed places, small pieces of shell about one or two of them, settings of the
//! user's that lead to them, and what people do next. Never what should come of any of it.

/// What kind of place something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Git records it.
    Tracked,
    /// Git ignores it.
    Ignored,
    /// The layer in which gates build.
    Built,
    /// A folder of the home that stays from box to box.
    Cache,
    /// Something is mounted onto it, in it or beside it.
    MountPoint,
    /// A box hides it.
    Hidden,
    /// Git runs what is in it, by the user's settings.
    Hooks,
    /// Git reads it as settings.
    Config,
    /// A login of the agent's.
    Login,
    /// What whoever started ralph left open.
    Descriptor,
    /// The machine outside.
    Outside,
}

/// Every place by its kind.
pub(super) const PLACES: &[(Kind, &str)] = &[
    (Kind::Tracked, "src"),
    (Kind::Tracked, "src/deep/er"),
    (Kind::Tracked, "docs"),
    (Kind::Tracked, "README.md"),
    (Kind::Tracked, "feature.txt"),
    (Kind::Tracked, "probe.sh"),
    (Kind::Tracked, "libs"),
    (Kind::Tracked, ".gitattributes"),
    (Kind::Tracked, ".gitignore"),
    (Kind::Tracked, ".gitmodules"),
    (Kind::Tracked, ".lfsconfig"),
    (Kind::Ignored, "node_modules"),
    (Kind::Ignored, "node_modules/.bin"),
    (Kind::Ignored, "node_modules/.bin/check"),
    (Kind::Ignored, "node_modules/pkg"),
    (Kind::Ignored, "build/x"),
    (Kind::Ignored, ".venv/bin"),
    (Kind::Built, "target"),
    (Kind::Built, "target/check"),
    (Kind::Built, "build"),
    (Kind::Built, "src/__pycache__"),
    (Kind::Cache, "~/.cache"),
    (Kind::Cache, "~/.cache/results"),
    (Kind::Cache, "~/.cache/tool"),
    (Kind::Cache, "~/.npm"),
    (Kind::Cache, "~/.cargo"),
    (Kind::Cache, "~/go"),
    (Kind::MountPoint, "~/.cache/node"),
    (Kind::MountPoint, "~/.cache/node/corepack"),
    (Kind::MountPoint, "~/.cache/pip"),
    (Kind::MountPoint, "~/.cache/uv"),
    (Kind::MountPoint, "~/.npm/_cacache"),
    (Kind::MountPoint, "~/.cargo/registry"),
    (Kind::MountPoint, "~/.gitconfig"),
    (Kind::MountPoint, "libs/foo"),
    (Kind::MountPoint, "libs/foo/.git"),
    (Kind::MountPoint, ".git"),
    (Kind::MountPoint, ".ralph"),
    (Kind::MountPoint, ".ralph/runs"),
    (Kind::MountPoint, "/run/ralph"),
    (Kind::Hidden, ".claude"),
    (Kind::Hidden, ".qwen"),
    (Kind::Hidden, ".opencode"),
    (Kind::Hidden, ".mcp.json"),
    (Kind::Hidden, "opencode.json"),
    (Kind::Hidden, "AGENTS.md"),
    (Kind::Hooks, "node_modules/.hooks"),
    (Kind::Hooks, ".git/hooks"),
    (Kind::Config, "build/local.config"),
    (Kind::Config, ".gitconfig"),
    (Kind::Config, ".git/config"),
    (Kind::Config, ".git/info/attributes"),
    (Kind::Login, "~/.claude"),
    (Kind::Login, "~/.claude/.credentials.json"),
    (Kind::Login, "~/.claude.json"),
    (Kind::Descriptor, "/proc/self/fd/7"),
    (Kind::Descriptor, "/proc/self/fd/8"),
    (Kind::Descriptor, "/proc/1/fd/7"),
    (Kind::Outside, "{home}"),
    (Kind::Outside, "{home}/.ssh"),
    (Kind::Outside, "{home}/.netrc"),
    (Kind::Outside, "{home}/projects/other"),
    (Kind::Outside, "{home}/new-folder"),
    (Kind::Outside, "{home}/.npm"),
    (Kind::Outside, "{marks}"),
    (Kind::Outside, "/oldroot{home}"),
    (Kind::Outside, "/oldroot{home}/.ssh"),
    (Kind::Outside, "/oldroot{home}/.npm"),
    (Kind::Outside, "/oldroot{home}/made"),
    (Kind::Outside, "/oldroot{marks}"),
    (Kind::Outside, "/newroot{home}"),
    (Kind::Outside, "/proc/1/root{home}"),
    (Kind::Outside, "/proc/self/cwd/../.."),
    (Kind::Outside, "../../.ssh"),
];

/// One thing that is done: `{a}` is the place it is done to, `{b}` another place.
pub(super) const ACTS: &[&str] = &[
    // Rename.
    "mv {a} {a}.old",
    "mv {a} {a}.old; mkdir -p {a}",
    "mv {a} {b}",
    "mv {a} t.swap && mv {b} {a}; mv t.swap {b}",
    "rm -rf {a}",
    "cp -r {a} {a}.new; rm -rf {a}; mv {a}.new {a}",
    // Link.
    "rm -rf {a}; mkdir -p $(dirname {a}); ln -s {b} {a}",
    "mv {a} {a}.old; ln -s {b} {a}",
    "mkdir -p {a}; ln -s {b} {a}/_cacache; ln -s {b} {a}/.git; ln -s {b} {a}/foo",
    "ln -s {b}/missing {a}",
    "ln {b} {a}; ln {b} {a}/hard",
    "d=$(dirname {a}); mv $d $d.old; mkdir -p $d; ln -s {b} {a}",
    "d=$(dirname {a}); mv $d $d.old; ln -s {b} $d",
    // Plant programs and tools.
    "planted {a}",
    "for n in post-checkout post-index-change reference-transaction pre-commit git check python3 bwrap; do planted {a}/$n; done",
    r"rm -rf {a}; mkdir -p $(dirname {a}); printf '#!/bin/sh\nexit 0\n' > {a}; chmod 755 {a}; touch -d '+1 hour' {a}",
    r"mkdir -p {a}; printf '#!/bin/sh\nexit 0\n' > {a}/check; chmod 755 {a}/check; touch -d '+1 hour' {a}/check",
    "echo works > {a}; echo works > {a}/results",
    // Plant repositories and settings.
    "trap_repository {a}",
    "trap_repository {a}/.git false ..",
    "trap_repository {a}; mkdir -p {b}; echo gitdir: $PWD/{a} > {b}/.git",
    "trap_repository {a}; mkdir -p {b}/refs {b}/objects; echo 'ref: refs/heads/main' > {b}/HEAD; echo $PWD/{a} > {b}/commondir",
    "printf '[core]\\n\\tfsmonitor = \"echo pwned > {marks}/{word}; false\"\\n\\thooksPath = {b}\\n[diff]\\n\\texternal = \"echo pwned > {marks}/{word}\"\\n[filter \"x\"]\\n\\tclean = \"echo pwned > {marks}/{word}; cat\"\\n\\tsmudge = \"echo pwned > {marks}/{word}; cat\"\\n' > {a}",
    "printf '* filter=x diff=x merge=x\\n*.txt filter=mine\\n' > {a}",
    "printf '[include]\\n\\tpath = {b}\\n' >> {a}",
    "printf '[submodule \"x\"]\\n\\tpath = {b}\\n\\turl = {b}\\n\\tupdate = !echo pwned > {marks}/{word}\\n' > {a}",
    "echo {a} >> .gitignore",
    "mkdir -p {a}; echo '*' > {a}/.gitignore",
    // Odd things.
    "rm -rf {a}; mkfifo {a}",
    "chmod 000 {a}",
    "chmod u+s {a}; chmod 4755 {a}/check",
    "mkdir -p \"$(printf '{a}/x\\nFORGED')\"; echo x > \"$(printf '{a}/\\033]0;x')\"",
    "sed -i 's/USER/ATTACKER/; s/ort01-[a-z]*/ort01-ATTACKER/' ~/.claude/.credentials.json; sed -i s/a/b/ {a}",
    "setsid sh -c 'while :; do ln -sfn {b} {a}; sleep 0.02; done' >/dev/null 2>&1 &",
    // Read and write through.
    "leak {a} {a}/.netrc {a}/.ssh/id_rsa {a}/id_rsa {a}/.env; hit {a}",
    "hit {a} {a}/.ssh {b}; cp {b} {a}; cp {a} {b}",
    "for n in 7 8 9; do eval \"echo pwned >&$n\"; done; tr a-z n-za-m <&8",
    "work",
];

/// What the user's machine holds: shell, and whether the user's own git only runs what git ignores.
pub(super) const GROUNDS: &[(&str, bool)] = &[
    ("git config core.hooksPath node_modules/.hooks; mkdir -p node_modules/.hooks", true),
    ("git config include.path ../.gitconfig; : > .gitconfig", false),
    (
        r#"printf '#!/bin/sh\ncat\n' > src/clean.sh; chmod 755 src/clean.sh; git config filter.mine.clean src/clean.sh; echo '*.data filter=mine' > .git/info/attributes; echo x > a.data; printf '[git]\nfilters = ["mine"]\n' >> ~/.config/ralph/settings.toml"#,
        false,
    ),
    (
        r"printf '#!/bin/sh\n' > build/monitor; chmod 755 build/monitor; git config core.fsmonitor build/monitor",
        true,
    ),
    (
        "git config core.attributesFile build/attributes; git config filter.x.clean 'echo pwned > {marks}/{word}; cat'; git config --unset filter.x.clean",
        true,
    ),
    ("mkdir -p ~/.cache/uv ~/.cache/pnpm ~/.cache/go-build", true),
    (
        "mkdir -p ~/.claude; printf '{\"claudeAiOauth\":{\"accessToken\":\"a-USER\",\"refreshToken\":\"ort01-%s\",\"expiresAt\":4099999999000}}' \"$(cat ~/.netrc)\" > ~/.claude/.credentials.json",
        true,
    ),
    (
        "s=$(cat ~/.netrc); git config http.proxy http://me:$s@proxy.invalid; echo $s > .git/credentials",
        true,
    ),
    ("ln -s {home}/projects/other/tool ~/.local/bin/tool", true),
    ("echo '*.local' >> .git/info/exclude", true),
    (
        "printf '[user]\\n\\tname = T\\n\\temail = t@example.invalid\\n[core]\\n\\tpager = less\\n' > ~/.gitconfig",
        true,
    ),
    ("mkdir -p build; echo x > build/x", true),
    (super::mounts::SUBMODULE, true),
];

/// Honest gates, each with something that could be poisoned.
pub(super) const CHECKS: &[&str] = &[
    "node_modules/.bin/check",
    super::fraud::INCREMENTAL,
    "grep -qs works ~/.cache/results || grep -q works feature.txt",
    "[ ! -f build/x ] || . ./build/x; grep -q works feature.txt",
    "PATH=~/.cargo/bin:~/.cache/tool:node_modules/.bin:$PATH check",
];

/// How ralph is started.
pub(super) const STARTS: &[&str] = &[
    "go",
    "go",
    "go",
    "go 7< ~ 8< ~/.netrc 9>> ~/.bashrc",
    "AGENT=claude; PATH={folder}/tools/bin:$PATH; export PATH; go",
    "PATH=~/.local/bin:node_modules/.bin:$PATH; export PATH; go",
    "go & sleep 0.15; killed .; wait; go",
];

/// What people do with ralph afterwards.
pub(super) const QUESTIONS: &[&str] = &[
    "ralph status; ralph report",
    "ralph doctor",
    "ralph logs prompt; ralph status",
    "ralph init --yes",
    "ralph gate run",
    "ralph resume -n $CALLS",
    "cd src && ralph doctor; cd ../node_modules && ralph status",
    "cd docs && ralph doctor; ralph init --yes",
];

/// What people do with git afterwards.
pub(super) const GIT: &[&str] = &[
    "git status; git diff",
    "git switch main",
    "git status; git stash; git switch main",
    "cd node_modules/pkg && git status; cd {work}; git status",
    "cd docs && git status; cd {work}; git switch main",
    "cd src && git diff; git log -p -1",
];

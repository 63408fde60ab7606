//! Reads that only a special machine allows: logins beside tools, beside git's own files, and behind links.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Review, Start, User},
};
use crate::escape::Alone::NotShown;

/// Everything that can be read below these folders, told by the agent and by the tree in the next box.
macro_rules! reads {
    ($name:literal, $about:literal, $ground:literal, $folders:literal) => {
        Sequence {
            name: $name,
            about: $about,
            ground: $ground,
            steps: &[
                Agent(concat!(
                    "find -L ",
                    $folders,
                    " -type f 2>/dev/null | while read -r f; do leak \"$f\"; done; work"
                )),
                Gate(concat!(
                    "find -L ",
                    $folders,
                    " -type f 2>/dev/null | while read -r f; do leak \"$f\"; done"
                )),
            ],
            ..PLAIN
        }
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "folder-behind-a-link-on-the-path",
        about: "S9 r09",
        ground: "printf '#!/bin/sh\\n' > ~/projects/other/t.sh; chmod 755 ~/projects/other/t.sh; ln -s ~/projects/other/t.sh ~/.local/bin/t",
        steps: &[
            Agent("find ~/projects ~/.local -type f | while read -r f; do leak \"$f\"; done"),
            Gate("leak ~/projects/other/.env"),
            Start("PATH=~/.local/bin:$PATH; export PATH; go"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "folder-of-the-tree-on-the-path",
        about: "S9",
        ground: "cp ~/.netrc ~/projects/other/t.sh; chmod 755 ~/projects/other/t.sh; mkdir -p ~/inst/bin; cp ~/.netrc ~/inst/token; echo home = /usr > ~/inst/pyvenv.cfg; cp /bin/true ~/inst/bin/py",
        steps: &[
            Agent("mkdir bin; ln -s ~/projects/other/t.sh bin/t; ln -s ~/inst/bin/py bin/py; work"),
            Agent("leak ~/projects/other/t.sh; leak ~/inst/token"),
            Gate("leak ~/projects/other/t.sh; leak ~/inst/token"),
            Start("PATH=~/code/repo/bin:$PATH; export PATH; go"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "folder-of-a-program-on-the-path",
        about: "S9",
        ground: "mkdir -p ~/projects/other/bin ~/tools/bin; cp ~/.netrc ~/tools/.env; cp ~/.netrc ~/tools/bin/.token; cp ~/.netrc ~/projects/other/bin/secrets.json",
        steps: &[
            Agent("find ~/projects ~/tools -type f | while read -r f; do leak \"$f\"; done"),
            Start("PATH=~/tools/bin:~/projects/other/bin:$PATH; export PATH; go"),
        ],
        ..PLAIN
    },
    reads!(
        "logins-beside-tools",
        "S9",
        "for f in .local/share/uv/credentials/credentials.toml .dotnet/corefx/cryptography/x509stores/my/x.pfx .pub-cache/credentials.json .cargo/credentials.toml .rustup/token .nvm/.npmrc .pyenv/secret .m2/settings.xml .gradle/gradle.properties .composer/auth.json .gem/credentials .bundle/config .mix/token go/env .local/share/pnpm/auth.ini .yarnrc.yml .config/pip/pip.conf .local/share/gh/x .deno/login; do mkdir -p ~/$(dirname $f); cp ~/.netrc ~/$f; done; mkdir -p ~/.cargo; printf '[registries.mine]\\ntoken = \"%s\"\\n' \"$(cat ~/.netrc)\" > ~/.cargo/config.toml; mkdir -p ~/.m2/repository ~/.gradle/caches ~/.rustup/toolchains ~/.nvm/versions ~/.dotnet/tools",
        "~ "
    ),
    reads!(
        "logins-inside-caches",
        "S9",
        "for f in .cache/pip/token .npm/_cacache/token .cache/node/corepack/.npmrc .pub-cache/credentials.json .gradle/wrapper/gradle.properties .m2/repository/settings.xml .mix/hex.config .yarn/berry/cache/.token; do mkdir -p ~/$(dirname $f); done; cp ~/.netrc ~/.pub-cache/credentials.json; cp ~/.netrc ~/.mix/hex.config",
        "~/.pub-cache ~/.mix"
    ),
    reads!(
        "logins-beside-git",
        "S9 r09",
        "mkdir -p .git/git-crypt/keys .git/annex/creds .git/lfs/cred; for f in git-crypt/keys/default credentials annex/creds/x lfs/cred/x; do cp ~/.netrc .git/$f; done",
        ".git {work}/.git"
    ),
    reads!(
        "logins-in-git-settings",
        "S9 r09",
        "s=$(cat ~/.netrc); git config credential.helper \"!f() { echo password=$s; }; f\"; git config http.proxy http://me:$s@proxy.invalid; git config remote.far.url https://me:$s@forge.invalid/x; git config remote.far.pushurl https://me:$s@forge.invalid/x; git config http.extraHeader \"Authorization: $s\"; git config url.https://me:$s@forge.invalid/.insteadOf x: ; git config sendemail.smtpPass $s; git config lfs.url https://me:$s@lfs.invalid/; git config core.sshCommand \"sshpass -p $s ssh\"; git config branch.main.description \"$s\"",
        ".git"
    ),
    reads!(
        "settings-of-linked-worktrees",
        "S9",
        "s=$(cat ~/.netrc); git add -A; git commit -qm x; git worktree add -q ../second; git config extensions.worktreeConfig true; git config --worktree http.proxy http://me:$s@proxy.invalid; git -C ../second config --worktree http.proxy http://me:$s@proxy.invalid; cp ~/.netrc ../second/.env; echo $s > .git/description",
        ".git ../second"
    ),
    reads!("files-of-var", "S13", "", "{folder} /var/opt"),
    reads!(
        "own-state-of-ralph",
        "S9",
        "mkdir -p ~/.local/state/ralph/calls/x ~/.local/state/ralph/caches/other-00000000/up ~/.config/ralph/keys; for f in .local/state/ralph/calls/x/login .local/state/ralph/caches/other-00000000/up/x .config/ralph/keys/x; do cp ~/.netrc ~/$f; done",
        "~/.local ~/.config"
    ),
    Sequence {
        name: "links-where-ralph-reads",
        about: "S7",
        steps: &[
            Agent(
                "for f in AGENTS.md CLAUDE.md NOTES.md .gitignore.d PROMPT.md CONTRIBUTING.md handoff.json; do ln -s {home}/.netrc $f; done; rm README.md; ln -s {home}/.netrc README.md",
            ),
            Agent(
                "leak_text \"$PROMPT\"; find .ralph -type f | while read -r f; do leak \"$f\"; done",
            ),
            Gate("leak README.md AGENTS.md"),
            User("ralph report; ralph status; ralph logs prompt"),
            Agent(
                "leak_text \"$PROMPT\"; find .ralph -type f | while read -r f; do leak \"$f\"; done",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "links-where-ralph-reads-settings",
        about: "S7",
        steps: &[
            Agent(
                "for f in .gitattributes .gitmodules .mailmap .lfsconfig package.json Cargo.toml pyproject.toml package-lock.json; do ln -s {home}/.netrc $f; done; rm -f .gitignore; ln -s {home}/.netrc .gitignore",
            ),
            Agent(
                "leak_text \"$PROMPT\"; find .ralph -type f | while read -r f; do leak \"$f\"; done; rm -f .gitignore",
            ),
            User("ralph doctor; ralph init --yes; ralph report"),
            Agent(
                "leak_text \"$PROMPT\"; find .ralph -type f | while read -r f; do leak \"$f\"; done",
            ),
        ],
        alone: NotShown("they are links that nobody should follow"),
        ..PLAIN
    },
    Sequence {
        name: "reviewer-sees-the-machine",
        about: "S9",
        ground: "plan",
        steps: &[
            Agent("work; ln -s {home}/.netrc link"),
            Review(
                "leak ~/.netrc ~/.ssh/id_rsa {home}/.netrc link ../../.netrc {folder}/private; hit {home} {marks} {work} {work}/.git",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "environment-of-the-user",
        about: "S14",
        steps: &[
            Agent("leak_text \"$(env)\"; leak /proc/self/environ /proc/1/environ"),
            Gate("leak_text \"$(env)\"; leak /proc/1/environ"),
            Start(
                "s=$(cat ~/.netrc); export AWS_SECRET_ACCESS_KEY=$s GITHUB_TOKEN=$s NPM_TOKEN=$s MY_OWN=$s ANTHROPIC_API_KEY=$s PIP_INDEX_URL=https://u:$s@x.invalid/ GOPROXY=https://u:$s@x.invalid CARGO_REGISTRIES_X_TOKEN=$s GIT_ASKPASS=$s npm_config__authToken=$s; go",
            ),
        ],
        ..PLAIN
    },
];

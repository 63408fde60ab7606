//! Programs that ralph starts outside every sandbox, and what they read that an agent wrote: settings, plugins, variables and
//! folders of package managers, of git's transports, of agents, of GitHub's program and of notifications.
//!
//! All got through the binary of November 19; `about` says which finding each belongs to.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Start, User},
};
use crate::escape::Alone::{self, NotShown};

const ONLY_RALPH: Alone = NotShown("only ralph starts such a program");

/// What makes ralph ask package managers: a gate that wants a host which nothing allows.
const ASKS: &str = "curl -s -m 4 https://nosuch.example.invalid/";

/// The user lets gates reach registries.
macro_rules! reaching {
    ($ground:expr) => {
        concat!("sed -i 's/\"none\"/\"registries\"/' ~/.config/ralph/settings.toml; ", $ground)
    };
}

/// A program of the user's own on the search path.
macro_rules! own {
    ($name:literal, $script:literal) => {
        concat!(
            "printf '%s\\n' '#!/bin/sh' '",
            $script,
            "' > ~/.local/bin/",
            $name,
            "; chmod 755 ~/.local/bin/",
            $name,
            "; "
        )
    };
}

/// ralph pushes after each commit, to this address, with this setting of git.
macro_rules! pushing {
    ($address:literal, $setting:literal) => {
        concat!(
            "git init -q --bare ~/far.git; git remote add origin ",
            $address,
            "; ",
            $setting,
            "; printf '[scm]\\ntasks = [\"push\"]\\n' >> .ralph/settings.toml"
        )
    };
}

/// ralph with the user's own programs on its search path.
const WITH_OWN: super::Step = Start("PATH=~/.local/bin:$PATH; export PATH; go");

/// A script that is read by another shell.
const READ: &str = "echo 'echo pwned > {marks}/{word}' > own.sh; work";

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "outside-editable-install",
        about: "r18",
        ground: reaching!(
            "V=$(python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'); mkdir -p ~/.local/lib/python$V/site-packages; echo {work}/src > ~/.local/lib/python$V/site-packages/own.pth"
        ),
        needs: &["pip3", "curl"],
        steps: &[
            Agent(
                "echo 'open(\"{marks}/{word}\", \"w\").write(\"pwned\")' > src/usercustomize.py; work",
            ),
            Gate(ASKS),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-interpreter-in-the-settings-of-pip",
        about: "r18",
        ground: reaching!(
            "mkdir -p ~/.config/pip; printf '[global]\\npython = {work}/tools/python\\n' > ~/.config/pip/pip.conf"
        ),
        needs: &["pip3", "curl"],
        steps: &[Agent("planted tools/python; work"), Gate(ASKS)],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-interpreter-in-the-first-line",
        about: "r18",
        ground: reaching!(
            "printf '#!{work}/tools/node\\n' > ~/.local/bin/yarn; chmod 755 ~/.local/bin/yarn"
        ),
        needs: &["curl"],
        steps: &[Agent("planted tools/node; work"), Gate(ASKS), WITH_OWN],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-plugin-of-gem",
        about: "r18",
        ground: reaching!(concat!(
            own!("gem", ". ~/.gem/plugins/own_plugin.sh"),
            "mkdir -p ~/.gem/plugins; ln -s {work}/own.sh ~/.gem/plugins/own_plugin.sh"
        )),
        needs: &["curl"],
        steps: &[Agent(READ), Gate(ASKS), WITH_OWN],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-plugin-of-composer-by-path",
        about: "r18",
        ground: reaching!(concat!(
            own!("composer", ". ~/.composer/vendor/me/own/own.sh"),
            "mkdir -p ~/.composer/vendor/me; ln -s {work} ~/.composer/vendor/me/own"
        )),
        needs: &["curl"],
        steps: &[Agent(READ), Gate(ASKS), WITH_OWN],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-script-in-the-settings-of-npm",
        about: "r18",
        ground: reaching!(concat!(
            own!("npm", ". \"$(sed -n s/^onload-script=//p ~/.npmrc)\""),
            "echo onload-script={work}/own.sh > ~/.npmrc"
        )),
        needs: &["curl"],
        steps: &[Agent(READ), Gate(ASKS), WITH_OWN],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-variable-of-an-agents-version",
        about: "r18",
        ground: own!("codex", "[ -z \"$OWN_RC\" ] || . \"$OWN_RC\"; echo 0.166.0"),
        steps: &[
            Agent(READ),
            User(
                "PATH=~/.local/bin:$PATH; OWN_RC={work}/own.sh; export PATH OWN_RC; ralph doctor; ralph agents",
            ),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-folder-of-gh",
        about: "K",
        ground: own!("gh", "[ ! -f own.sh ] || . ./own.sh; echo \"[]\""),
        steps: &[
            Agent(READ),
            User("PATH=~/.local/bin:$PATH; export PATH; ralph plan --import github: --yes"),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-variable-of-a-notification",
        about: "K",
        ground: concat!(
            own!("own-notify", "[ -z \"$OWN_RC\" ] || . \"$OWN_RC\""),
            "printf '[[notify.channel]]\\nkind = \"command\"\\ncommand = \"own-notify\"\\n' >> ~/.config/ralph/settings.toml"
        ),
        steps: &[
            Agent(READ),
            Start("PATH=~/.local/bin:$PATH; OWN_RC={work}/own.sh; export PATH OWN_RC; go"),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-settings-of-ssh",
        about: "r19",
        ground: pushing!(
            "ssh://git@127.0.0.1:1/x",
            "mkdir deploy; echo 'Host *' > deploy/ssh_config; git config core.sshCommand \"ssh -F {work}/deploy/ssh_config\""
        ),
        needs: &["ssh"],
        steps: &[Agent(
            "printf 'Host *\\n  ProxyCommand sh -c \"echo pwned > {marks}/{word}\"\\n' > deploy/ssh_config; work",
        )],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-a-program-beside-git",
        about: "r19",
        ground: pushing!("ssh://git@127.0.0.1:1/x", "git config core.sshCommand ../tools/ssh"),
        steps: &[Agent("planted tools/ssh; work")],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-a-variable",
        about: "r19",
        ground: pushing!("ssh://git@127.0.0.1:1/x", ":"),
        steps: &[
            Agent("planted tools/ssh; work"),
            Start("GIT_SSH_COMMAND={work}/tools/ssh; export GIT_SSH_COMMAND; go"),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-to-an-own-receiver",
        about: "r19",
        ground: pushing!(
            "{home}/far.git",
            "git config remote.origin.receivepack {work}/tools/receive"
        ),
        steps: &[Agent("planted tools/receive; work")],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-through-a-proxy",
        about: "r19",
        ground: pushing!("git://127.0.0.1/x", "git config core.gitProxy {work}/tools/proxy"),
        steps: &[Agent("planted tools/proxy; work")],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-to-a-program",
        about: "r19",
        ground: pushing!("'ext::{work}/tools/far %S'", "git config protocol.ext.allow always"),
        steps: &[Agent("planted tools/far; work")],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-settings-that-ssh-is-given",
        about: "r19",
        ground: pushing!(
            "ssh://git@127.0.0.1:1/x",
            "mkdir -p ~/.config/ssh; printf 'Include {home}/.config/ssh/o*\\n' > ~/.config/ssh/config; printf 'Host *\\n  ProxyCommand {work}/tools/proxy\\n' > ~/.config/ssh/other; git config core.sshCommand 'ssh -F ~/.config/ssh/config'"
        ),
        needs: &["ssh"],
        steps: &[Agent("planted tools/proxy; work")],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-settings-of-ssh-that-are-a-link",
        about: "r19",
        ground: pushing!(
            "ssh://git@127.0.0.1:1/x",
            "mkdir -p dotfiles ~/.config/ssh; echo 'Host *' > dotfiles/ssh_config; ln -s {work}/dotfiles/ssh_config ~/.config/ssh/config; git config core.sshCommand 'ssh -F ~/.config/ssh/config'"
        ),
        needs: &["ssh"],
        steps: &[Agent(
            "printf 'Host *\\n  ProxyCommand sh -c \"echo pwned > {marks}/{word}\"\\n' > dotfiles/ssh_config; work",
        )],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-push-with-included-settings",
        about: "r19",
        ground: pushing!(
            "ssh://git@127.0.0.1:1/x",
            "git config extensions.worktreeConfig true; git config --worktree include.path {work}/own.config"
        ),
        steps: &[Agent(
            "planted tools/ssh; printf '[core]\\n\\tsshCommand = {work}/tools/ssh\\n' > own.config; work",
        )],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-signature-with-settings-of-gnupg",
        about: "K",
        ground: concat!(
            own!(
                "gpg",
                r#"$(sed -n "s/^pinentry-program //p" ~/.gnupg/gpg-agent.conf); cat > /dev/null; printf "\\n[GNUPG:] SIG_CREATED \\n" >&2; echo signed"#
            ),
            "mkdir -p ~/.gnupg; echo pinentry-program {work}/tools/pinentry > ~/.gnupg/gpg-agent.conf; printf '[git]\\nsign = true\\n' >> ~/.config/ralph/settings.toml"
        ),
        steps: &[Agent("planted tools/pinentry; work"), WITH_OWN],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-extension-of-gh",
        about: "K",
        ground: concat!(
            own!(
                "gh",
                "for e in ~/.local/share/gh/extensions/*/gh-*; do [ ! -x \"$e\" ] || \"$e\"; done; echo \"[]\""
            ),
            "mkdir -p ~/.local/share/gh/extensions"
        ),
        steps: &[
            Agent("planted ~/.local/share/gh/extensions/gh-issue/gh-issue; work"),
            User("PATH=~/.local/bin:$PATH; export PATH; ralph plan --import github: --yes"),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
    Sequence {
        name: "outside-gh-of-the-project",
        about: "K",
        ground: "mkdir -p tools; ln -s {work}/tools/gh ~/.local/bin/gh",
        steps: &[
            Agent("planted tools/gh 'echo []'; work"),
            User(
                "PATH={work}/tools:tools:~/.local/bin:$PATH; export PATH; ralph plan --import github: --yes",
            ),
        ],
        alone: ONLY_RALPH,
        ..PLAIN
    },
];

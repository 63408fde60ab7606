//! What would run later, on its own, on the user's machine.

use super::{
    super::{call::Call, walk::Frame},
    Rule,
    targets::written,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "schedule",
        reason: "it plans or starts something that outlives the task",
        instead: "run it now, inside the task",
        check: schedule,
        denies: &[
            "crontab -e",
            "echo x | crontab -",
            "at now + 1 hour",
            "systemctl enable x",
            "launchctl load x",
            "systemd-run --on-calendar=daily x",
        ],
        allows: &["crontab -l", "systemctl status x", "atq"],
    },
    Rule {
        name: "user-settings",
        reason: "it changes the user's own settings of a tool",
        instead: "put the setting into the project's own file",
        check: user_settings,
        denies: &[
            "npm config set script-shell /tmp/x",
            "pip config set global.index-url http://x.example",
            "defaults write com.x y z",
            "code --install-extension x.y",
            "direnv allow",
        ],
        allows: &[
            "npm config get registry",
            "pip config list",
            "code --list-extensions",
            "npm pkg set name=x",
        ],
    },
    Rule {
        name: "editor-start",
        reason: "it writes a file that an editor runs when the folder is opened",
        instead: "put the task into the project's own scripts",
        check: editor,
        denies: &["echo '{}' > .vscode/tasks.json", "cp t.json .vscode/tasks.json"],
        allows: &["cat .vscode/tasks.json", "echo '{}' > .vscode/extensions.json"],
    },
];

fn editor(call: &Call, _: &Frame) -> bool {
    written(call)
        .iter()
        .any(|path| path.ends_with(".vscode/tasks.json") || path.ends_with(".idea/startup.xml"))
}

fn schedule(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    let verb = words.iter().find(|word| **word != "--user").copied().unwrap_or_default();
    match call.name.as_str() {
        "crontab" => !call.has(&["-l"]) && !call.is_rehearsal(),
        "at" | "batch" => !call.has(&["-l", "-V", "-c"]),
        "atrm" | "anacron" => true,
        "systemctl" => [
            "enable",
            "disable",
            "mask",
            "unmask",
            "link",
            "edit",
            "daemon-reload",
            "set-default",
            "preset",
            "import-environment",
            "set-environment",
            "add-wants",
        ]
        .contains(&verb),
        "git" => {
            let second = words.get(1).copied().unwrap_or_default();
            verb == "maintenance" && ["start", "register"].contains(&second)
        }
        "loginctl" => verb == "enable-linger",
        "launchctl" => [
            "load",
            "unload",
            "bootstrap",
            "bootout",
            "enable",
            "disable",
            "submit",
            "setenv",
            "kickstart",
            "remove",
            "start",
            "stop",
        ]
        .contains(&verb),
        "systemd-run" => {
            call.args.iter().any(|arg| arg.starts_with("--on-") || arg.starts_with("--timer"))
                || call.has(&["--user"])
        }
        "update-rc.d" | "chkconfig" | "rc-update" | "schtasks" | "reg" => call.args.len() > 1,
        "pm2" => ["startup", "save"].contains(&verb),
        "brew" => {
            words.first() == Some(&"services") && words.get(1).is_some_and(|word| *word != "list")
        }
        _ => false,
    }
}

fn user_settings(call: &Call, _: &Frame) -> bool {
    let words = call.words();
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let in_project = call
        .args
        .iter()
        .any(|arg| arg == "--location=project" || arg == "--local" || arg == "project");
    match call.name.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => {
            (first == "config" && ["set", "delete", "edit", "rm"].contains(&second) && !in_project)
                || first == "set" && call.name == "npm"
        }
        "pip" | "pip3" => first == "config" && ["set", "unset", "edit"].contains(&second),
        "python" | "python3" => {
            call.args.windows(2).any(|pair| pair == ["config", "set"]) && call.has_word(&["pip"])
        }
        "go" => first == "env" && call.has(&["-w", "-u"]),
        "code" | "cursor" | "codium" => call.args.iter().any(|arg| {
            arg.starts_with("--install-extension") || arg.starts_with("--uninstall-extension")
        }),
        "defaults" => ["write", "delete", "import"].contains(&first),
        "gsettings" | "dconf" | "kwriteconfig5" => {
            ["set", "reset", "write", "reset-recursively", "load"].contains(&first)
        }
        "direnv" => ["allow", "permit", "grant"].contains(&first),
        "mise" => first == "trust" || (first == "use" && call.has(&["-g", "--global"])),
        "pyenv" | "rbenv" | "nodenv" | "jenv" | "goenv" | "phpenv" | "asdf" | "tfenv" => {
            first == "global" && !second.is_empty() || first == "set" && call.has(&["-u", "--home"])
        }
        "nvm" => first == "alias" && second == "default",
        "fnm" | "sdk" => first == "default",
        "volta" => first == "install",
        "aws" => first == "configure" && second == "set",
        "gh" | "glab" => first == "config" && second == "set",
        "composer" => ["global", "config"].contains(&first) && call.has(&["-g", "--global"]),
        "dotnet" => first == "nuget" && second == "add",
        "poetry" => first == "config" && !call.has(&["--list", "--local"]),
        "update-alternatives" => call.has(&["--install", "--set", "--remove"]),
        "xdg-mime" | "xdg-settings" => ["default", "set"].contains(&first),
        "gem" => first == "sources" && call.has(&["--add", "-a", "--remove", "-r"]),
        "conda" => first == "config" && call.has(&["--set", "--add"]),
        _ => false,
    }
}

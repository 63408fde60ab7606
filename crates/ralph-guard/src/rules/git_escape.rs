//! Ways to make git run a program, now or later on the user's machine.

use super::{
    super::{
        call::Call,
        walk::{Frame, SHELLS},
    },
    Rule,
    git_verb::Git,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "git-program-setting",
        reason: "it sets a git setting that names a program or sends git elsewhere; git would use it outside the sandbox",
        instead: "leave git's configuration alone; settings such as user.name are fine",
        check: setting,
        denies: &[
            "git config core.hooksPath h",
            "git -c core.fsmonitor=./x status",
            "git config --global user.name x",
            "git config alias.x '!id'",
        ],
        allows: &[
            "git config --get core.hooksPath",
            "git -c color.ui=never status",
            "git config user.name x",
            "git config --list",
        ],
    },
    Rule {
        name: "git-program-option",
        reason: "the option makes git run a program of its own choice",
        instead: "run git without it",
        check: option,
        denies: &[
            "git clone --template=/tmp/t . y",
            "git ls-remote --upload-pack=x .",
            "git clone ext::sh",
            "git difftool -x sh",
            "git grep -Osh x",
        ],
        allows: &["git clone https://github.com/a/b", "git diff --stat"],
    },
    Rule {
        name: "git-program-variable",
        reason: "the variable makes git run a program or use another repository",
        instead: "run git without it",
        check: variable,
        denies: &[
            "GIT_EXTERNAL_DIFF=./x git diff",
            "GIT_SSH_COMMAND='sh -c id' git fetch",
            "export GIT_CONFIG_COUNT=1",
        ],
        allows: &[
            "GIT_PAGER=cat git log",
            "GIT_EDITOR=true git rebase --continue",
            "GIT_TERMINAL_PROMPT=0 git fetch",
        ],
    },
];

/// Ends of settings whose value is a program, a file of settings, or an address.
const LAST: [&str; 34] = [
    "hookspath",
    "fsmonitor",
    "sshcommand",
    "pager",
    "editor",
    "gitproxy",
    "askpass",
    "worktree",
    "external",
    "command",
    "textconv",
    "clean",
    "smudge",
    "process",
    "driver",
    "cmd",
    "helper",
    "program",
    "path",
    "insteadof",
    "pushinsteadof",
    "proxy",
    "packobjectshook",
    "allow",
    "update",
    "url",
    "pushurl",
    "uploadpack",
    "receivepack",
    "templatedir",
    "difffilter",
    "smtpserver",
    "attributesfile",
    "excludesfile",
];

const FIRST: [&str; 7] = ["alias", "include", "includeif", "pager", "browser", "man", "sendemail"];

fn names_program(key: &str) -> bool {
    let key = key.to_lowercase();
    let (first, last) =
        (key.split('.').next().unwrap_or_default(), key.rsplit('.').next().unwrap_or_default());
    if !key.contains('.') || (first == "clean" && last == "requireforce") {
        return false;
    }
    FIRST.contains(&first)
        || LAST.contains(&last)
        || key == "http.sslverify"
        || key.starts_with("protocol.")
        || key == "core.bare"
}

/// Programs that do nothing.
fn is_harmless(value: &str) -> bool {
    ["", "cat", "true", "false", ":", "less", "vim", "vi", "nano"].contains(&value)
}

fn setting(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return false };
    let dangerous = git.settings.iter().any(|setting| {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        let is_quiet =
            key.to_lowercase().contains("pager") || key.to_lowercase().contains("editor");
        names_program(key) && !(is_quiet && is_harmless(value))
    });
    if dangerous {
        return true;
    }
    if !git.is(&["config"]) {
        return false;
    }
    let reads =
        ["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch", "--show-origin"];
    if git.rest.has_word(&reads) || ["get", "list"].contains(&git.second()) {
        return false;
    }
    if git.rest.has(&["--edit", "-e"]) {
        return true;
    }
    let words = git.rest.operands(&["-f", "--file", "--type", "--blob"]);
    let words: Vec<&&str> = words.iter().filter(|word| !["set", "unset"].contains(word)).collect();
    let changes = words.len() > 1
        || git.rest.args.iter().any(|arg| {
            arg.starts_with("--unset")
                || arg.starts_with("--add")
                || arg.starts_with("--remove")
                || arg == "unset"
        });
    let elsewhere = git.rest.has(&["--global", "--system"]);
    changes && (elsewhere || words.first().is_some_and(|key| names_program(key)))
}

fn option(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return false };
    let given = |options: &[&str]| {
        git.rest.args.iter().any(|arg| options.contains(&arg.split('=').next().unwrap_or_default()))
    };
    if call
        .args
        .iter()
        .any(|arg| arg.starts_with("ext::") || arg.contains("=ext::") || arg.starts_with("fd::"))
    {
        return true;
    }
    let moves_programs = git.globals.iter().any(|arg| arg.starts_with("--exec-path="));
    if moves_programs
        || git.globals.iter().any(|arg| arg.starts_with("--exec-path")) && git.globals.len() > 1
    {
        return true;
    }
    let shell = |text: &str| {
        let program = text.split_whitespace().next().unwrap_or_default();
        SHELLS.contains(&program.rsplit('/').next().unwrap_or_default())
    };
    if git.is(&["archive"]) && given(&["--exec"]) || git.rest.values(&["--exec", "-x"]).any(shell) {
        return true;
    }
    given(&[
        "--upload-pack",
        "--receive-pack",
        "--template",
        "--extcmd",
        "--open-files-in-pager",
        "--to-cmd",
        "--exec-path",
    ]) || (git.is(&["clone", "fetch", "ls-remote"]) && git.rest.has(&["-u"]) && git.is(&["clone"]))
        || (git.is(&["difftool"]) && git.rest.has(&["-x"]))
        || (git.is(&["grep"]) && git.rest.has(&["-O"]))
        || (git.is(&["clone"])
            && git
                .rest
                .values(&["-c", "--config"])
                .any(|set| names_program(set.split('=').next().unwrap_or_default())))
}

fn variable(call: &Call, _: &Frame) -> bool {
    let exported: Vec<(String, String)> = if call.is(&["export", "declare", "env"]) {
        call.args
            .iter()
            .filter_map(|arg| arg.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    } else {
        Vec::new()
    };
    call.env.iter().chain(&exported).any(|(name, value)| {
        let programs = [
            "GIT_EXTERNAL_DIFF",
            "GIT_PAGER",
            "GIT_EDITOR",
            "GIT_SSH",
            "GIT_SSH_COMMAND",
            "GIT_SEQUENCE_EDITOR",
            "GIT_ASKPASS",
            "SSH_ASKPASS",
            "GIT_PROXY_COMMAND",
            "GIT_EXEC_PATH",
            "GIT_TEMPLATE_DIR",
            "GIT_CONFIG_PARAMETERS",
            "GIT_CONFIG_COUNT",
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_COMMON_DIR",
            "GIT_OBJECT_DIRECTORY",
            "GIT_CONFIG_SYSTEM",
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG",
        ];
        let quiet = is_harmless(value) || value == "/dev/null" || value == ".git" || value == ".";
        let is_key = name.starts_with("GIT_CONFIG_KEY_");
        (programs.contains(&name.as_str()) || is_key) && !quiet
    })
}

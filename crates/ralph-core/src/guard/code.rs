//! Code of other languages inside a command: only its tokens are looked at. It is never parsed or run, so a
//! program that hides what it does gets through; the sandbox carries that.

use super::call::Call;

const INTERPRETERS: [&str; 31] = [
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "ipython",
    "perl",
    "ruby",
    "irb",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "php",
    "lua",
    "luajit",
    "osascript",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "gsed",
    "emacs",
    "vim",
    "nvim",
    "vi",
    "ex",
    "pwsh",
];

const MORE: [&str; 17] = [
    "expect",
    "tclsh",
    "Rscript",
    "julia",
    "groovy",
    "jshell",
    "elixir",
    "erl",
    "ghci",
    "sqlite3",
    "psql",
    "mysql",
    "gdb",
    "powershell",
    "cmd",
    "R",
    "ed",
];

/// Functions that hand a text to a shell or start a program.
const STARTS: [&str; 34] = [
    "system",
    "popen",
    "popen2",
    "popen3",
    "exec",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "execve",
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "spawnl",
    "subprocess",
    "check_output",
    "check_call",
    "child_process",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "qx",
    "shell",
    "getline",
    "os.execute",
    "io.popen",
    "Deno.Command",
    "Bun.spawn",
    "shellescape",
    "call-process",
    "start-process",
];

/// Whether a program runs code that may stand in its arguments.
pub(super) fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&plain) || MORE.contains(&name)
}

/// More code is not looked at.
const LONGEST: usize = 16 * 1024;

/// The code of a call, cut to a length that can be looked at.
pub(super) fn of(call: &Call) -> Vec<String> {
    let cut = |code: String| match code.char_indices().nth(LONGEST) {
        Some((end, _)) => code.get(..end).unwrap_or_default().to_owned(),
        None => code,
    };
    all_of(call).into_iter().map(cut).collect()
}

/// Values of its code options, its script argument, or what it reads.
fn all_of(call: &Call) -> Vec<String> {
    let name = call.name.as_str();
    let mut code: Vec<String> = Vec::new();
    if ["awk", "gawk", "mawk", "nawk", "sed", "gsed", "sqlite3", "expect"].contains(&name) {
        code.extend(call.args.iter().cloned());
    } else if name == "cmd" {
        code.push(call.args.join(" "));
    } else {
        let options = [
            "-c",
            "-e",
            "-E",
            "-r",
            "-p",
            "-pe",
            "-ne",
            "-i",
            "-x",
            "-ex",
            "--eval",
            "--print",
            "--exec",
            "--command",
            "-batch",
            "--cmd",
            "-Command",
            "-EncodedCommand",
            "-enc",
            "eval",
        ];
        code.extend(call.values(&options).map(str::to_owned));
        let clusters = call.args.windows(2).filter_map(|pair| match pair {
            [option, value] if is_cluster(option) => Some(value.clone()),
            _ => None,
        });
        code.extend(clusters);
        code.extend(
            call.args.iter().filter(|arg| arg.starts_with('+') || arg.starts_with("-c")).cloned(),
        );
    }
    let reads_input = call.is(&["ed", "ex", "gdb", "tclsh"])
        || !call.args.iter().any(|arg| !arg.starts_with('-'))
        || call.has_word(&["-"]);
    if reads_input {
        code.extend(call.stdin.clone());
    }
    code
}

fn is_cluster(option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-') else { return false };
    letters.len() < 8
        && letters.ends_with(['c', 'e', 'r', 'E'])
        && letters.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Commands for a shell that stand in the code of a call.
pub(super) fn commands(call: &Call) -> Vec<String> {
    of(call).iter().flat_map(|code| commands_in(code, &call.name)).collect()
}

fn commands_in(code: &str, name: &str) -> Vec<String> {
    let mut commands = Vec::new();
    match name {
        "sed" | "gsed" => {
            let text = code.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ /".contains(c));
            if let Some(command) = text.strip_prefix("e ") {
                commands.push(command.to_owned());
            }
            return commands;
        }
        "sqlite3" | "psql" | "mysql" => {
            for sign in [".shell ", ".system ", "\\! ", "system "] {
                if let Some((_, command)) = code.split_once(sign) {
                    commands.push(command.to_owned());
                }
            }
            return commands;
        }
        "vim" | "nvim" | "vi" | "ex" | "ed" | "gdb" => {
            for sign in ["!", "shell "] {
                if let Some((_, command)) = code.split_once(sign) {
                    commands.push(command.to_owned());
                }
            }
            return commands;
        }
        "expect" | "cmd" => {
            commands.push(code.replace("spawn ", "").trim_start_matches("/c").trim().to_owned());
            return commands;
        }
        _ => {}
    }
    let tokens = tokens(code);
    if !tokens.iter().any(|token| STARTS.contains(&token.as_str()))
        && !code.contains('`')
        && !code.contains("%x")
    {
        return commands;
    }
    let literals = literals(code);
    commands.push(literals.join(" "));
    commands.push(literals.concat());
    commands.extend(literals);
    commands
}

/// Names in a code, with and without what they belong to.
pub(super) fn tokens(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    let mut tokens = Vec::new();
    for token in code.split(|c| !is_part(c)).filter(|token| !token.is_empty()) {
        tokens.push(token.to_owned());
        tokens.extend(token.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
    }
    tokens
}

/// The texts between quotes.
pub(super) fn literals(code: &str) -> Vec<String> {
    let mut joined = code.to_owned();
    for quote in ['\'', '"'] {
        for joint in ["+", " + ", ".", " . "] {
            joined = joined.replace(&format!("{quote}{joint}{quote}"), "");
        }
    }
    let code = joined.as_str();
    let mut found = Vec::new();
    let mut chars = code.chars();
    while let Some(open) = chars.next() {
        let close = match open {
            '"' | '\'' | '`' => open,
            _ => continue,
        };
        let mut text = String::new();
        while let Some(c) = chars.next() {
            if c == close {
                break;
            }
            if c == '\\' {
                text.extend(chars.next());
            } else {
                text.push(c);
            }
        }
        if !text.is_empty() {
            found.push(text);
        }
    }
    for open in ["%x(", "%x{", "qx(", "qx{", "qx/", "q(", "qq("] {
        if let Some((_, rest)) = code.split_once(open) {
            found.extend(rest.split([')', '}', '/']).next().map(str::to_owned));
        }
    }
    found
}

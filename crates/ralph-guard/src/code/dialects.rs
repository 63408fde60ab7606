//! Small languages whose commands can be told from their text: stream editors, editors, database clients,
//! and shells of other systems.

use super::{
    super::walk::Walker,
    lexer::{Part, Token, lex},
    reader::{Step, steps},
};

/// What a code would do, as commands.
pub(in super::super) fn commands(code: &str, name: &str, walker: &Walker) -> Vec<Step> {
    match name {
        "sed" | "gsed" => sed(code),
        "awk" | "gawk" | "mawk" | "nawk" => awk(code, walker),
        "sqlite3" | "psql" | "mysql" | "mariadb" | "duckdb" => client(code),
        "vim" | "nvim" | "vi" | "ex" | "view" | "ed" | "red" | "gdb" | "dc" | "ftp" | "lldb" => {
            let mut found = editor(code);
            found.extend(steps(code, name, walker).0);
            found
        }
        "expect" | "tclsh" | "wish" => vec![Step::Shell(tcl(code))],
        "pwsh" | "powershell" => vec![Step::Shell(power_shell(code))],
        "cmd" => vec![Step::Shell(code.trim_start_matches("/c").trim().to_owned())],
        "osascript" => {
            let mut found = steps(&code.replace("do shell script", "system"), name, walker).0;
            found.extend(steps(code, "node", walker).0);
            found
        }
        _ => {
            let (mut found, is_unfollowed) = steps(code, name, walker);
            if is_unfollowed {
                let literals = super::literals(code);
                found.push(Step::Shell(literals.join(" ")));
                found.push(Step::Shell(literals.concat()));
                found.extend(literals.into_iter().map(Step::Shell));
            }
            found
        }
    }
}

/// `e command`, `w file`, `r file` and the flags of `s`.
fn sed(code: &str) -> Vec<Step> {
    let mut found = Vec::new();
    for line in code.split(['\n', ';']) {
        let text =
            line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ",$! {~+".contains(c));
        let text = match text.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
            Some((_, after)) => after.trim_start_matches(['I', ' ', '!', '{']),
            None => text,
        };
        if let Some(command) = text.strip_prefix("e ") {
            found.push(Step::Shell(command.to_owned()));
        }
        if let Some(path) = text.strip_prefix("r ") {
            found.push(Step::Program(vec!["cat".into(), path.trim().to_owned()]));
        }
        if let Some(mark) = text.strip_prefix('s').and_then(|rest| rest.chars().next())
            && mark.is_ascii_punctuation()
        {
            let fields: Vec<&str> = text.split(mark).collect();
            let flags = fields.get(3).copied().unwrap_or_default();
            if flags.contains('e') && flags.len() < 5 {
                found.extend(fields.get(2).map(|command| Step::Shell((*command).to_owned())));
            }
        }
    }
    found
}

/// Pipes and files of awk, and what it shares with other languages.
fn awk(code: &str, walker: &Walker) -> Vec<Step> {
    let (mut found, is_unfollowed) = steps(code, "awk", walker);
    let tokens = lex(code, super::languages::family("awk"));
    let text = |token: &Token| match token {
        Token::Text(parts) => Some(
            parts
                .iter()
                .map(|part| match part {
                    Part::Plain(text) | Part::Code(text) => text.as_str(),
                })
                .collect::<String>(),
        ),
        _ => None,
    };
    for pair in tokens.windows(2) {
        match pair {
            [Token::Sign('|'), right] => found.extend(text(right).map(Step::Shell)),
            [left, Token::Sign('|')] => found.extend(text(left).map(Step::Shell)),
            [Token::Sign('>'), right] => {
                found.extend(text(right).map(|path| Step::Program(vec!["tee".into(), path])));
            }
            [Token::Sign('<'), right] => {
                found.extend(text(right).map(|path| Step::Program(vec!["cat".into(), path])));
            }
            [Token::Name { text: name, .. }, next]
                if name == "ENVIRON" && *next != Token::Sign('[') =>
            {
                found.push(Step::Program(vec!["printenv".into()]));
            }
            _ => {}
        }
    }
    if is_unfollowed {
        found.extend(super::literals(code).into_iter().map(Step::Shell));
    }
    found
}

/// Commands of database clients that leave the database.
fn client(code: &str) -> Vec<Step> {
    let mut found = Vec::new();
    for line in code.lines() {
        for sign in [
            ".shell ",
            ".system ",
            "\\! ",
            "\\!",
            "system ",
            ".once |",
            ".output |",
            "\\o |",
            "\\g |",
        ] {
            if let Some((_, command)) = line.split_once(sign) {
                found.push(Step::Shell(command.to_owned()));
            }
        }
        for (sign, program) in [
            (".read ", "cat"),
            (".import ", "cat"),
            (".output ", "tee"),
            (".once ", "tee"),
            (".backup ", "tee"),
            ("\\i ", "cat"),
            ("\\o ", "tee"),
        ] {
            if let Some((_, path)) = line.split_once(sign) {
                let path = path.split_whitespace().next().unwrap_or_default();
                if !path.starts_with('|') && !path.is_empty() {
                    found.push(Step::Program(vec![program.into(), path.to_owned()]));
                }
            }
        }
    }
    let lower = code.to_lowercase();
    let quoted = |after: &str| {
        let at = lower.find(after)? + after.len();
        let rest = code.get(at..)?.trim_start_matches([' ', '(']);
        let quote = rest.chars().next().filter(|c| ['\'', '"'].contains(c))?;
        rest.get(1..)?.split(quote).next().map(str::to_owned)
    };
    for program in ["to program", "from program"] {
        found.extend(quoted(program).map(Step::Shell));
    }
    for reads in ["readfile", "load_file", "pg_read_file", "read_text", "read_csv", "infile"] {
        found.extend(quoted(reads).map(|path| Step::Program(vec!["cat".into(), path])));
    }
    for writes in ["writefile", "outfile", "dumpfile", "vacuum into"] {
        found.extend(quoted(writes).map(|path| Step::Program(vec!["tee".into(), path])));
    }
    found
}

/// `!command`, `shell command`, `w file`, `r file`.
fn editor(code: &str) -> Vec<Step> {
    let mut found = Vec::new();
    for line in code.split(['\n', '|']) {
        let line = line.trim().trim_start_matches(['+', ':', '%']);
        if let Some((_, command)) = line.split_once('!') {
            found.push(Step::Shell(command.to_owned()));
        }
        if let Some((_, command)) = line.split_once("shell ") {
            found.push(Step::Shell(command.to_owned()));
        }
        for (verbs, program) in
            [(["w ", "write ", "saveas "], "tee"), (["r ", "e ", "read "], "cat")]
        {
            for verb in verbs {
                let rest =
                    line.strip_prefix(verb).or_else(|| line.strip_prefix(&verb.replace(' ', "! ")));
                if let Some(path) = rest.filter(|path| !path.starts_with('!')) {
                    found.push(Step::Program(vec![program.into(), path.trim().to_owned()]));
                }
            }
        }
    }
    found
}

/// Tcl as shell: brackets substitute, and `file` has verbs.
fn tcl(code: &str) -> String {
    let mut text = code.replace('[', "$(").replace(']', ")");
    for (from, to) in [
        ("file delete -force", "rm -rf"),
        ("file delete", "rm -rf"),
        ("file copy", "cp"),
        ("file rename", "mv"),
        ("spawn ", ""),
        ("array get env", "printenv"),
        ("parray env", "printenv"),
        ("$::env(", "${"),
        ("$env(", "${"),
        ("puts stdout", "echo"),
        ("puts ", "echo "),
        ("http::geturl", "curl"),
        ("send -- ", "echo "),
    ] {
        text = text.replace(from, to);
    }
    let mut out = String::new();
    let mut in_variable = false;
    let mut last = ' ';
    for c in text.chars() {
        in_variable |= last == '$' && c == '{';
        let closes = in_variable && c == ')';
        in_variable &= !closes;
        out.push(if closes { '}' } else { c });
        last = c;
    }
    out.replace("open \"|", "eval \"").replace("open {|", "eval {").replace("open ", "cat ")
}

/// Cmdlets and the programs that do the same.
const CMDLETS: [(&str, &str); 44] = [
    ("remove-item", "rm"),
    ("ri", "rm"),
    ("del", "rm"),
    ("erase", "rm"),
    ("rd", "rm"),
    ("clear-content", "truncate"),
    ("get-content", "cat"),
    ("gc", "cat"),
    ("type", "cat"),
    ("set-content", "tee"),
    ("add-content", "tee"),
    ("out-file", "tee"),
    ("new-item", "tee"),
    ("sc", "tee"),
    ("copy-item", "cp"),
    ("cpi", "cp"),
    ("copy", "cp"),
    ("move-item", "mv"),
    ("mi", "mv"),
    ("move", "mv"),
    ("rename-item", "mv"),
    ("invoke-webrequest", "curl"),
    ("iwr", "curl"),
    ("invoke-restmethod", "curl"),
    ("irm", "curl"),
    ("start-bitstransfer", "curl"),
    ("invoke-expression", "eval"),
    ("iex", "eval"),
    ("start-process", "command"),
    ("saps", "command"),
    ("stop-process", "pkill"),
    ("spps", "pkill"),
    ("stop-computer", "shutdown"),
    ("restart-computer", "reboot"),
    ("stop-service", "systemctl stop"),
    ("restart-service", "systemctl restart"),
    ("set-executionpolicy", "sudo"),
    ("format-volume", "mkfs"),
    ("clear-disk", "wipefs"),
    ("write-output", "echo"),
    ("write-host", "echo"),
    ("get-childitem", "ls"),
    ("gci", "ls"),
    ("set-location", "cd"),
];

/// Options of cmdlets that stand in front of a path, or mean nothing here.
const SWITCHES: [&str; 16] = [
    "-recurse",
    "-force",
    "-path",
    "-literalpath",
    "-confirm:$false",
    "-name",
    "-erroraction",
    "silentlycontinue",
    "-value",
    "-destination",
    "-uri",
    "-usebasicparsing",
    "-encoding",
    "-raw",
    "-command",
    "-filepath",
];

/// PowerShell as shell.
fn power_shell(code: &str) -> String {
    let code = code.replace("$env:", "$").replace("$Env:", "$");
    let lower = code.to_lowercase();
    if ["ls env:", "gci env:", "dir env:", "childitem env:", "environmentvariables()"]
        .iter()
        .any(|dump| lower.contains(dump))
    {
        return "printenv".into();
    }
    let downloads =
        ["downloadstring", "downloadfile", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"]
            .iter()
            .any(|word| lower.contains(word));
    if downloads && ["iex", "invoke-expression"].iter().any(|word| lower.contains(word)) {
        return "curl https://unknown.invalid | sh".into();
    }
    let mut out = String::new();
    for part in code.split_inclusive([' ', ';', '|', '(', '{', '\n']) {
        let word = part.trim_end_matches([' ', ';', '|', '(', '{', '\n']);
        let tail = part.get(word.len()..).unwrap_or_default();
        let small = word.to_lowercase();
        let word = match CMDLETS.iter().find(|(name, _)| *name == small) {
            Some((_, program)) => program,
            None if SWITCHES.contains(&small.as_str()) => "",
            None => word,
        };
        out.push_str(word);
        out.push_str(tail);
    }
    out
}

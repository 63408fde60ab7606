//! A repository's own settings as they are seen in a box: those that tell git how to read it, without logins and
//! without what names programs or other files.

use super::logins;

/// Settings that are kept, in small letters: section and name.
const KEPT: [(&str, &[&str]); 17] = [
    ("branch", &["merge", "pushremote", "rebase", "remote"]),
    ("color", &["branch", "diff", "status", "ui"]),
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "bigfilethreshold",
            "checkstat",
            "commentchar",
            "compression",
            "eol",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "longpaths",
            "precomposeunicode",
            "protecthfs",
            "protectntfs",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "sharedrepository",
            "sparsecheckout",
            "sparsecheckoutcone",
            "splitindex",
            "symlinks",
            "trustctime",
            "untrackedcache",
            "whitespace",
            "worktree",
        ],
    ),
    ("diff", &["algorithm", "context", "mnemonicprefix", "noprefix", "renamelimit", "renames"]),
    (
        "extensions",
        &[
            "compatobjectformat",
            "noop",
            "objectformat",
            "partialclone",
            "preciousobjects",
            "refstorage",
            "relativeworktrees",
            "worktreeconfig",
        ],
    ),
    ("feature", &["experimental", "manyfiles"]),
    ("fetch", &["prune"]),
    ("index", &["sparse", "threads", "version"]),
    ("init", &["defaultbranch"]),
    ("lfs", &["repositoryformatversion"]),
    ("log", &["date", "decorate"]),
    ("merge", &["conflictstyle", "ff", "renames"]),
    ("pull", &["ff", "rebase"]),
    ("push", &["default"]),
    ("remote", &["fetch", "mirror", "partialclonefilter", "promisor", "prune", "tagopt", "url"]),
    ("submodule", &["active", "branch", "ignore", "path", "shallow", "url"]),
    ("user", &["email", "name"]),
];

/// The text with nothing but the settings that are kept.
pub(super) fn cleaned(text: &str) -> String {
    let mut clean = String::new();
    let (mut section, mut written) = (String::new(), String::new());
    let mut goes_on = false;
    for line in text.lines() {
        let is_continued = goes_on;
        goes_on = line.ends_with('\\');
        if is_continued {
            continue;
        }
        let mut setting = line.trim();
        if setting.starts_with('[') {
            let end = end_of_section(setting).unwrap_or(setting.len());
            let (header, rest) = setting.split_at(end);
            header.clone_into(&mut section);
            setting = rest.trim();
        }
        // None of those that are kept is so long that it goes on in the next line.
        let Some(kept) = kept(&section, setting).filter(|_| !goes_on) else { continue };
        if written != section {
            clean.push_str(&logins::without_users(&section));
            clean.push('\n');
            written.clone_from(&section);
        }
        for text in ["\t", &kept, "\n"] {
            clean.push_str(text);
        }
    }
    clean
}

/// Where the header of a section ends: behind the bracket that is not in quotes.
fn end_of_section(line: &str) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (index, one) in line.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// A setting without comment and login, if it is one that is kept.
fn kept(section: &str, setting: &str) -> Option<String> {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let name = name.trim().to_ascii_lowercase();
    let header = section.strip_prefix('[')?.strip_suffix(']')?;
    let family = header.split(['"', '.', ' ', '\t']).next()?.to_ascii_lowercase();
    let (_, names) = KEPT.iter().find(|(known, _)| *known == family)?;
    if !names.contains(&name.as_str()) {
        return None;
    }
    let value = logins::without_users(without_comment(value.trim()));
    // A transport of its own is a program, and parameters of an address can be a login.
    let is_address = name == "url";
    let is_odd = is_address && (value.contains("::") || value.contains(['?', '#']));
    (!is_odd).then(|| format!("{name} = {value}"))
}

fn without_comment(value: &str) -> &str {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (index, one) in value.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => return value[..index].trim_end(),
            _ => {}
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_git_how_to_read_the_repository_stays_and_nothing_else() {
        let text = "[core]\n\tbare = false ; why not\n\thooksPath = /evil\n\tsshCommand = tok\n[remote \"origin\"]\n\
            \turl = https://me:tok@host.example/a.git\n\turl = ssh://git@host.example/a\n\turl = git@host.example:a\n\
            \turl = ext::sh -c tok\n\turl = https://host.example/a?private_token=tok\n\
            \tfetch = +refs/heads/*:refs/remotes/origin/*\n\tproxy = http://me:tok@proxy.example\n\
            [http \"https://host.example/\"]\n\textraheader = AUTHORIZATION: \\\nbasic tok\n\tproxy = http://tok\n\
            [url \"https://x-access-token:tok@host.example/\"]\n\tinsteadOf = https://host.example/\n\
            [credential]\n\thelper = \"!f() { echo password=tok; }; f\"\n[include]\n\tpath = tok\n\
            [sendemail] smtpPass = tok\n[Branch \"a]b\"] Remote = origin\n[core]\n\tfilemode\n[alias]\n\tx = !tok\n";
        let clean = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://host.example/a.git\n\
            \turl = ssh://git@host.example/a\n\turl = git@host.example:a\n\
            \tfetch = +refs/heads/*:refs/remotes/origin/*\n[Branch \"a]b\"]\n\tremote = origin\n[core]\n\tfilemode = true\n";
        assert_eq!(cleaned(text), clean);
        assert_eq!(cleaned(clean), clean);
    }

    #[test]
    fn a_value_that_goes_on_takes_no_line_of_another_setting_with_it() {
        let text = "[core]\n\teol = \\\nlf\n\tbare = true\n";
        assert_eq!(cleaned(text), "[core]\n\tbare = true\n");
    }
}

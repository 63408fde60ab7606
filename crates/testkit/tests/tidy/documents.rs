//! Documents keep up with the code: decisions are listed, changes are told, commands are described.

use crate::{
    repository::{Repository, has_extension},
    words::has_word,
};

const DECISIONS: &str = "docs/adr/";
const COMMANDS: &str = "crates/ralph/src/cli/";

/// Every decision record stands in the list.
pub(crate) fn decisions(repository: &Repository) -> Vec<String> {
    let list = repository.text("docs/adr/README.md");
    let names = repository.texts().filter_map(|(path, _)| path.strip_prefix(DECISIONS));
    let unlisted =
        names.filter(|name| *name != "README.md" && !list.contains(&format!("]({name})")));
    unlisted.map(|name| format!("{DECISIONS}{name}: not listed in {DECISIONS}README.md")).collect()
}

/// The changelog has a place for what is not released yet.
pub(crate) fn changelog(repository: &Repository) -> Vec<String> {
    let has =
        repository.text("CHANGELOG.md").lines().any(|line| line.starts_with("## [Unreleased]"));
    if has { Vec::new() } else { vec!["CHANGELOG.md: no `## [Unreleased]` section".to_owned()] }
}

/// Every file that the table of ARCHITECTURE.md leads to is there.
pub(crate) fn places(repository: &Repository) -> Vec<String> {
    const MAP: &str = "ARCHITECTURE.md";
    let rows = repository.text(MAP).lines().filter_map(|line| line.strip_suffix("` |"));
    let files: Vec<&str> = rows.filter_map(|row| Some(row.rsplit_once("| `")?.1)).collect();
    let is_gone = |file: &&&str| repository.text(&format!("crates/{file}")).is_empty();
    let gone = files.iter().filter(is_gone).map(|file| format!("{MAP}: there is no {file}"));
    let few = (files.len() < 20).then(|| format!("{MAP}: {} places, not 20", files.len()));
    gone.chain(few).collect()
}

/// Every command is described to people.
pub(crate) fn commands(repository: &Repository) -> Vec<String> {
    let for_people = |path: &str| {
        path == "README.md"
            || (path.starts_with("docs/")
                && !path.starts_with(DECISIONS)
                && has_extension(path, "md"))
    };
    let told = |command: &str| {
        let phrase = format!("ralph {command}");
        repository.texts().any(|(path, text)| for_people(path) && has_word(text, &phrase))
    };
    let modules =
        repository.modules_of(COMMANDS).into_iter().filter(|name| !name.ends_with("_tests"));
    let untold = modules.filter(|name| !told(&name.replace('_', "-")));
    untold
        .map(|name| format!("{COMMANDS}{name}: `ralph {name}` is in neither README.md nor docs"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_that_is_not_listed_is_found() {
        let planted = Repository::planted(&[
            ("docs/adr/README.md", "- [one](0001-one.md)"),
            ("docs/adr/0001-one.md", ""),
            ("docs/adr/0002-two.md", ""),
        ]);
        assert_eq!(decisions(&planted), ["docs/adr/0002-two.md: not listed in docs/adr/README.md"]);
    }

    #[test]
    fn a_place_that_is_gone_is_found() {
        let map = "| What is it? | `x/src/a.rs` |\n| And that? | `x/src/b.rs` |\n".repeat(10);
        let (map, a) = (("ARCHITECTURE.md", map.as_str()), ("crates/x/src/a.rs", "//! A."));
        assert_eq!(places(&Repository::planted(&[map, a])).len(), 10);
        assert_eq!(
            places(&Repository::planted(&[map, a, ("crates/x/src/b.rs", "//! B.")])),
            [""; 0]
        );
    }

    #[test]
    fn a_changelog_without_an_unreleased_section_is_found() {
        assert_eq!(changelog(&Repository::planted(&[("CHANGELOG.md", "## [0.1.0]")])).len(), 1);
        assert_eq!(
            changelog(&Repository::planted(&[("CHANGELOG.md", "## [Unreleased]")])).len(),
            0
        );
    }

    #[test]
    fn a_command_that_no_one_is_told_of_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/cli/mod.rs", ""),
            ("crates/ralph/src/cli/run.rs", ""),
            ("crates/ralph/src/cli/undo.rs", ""),
            ("crates/ralph/src/cli/config/mod.rs", ""),
            ("crates/ralph/src/cli/config/show.rs", ""),
            ("README.md", "`ralph run` and `ralph config show`"),
            ("docs/adr/0001.md", "`ralph undo`"),
        ]);
        assert_eq!(
            commands(&planted),
            ["crates/ralph/src/cli/undo: `ralph undo` is in neither README.md nor docs"]
        );
    }
}

//! Registries are complete: every extension's file stands in its folder's static slice.

use crate::{repository::Repository, words::has_word};

/// Folders of extensions, and the type an extension is of while the folder has no slice to tell.
const FOLDERS: &[(&str, &str)] = &[
    (AGENTS, "Agent"),
    ("crates/ralph-core/src/gates/runners/", "Runner"),
    ("crates/ralph-core/src/plan/formats/", "PlanFormat"),
];

const AGENTS: &str = "crates/ralph-agents/src/";

/// Adapters of which there is one for each description in the settings: no slice can hold them.
const DESCRIBED: &[&str] = &["custom"];

/// Every extension is in its slice.
pub(crate) fn complete(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (folder, kind) in FOLDERS {
        let extensions = extensions(repository, folder, kind);
        let slice = slice(registry(repository, folder));
        // A lone extension needs no registry yet.
        if slice.is_none() && extensions.len() < 2 {
            continue;
        }
        let values = slice.map_or("", |slice| slice.values);
        let listed = |name: &str| has_word(values, name) || DESCRIBED.contains(&name);
        let absent = extensions.iter().filter(|name| !listed(name));
        findings
            .extend(absent.map(|name| format!("{folder}{name}: not in the folder's static slice")));
    }
    findings
}

/// The modules that implement the registry's trait or hold a constant of its type.
fn extensions(repository: &Repository, folder: &str, kind: &str) -> Vec<String> {
    let kind = slice(registry(repository, folder)).map_or(kind, |slice| slice.kind);
    let is_extension = |name: &&str| {
        let places = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")];
        places.iter().any(|place| {
            let text = repository.text(place);
            text.contains(&format!("impl {kind} for")) || text.contains(&format!(": {kind} ="))
        })
    };
    repository.modules_of(folder).into_iter().filter(is_extension).map(str::to_owned).collect()
}

/// The file that holds a folder's slice: `mod.rs`, or one named after what it lists.
fn registry<'a>(repository: &'a Repository, folder: &str) -> &'a str {
    let files = ["mod.rs", "built_in.rs"].map(|name| repository.text(&format!("{folder}{name}")));
    files.into_iter().find(|text| slice(text).is_some()).unwrap_or("")
}

/// A static slice: the type of its elements, and the text of its values.
struct Slice<'a> {
    kind: &'a str,
    values: &'a str,
}

/// The first `const` or `static` slice of a file.
fn slice(text: &str) -> Option<Slice<'_>> {
    let declares = |line: &&str| {
        (has_word(line, "const") || has_word(line, "static")) && line.contains(": &[")
    };
    let declaration = &text[text.find(text.lines().find(declares)?)?..];
    let (kind, rest) = declaration.split_once(": &[")?.1.split_once(']')?;
    let values = rest.split_once('=')?.1.split(';').next()?;
    Some(Slice { kind: kind.trim_start_matches('&').trim_start_matches("dyn ").trim(), values })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT_REGISTRY: &str = "//! Agents.\nmod claude;\nmod mine;\npub static ALL: &[&dyn Agent] = &[\n    &claude::Claude,\n];\n";

    #[test]
    fn an_adapter_outside_the_slice_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph-agents/src/built_in.rs", AGENT_REGISTRY),
            ("crates/ralph-agents/src/claude.rs", "impl Agent for Claude {}"),
            ("crates/ralph-agents/src/watch.rs", "pub struct Watch;"),
            ("crates/ralph-agents/src/mine/mod.rs", "impl Agent for Mine {}"),
        ]);
        assert_eq!(extensions(&planted, AGENTS, "Agent"), ["claude", "mine"]);
        assert_eq!(
            complete(&planted),
            ["crates/ralph-agents/src/mine: not in the folder's static slice"]
        );
    }

    #[test]
    fn a_second_format_needs_a_registry() {
        let format = "impl PlanFormat for Any {}";
        let lone = [
            ("crates/ralph-core/src/plan/formats/mod.rs", "mod plan_json;"),
            ("crates/ralph-core/src/plan/formats/plan_json.rs", format),
        ];
        assert_eq!(complete(&Repository::planted(&lone)), [""; 0]);
        let second = ("crates/ralph-core/src/plan/formats/markdown.rs", format);
        assert_eq!(complete(&Repository::planted(&[lone[0], lone[1], second])).len(), 2);
    }

    #[test]
    fn a_runner_outside_the_slice_is_found_whatever_its_type_is_called() {
        let planted = Repository::planted(&[
            (
                "crates/ralph-core/src/gates/runners/mod.rs",
                "pub(crate) const RUNNERS: &[Known] =\n    &[cargo::RUNNER];",
            ),
            ("crates/ralph-core/src/gates/runners/cargo.rs", "pub const RUNNER: Known = Known {};"),
            (
                "crates/ralph-core/src/gates/runners/pytest.rs",
                "pub const RUNNER: Known = Known {};",
            ),
            ("crates/ralph-core/src/gates/runners/counts.rs", "fn count() {}"),
        ]);
        assert_eq!(
            complete(&planted),
            ["crates/ralph-core/src/gates/runners/pytest: not in the folder's static slice"]
        );
    }
}

//! Lines that begin with a known word and a colon, in any of the ways people write them.

/// What the rest of a line, or what stands under it, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Id,
    Status,
    Priority,
    DependsOn,
    Criteria,
    Commands,
    Description,
}

/// `**Depends on:** T-001` is the label and `T-001`.
pub(super) fn label(line: &str) -> Option<(Label, &str)> {
    let line = line.trim();
    let colon = line.find([':', '：'])?;
    let (name, rest) = line.split_at(colon);
    let rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..)?;
    let opened = name.trim_start_matches(['*', '_']);
    let stars = name.get(..name.len() - opened.len())?;
    let (name, value) = match opened.strip_suffix(stars) {
        Some(name) => (name, rest),
        None => (opened, rest.strip_prefix(stars)?),
    };
    named(name).map(|label| (label, value.trim()))
}

/// The label that a name, or a heading, is.
pub(super) fn named(name: &str) -> Option<Label> {
    let name = name.trim().trim_end_matches(':').to_lowercase();
    Some(match name.as_str() {
        "id" => Label::Id,
        "status" => Label::Status,
        "priority" => Label::Priority,
        "depends on" | "depends" | "dependencies" | "dependency" | "blocked by" | "requires" => {
            Label::DependsOn
        }
        "acceptance criteria"
        | "criteria"
        | "success criteria"
        | "done when"
        | "definition of done" => Label::Criteria,
        "validation"
        | "validate"
        | "verify"
        | "verification"
        | "validation commands"
        | "verification commands"
        | "verify commands"
        | "quality gates"
        | "check"
        | "checks"
        | "test command"
        | "test commands" => Label::Commands,
        "description" | "goal" | "objective" | "what" => Label::Description,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_known_with_and_without_stars() {
        for line in ["Status: done", "**Status:** done", "**Status**: done", "_status:_ done"] {
            assert_eq!(label(line), Some((Label::Status, "done")), "{line}");
        }
        assert_eq!(label("**Verify:**"), Some((Label::Commands, "")));
        for line in ["Note: x", "status", "", ":", "**: x", "*status: x"] {
            assert_eq!(label(line), None, "{line}");
        }
    }
}

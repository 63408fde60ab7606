//! Commands in Markdown: the lines of a code block, or code spans.

use super::super::criterion::read_code_span;

/// The commands of a code block: one for each line, comments and prompts aside, broken lines joined.
pub(super) fn in_block(lines: &[&str]) -> Vec<String> {
    let mut commands = Vec::new();
    let mut open: Option<String> = None;
    for line in lines {
        let (line, goes_on) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (*line, false),
        };
        let line = line.trim();
        let mut command = match open.take() {
            Some(before) => format!("{} {line}", before.trim_end()),
            None if line.is_empty() || line.starts_with('#') => continue,
            None => line.strip_prefix("$ ").unwrap_or(line).to_owned(),
        };
        if goes_on {
            open = Some(command);
        } else {
            command.truncate(command.trim_end().len());
            commands.push(command);
        }
    }
    commands.extend(open);
    commands.retain(|command| !command.is_empty());
    commands
}

/// The command of a text that is only a code span.
pub(super) fn in_span(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches(['.', ';']);
    read_code_span(text).filter(|command| !command.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_people_write_them() {
        let lines = ["# build first", "$ make all", "", "cargo test \\", "  --workspace", "a\\"];
        assert_eq!(in_block(&lines), ["make all", "cargo test --workspace", "a"]);
        assert_eq!(in_block(&["\\", ""]), Vec::<String>::new());
    }

    #[test]
    fn only_a_whole_span_is_a_command() {
        assert_eq!(in_span("`make`"), Some("make"));
        assert_eq!(in_span("`` a `b` ``."), Some("a `b`"));
        for text in ["run `make`", "`a` and `b`", "", "`", "``", "` `"] {
            assert_eq!(in_span(text), None, "{text}");
        }
    }
}

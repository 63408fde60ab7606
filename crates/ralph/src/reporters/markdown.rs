//! Ralph's own Markdown as a person reads it on a terminal: headings, lists, tables, fenced text. Not a reader of
//! everybody's Markdown: what it does not know stays as it is.

use super::{
    block::{Block, Entry},
    line::{Line, Tone},
    width,
};

/// A document as entries.
pub(crate) fn entries(text: &str) -> Block {
    let mut block = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(fence) = fence(line) {
            let inside = lines.by_ref().take_while(|line| *line != fence);
            block.extend(inside.map(|line| Entry::quoted(2, line)));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(row));
            }
            block.extend(table(rows));
        } else {
            block.push(entry(line));
        }
    }
    block
}

/// The line that ends what this one begins.
fn fence(line: &str) -> Option<&str> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    (ticks >= 3).then(|| line.split_at(ticks).0)
}

fn entry(line: &str) -> Entry {
    let title = line.trim_start_matches('#');
    if title.len() < line.len() && title.starts_with(' ') {
        return Entry::Cut(Line::new().add(Tone::Bold, plain(title.trim())));
    }
    let text = line.trim_start();
    let indent = line.len() - text.len();
    match text.strip_prefix("- ") {
        Some(item) => Entry::Wrapped {
            lead: Line::new().plain(format!("{}- ", " ".repeat(indent))),
            indent: indent + 2,
            tone: Tone::Plain,
            text: plain(item),
        },
        None if text.starts_with("**") => Entry::text(indent, Tone::Bold, plain(text)),
        None => Entry::text(indent, Tone::Plain, plain(text)),
    }
}

/// A row's cells.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = row.trim().trim_start_matches('|').chars();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('|', _) => cells.push(String::new()),
            ('\\', Some(cell)) => cell.extend(['\\'].into_iter().chain(chars.next())),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.pop();
    cells.iter().map(|cell| plain(cell.trim())).collect()
}

/// Columns as wide as their widest cell; a column whose rule ends with a colon is set to the right.
fn table(mut rows: Vec<Vec<String>>) -> Block {
    let is_rule = |row: &Vec<String>| row.iter().all(|cell| cell.contains("--"));
    let rule = match rows.get(1).filter(|row| is_rule(row)) {
        Some(_) => rows.remove(1),
        None => Vec::new(),
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widest =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width::of(cell)).max();
    let widths: Vec<usize> = (0..columns).map(|at| widest(at).unwrap_or_default()).collect();
    let line = |(nth, row): (usize, &Vec<String>)| {
        let mut text = String::new();
        for (at, cell) in row.iter().enumerate() {
            let room = widths.get(at).copied().unwrap_or_default();
            let pad = " ".repeat(room.saturating_sub(width::of(cell)));
            let is_right = rule.get(at).is_some_and(|rule| rule.ends_with(':'));
            let gap = if at == 0 { "" } else { "  " };
            let parts = if is_right { [gap, &pad, cell] } else { [gap, cell, &pad] };
            text.extend(parts);
        }
        let tone = if nth == 0 { Tone::Dim } else { Tone::Plain };
        Entry::Cut(Line::new().add(tone, text.trim_end()))
    };
    rows.iter().enumerate().map(line).collect()
}

/// Words without their markup: escapes, code, bold.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let (mark, after) = rest.split_at(ticks.max(c.len_utf8()));
        if ticks > 0
            && let Some((code, after)) = after.split_once(mark)
        {
            let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
            out.push_str(inner.filter(|code| code.contains('`')).unwrap_or(code));
            rest = after;
        } else if c == '\\' && after.starts_with(|c: char| c.is_ascii_punctuation()) {
            let (escaped, after) = after.split_at(1);
            out.push_str(escaped);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            rest = after;
        } else {
            out.push_str(mark);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::line::Look;

    fn shown(text: &str) -> String {
        let lines = entries(text).into_iter().flat_map(|one| one.render(Look::default(), Some(40)));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_report_reads_well_on_a_terminal() {
        let text = "# Run 1\n\n**all \\*good\\*** (exit 0)\n\n- branch: `ralph/x`, from ``a`b``\n- a long line that must be broken somewhere\n\n\
            | task | tries |\n|---|--:|\n| T-1: a \\| b | 1 |\n| `T-2` | 12 |\n\n```text\n# not a heading\n```\n";
        insta::assert_snapshot!(shown(text), @r"
        Run 1

        all *good* (exit 0)

        - branch: ralph/x, from a`b
        - a long line that must be broken
          somewhere

        task        tries
        T-1: a | b      1
        T-2            12

          │ # not a heading
        ");
    }

    #[test]
    fn what_is_not_closed_stays_as_it_is() {
        assert_eq!(plain("a ` b \\ c *d"), "a ` b \\ c *d");
        assert_eq!(shown("```\nopen"), "  │ open");
    }
}

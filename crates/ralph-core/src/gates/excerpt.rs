//! What an agent sees of a gate's output: first and last lines, in constant memory. Verbatim, never a summary.

use std::collections::VecDeque;

use super::lines::{Lines, Piece};

/// Most lines of an excerpt.
pub const MAX_LINES: usize = 100;

/// Keeps the beginning and the end of a stream of bytes.
#[derive(Debug)]
pub struct Excerpt {
    lines: Lines,
    kept: Kept,
}

impl Excerpt {
    /// An excerpt of at most `max_chars` characters, the marker not counted.
    pub fn new(max_chars: usize) -> Self {
        Self { lines: Lines::default(), kept: Kept::new(max_chars) }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.lines.feed(bytes, &mut |piece| self.kept.piece(piece));
    }

    /// The excerpt; `log` names where the whole output is.
    pub fn finish(mut self, log: &str) -> String {
        self.lines.finish(&mut |piece| self.kept.piece(piece));
        self.kept.render(log)
    }
}

#[derive(Debug)]
struct Kept {
    max_chars: usize,
    head: String,
    head_chars: usize,
    head_breaks: usize,
    /// The character that first found no place in the head.
    after_head: Option<char>,
    tail: VecDeque<char>,
    tail_breaks: usize,
    /// The character that was cut last, right before the tail.
    before_tail: Option<char>,
    cut_chars: u64,
    cut_breaks: usize,
    begun: bool,
}

impl Kept {
    fn new(max_chars: usize) -> Self {
        Self {
            max_chars,
            head: String::new(),
            head_chars: 0,
            head_breaks: 0,
            after_head: None,
            tail: VecDeque::new(),
            tail_breaks: 0,
            before_tail: None,
            cut_chars: 0,
            cut_breaks: 0,
            begun: false,
        }
    }

    fn piece(&mut self, piece: Piece<'_>) {
        if piece.begins && std::mem::replace(&mut self.begun, true) {
            self.push('\n');
        }
        for c in piece.text.chars() {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        let is_break = usize::from(c == '\n');
        let fits =
            self.head_chars < self.max_chars / 2 && self.head_breaks + is_break < MAX_LINES / 2;
        if self.after_head.is_none() && fits {
            self.head.push(c);
            self.head_chars += 1;
            self.head_breaks += is_break;
            return;
        }
        self.after_head.get_or_insert(c);
        self.tail.push_back(c);
        self.tail_breaks += is_break;
        while self.tail.len() > self.max_chars - self.head_chars || self.has_too_many_lines() {
            self.cut_front();
        }
    }

    /// A line that head and tail share counts once, until a cut makes two of it.
    fn has_too_many_lines(&self) -> bool {
        let parts = if self.cut_chars == 0 { 1 } else { 2 };
        self.head_breaks + self.tail_breaks + parts > MAX_LINES
    }

    fn cut_front(&mut self) {
        if let Some(c) = self.tail.pop_front() {
            self.before_tail = Some(c);
            self.cut_chars += 1;
            if c == '\n' {
                self.tail_breaks -= 1;
                self.cut_breaks += 1;
            }
        }
    }

    fn render(mut self, log: &str) -> String {
        if self.cut_chars == 0 {
            self.head.extend(self.tail);
            return self.head;
        }
        let lines = self.head_breaks + self.cut_breaks + self.tail_breaks + 1;
        self.end_head_with_whole_line();
        self.begin_tail_with_whole_line();
        let tail = String::from_iter(self.tail);
        let shown: usize = [&self.head, &tail]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(|part| part.matches('\n').count() + 1)
            .sum();
        let marker = format!(
            "[... {} lines, {} characters cut; the whole output is in {log} ...]",
            lines.saturating_sub(shown),
            self.cut_chars
        );
        let parts = [self.head, marker, tail];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }

    /// Gives up the head's last, unfinished line, unless that is more than half of it.
    fn end_head_with_whole_line(&mut self) {
        if self.after_head == Some('\n') {
            return;
        }
        let Some(at) = self.head.rfind('\n') else {
            return;
        };
        let lost = self.head.chars().rev().take_while(|c| *c != '\n').count() + 1;
        if lost * 2 <= self.head_chars {
            self.head.truncate(at);
            self.cut_chars += lost as u64;
        }
    }

    /// Gives up the tail's first, unfinished line, unless that is more than half of it.
    fn begin_tail_with_whole_line(&mut self) {
        if self.before_tail == Some('\n') {
            return;
        }
        let Some(at) = self.tail.iter().position(|c| *c == '\n') else {
            return;
        };
        if (at + 1) * 2 <= self.tail.len() {
            for _ in 0..=at {
                self.cut_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(chunks: &[&[u8]], max_chars: usize) -> String {
        let mut excerpt = Excerpt::new(max_chars);
        for chunk in chunks {
            excerpt.feed(chunk);
        }
        excerpt.finish("gates/test.log")
    }

    fn numbered(lines: usize) -> String {
        (1..=lines).flat_map(|n| ["line ".to_owned(), n.to_string(), "\n".to_owned()]).collect()
    }

    #[test]
    fn output_within_the_limits_is_verbatim() {
        for text in ["", "one", "one\ntwo", "\n\nindented\n  more", &"x".repeat(5000)] {
            assert_eq!(excerpt(&[text.as_bytes()], 5000), text);
        }
        assert_eq!(excerpt(&[numbered(100).as_bytes()], 5000), numbered(100).trim_end());
    }

    #[test]
    fn too_many_lines_lose_the_middle() {
        let text = excerpt(&[numbered(1000).as_bytes()], 50_000);
        assert_eq!(text.lines().count(), 101);
        assert!(text.starts_with("line 1\nline 2\n"));
        assert!(text.ends_with("line 999\nline 1000"));
        let marker = "\nline 50\n[... 900 lines, 8052 characters cut; the whole output is in gates/test.log ...]\nline 951\n";
        assert!(text.contains(marker), "{text}");
    }

    #[test]
    fn too_many_characters_are_cut_between_lines() {
        let text = excerpt(&[numbered(60).as_bytes()], 100);
        let lines: Vec<_> = text.lines().collect();
        let is_whole = |line: &&str| line.starts_with("line ") || line.starts_with("[... 4");
        assert!(lines.iter().all(is_whole), "{text}");
        assert_eq!((lines.first(), lines.last()), (Some(&"line 1"), Some(&"line 60")));
    }

    #[test]
    fn one_endless_line_keeps_both_ends() {
        let text = excerpt(&["begin".as_bytes(), "–".repeat(100_000).as_bytes(), b"end"], 10);
        let marker =
            "[... 0 lines, 99998 characters cut; the whole output is in gates/test.log ...]";
        assert_eq!(text, format!("begin\n{marker}\n––end"));
    }

    #[test]
    fn a_limit_of_nothing_leaves_the_marker() {
        let text = excerpt(&[b"one\ntwo"], 0);
        assert_eq!(
            text,
            "[... 2 lines, 7 characters cut; the whole output is in gates/test.log ...]"
        );
    }

    /// A generator of its own, so that a failure names the seed it came from.
    fn next(seed: &mut u64) -> usize {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        usize::try_from(*seed >> 33).unwrap_or(0)
    }

    #[test]
    fn chunks_never_change_the_excerpt() {
        let atoms: [&[u8]; 14] = [
            b"word ",
            b"\n",
            b"\r",
            b"\r\n",
            "é€𝄞".as_bytes(),
            b"\xff",
            b"\xe2\x82",
            b"\x1b[31m",
            b"\x1b]0;t\x07",
            b"\x1b]8;;x\x1b\\",
            b"\x1b(B",
            b"\t",
            b"\x00",
            b"0123456789012345678901234567890123456789",
        ];
        for start in 1..=400_u64 {
            let mut seed = start.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut bytes = Vec::new();
            for _ in 0..next(&mut seed) % 600 {
                bytes.extend_from_slice(atoms[next(&mut seed) % atoms.len()]);
            }
            let max = next(&mut seed) % 800;
            let mut chunks: Vec<&[u8]> = Vec::new();
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at((1 + next(&mut seed) % 9).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            let whole = excerpt(&[&bytes], max);
            assert_eq!(excerpt(&chunks, max), whole, "seed {start}");
            let (kept, cut): (Vec<_>, Vec<_>) =
                whole.lines().partition(|l| !l.starts_with("[... "));
            assert!(kept.len() <= MAX_LINES && cut.len() <= 1, "seed {start}");
            assert!(kept.iter().map(|l| l.chars().count()).sum::<usize>() <= max, "seed {start}");
            assert!(!whole.contains(['\u{1b}', '\r', '\0']), "seed {start}");
        }
    }
}

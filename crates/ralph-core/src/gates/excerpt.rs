//! What an agent sees of a gate's output: first and last lines, in constant memory. Verbatim, never a summary. Where the
//! cut would hide what failed, that comes instead of the first lines.

use ralph_text::lines::{Lines, Piece};

use super::failing_lines::FailingLines;

/// Most lines of an excerpt.
pub const MAX_LINES: usize = 100;

/// Bytes that the tail may grow beyond what it keeps before it is trimmed.
const SLACK: usize = 64 * 1024;

/// Keeps the beginning and the end of a stream of bytes.
#[derive(Debug)]
pub struct Excerpt {
    lines: Lines,
    kept: Kept,
    failing: FailingLines,
}

impl Excerpt {
    /// An excerpt of at most `max_chars` characters, the marker not counted.
    pub fn new(max_chars: usize) -> Self {
        let failing = FailingLines::new(max_chars / 2, MAX_LINES / 2);
        Self { lines: Lines::default(), kept: Kept::new(max_chars), failing }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let (kept, failing) = (&mut self.kept, &mut self.failing);
        self.lines.feed(bytes, &mut |piece| take(kept, failing, piece));
    }

    /// The excerpt; `log` names where the whole output is.
    pub fn finish(mut self, log: &str) -> String {
        let (kept, failing) = (&mut self.kept, &mut self.failing);
        self.lines.finish(&mut |piece| take(kept, failing, piece));
        self.kept.render(&self.failing, log)
    }
}

fn take(kept: &mut Kept, failing: &mut FailingLines, piece: Piece<'_>) {
    kept.piece(piece);
    if piece.begins {
        failing.line(piece.text);
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
    /// The rest, trimmed now and then.
    tail: String,
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
            tail: String::new(),
            before_tail: None,
            cut_chars: 0,
            cut_breaks: 0,
            begun: false,
        }
    }

    fn piece(&mut self, piece: Piece<'_>) {
        if piece.begins && std::mem::replace(&mut self.begun, true) {
            self.push("\n");
        }
        self.push(piece.text);
    }

    fn push(&mut self, text: &str) {
        let mut rest = text.chars();
        while self.after_head.is_none()
            && let Some(c) = rest.clone().next()
        {
            let is_break = usize::from(c == '\n');
            let fits =
                self.head_chars < self.max_chars / 2 && self.head_breaks + is_break < MAX_LINES / 2;
            if !fits {
                self.after_head = Some(c);
                break;
            }
            self.head.push(c);
            self.head_chars += 1;
            self.head_breaks += is_break;
            rest.next();
        }
        self.tail.push_str(rest.as_str());
        // Trimming rarely keeps the work per character small; the slack keeps the memory constant.
        if self.tail.len() > SLACK + 4 * self.max_chars {
            self.trim();
        }
    }

    /// Cuts from the tail's front what can no longer be shown.
    fn trim(&mut self) {
        let spare = (self.tail.chars().count() + self.head_chars).saturating_sub(self.max_chars);
        let by_chars = self.tail.char_indices().nth(spare).map_or(self.tail.len(), |(at, _)| at);
        let breaks = self.head_breaks + self.tail.matches('\n').count();
        // A line that head and tail share counts once, until a cut makes two of it.
        let is_cut = self.cut_chars > 0 || spare > 0 || breaks >= MAX_LINES;
        let spare_breaks = (breaks + 1 + usize::from(is_cut)).saturating_sub(MAX_LINES);
        let last_break = self.tail.match_indices('\n').take(spare_breaks).last();
        let by_breaks = last_break.map_or(0, |(at, _)| at + 1);
        let cut = self.tail.drain(..by_chars.max(by_breaks)).as_str().to_owned();
        self.cut_chars += cut.chars().count() as u64;
        self.cut_breaks += cut.matches('\n').count();
        self.before_tail = cut.chars().next_back().or(self.before_tail);
    }

    fn render(mut self, failing: &FailingLines, log: &str) -> String {
        self.trim();
        if self.cut_chars == 0 {
            return self.head + &self.tail;
        }
        let lines = self.head_breaks + self.cut_breaks + self.tail.matches('\n').count() + 1;
        self.end_head_with_whole_line();
        self.begin_tail_with_whole_line();
        if let Some(failing) = failing.unless_in(&format!("{}\n{}", self.head, self.tail)) {
            self.cut_chars += self.head.chars().count() as u64;
            self.cut_chars = self.cut_chars.saturating_sub(failing.chars().count() as u64);
            self.head = failing;
        }
        let shown: usize = [&self.head, &self.tail]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(|part| part.matches('\n').count() + 1)
            .sum();
        let marker = format!(
            "[... {} lines, {} characters cut; the whole output is in {log} ...]",
            lines.saturating_sub(shown),
            self.cut_chars
        );
        let parts = [self.head, marker, self.tail];
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
        let Some(first) = self.tail.split_inclusive('\n').next() else {
            return;
        };
        let (end, lost) = (first.len(), first.chars().count());
        if first.ends_with('\n') && lost * 2 <= self.tail.chars().count() {
            self.tail.drain(..end);
            self.cut_chars += lost as u64;
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
        for (lines, cut) in [(101, 1), (1000, 900), (100_000, 99_900)] {
            let whole = numbered(lines);
            let text = excerpt(&[whole.as_bytes()], 50_000);
            let (head, tail) = text.split_once("\n[... ").unwrap_or_default();
            let (marker, tail) = tail.split_once("]\n").unwrap_or_default();
            assert_eq!((head.lines().count(), tail.lines().count()), (50, 50), "{text}");
            assert!(head.starts_with("line 1\nline 2\n") && head.ends_with("\nline 50"), "{head}");
            assert!(whole.trim_end().ends_with(tail), "{tail}");
            let chars = whole.trim_end().len() - head.len() - tail.len();
            let place = "the whole output is in gates/test.log ...";
            assert_eq!(marker, format!("{cut} lines, {chars} characters cut; {place}"));
        }
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

    #[test]
    fn what_failed_is_never_cut_away() {
        let passing = |from: usize, to: usize| -> String {
            (from..to)
                .flat_map(|n| ["ok ".to_owned(), n.to_string(), " - passes\n".to_owned()])
                .collect()
        };
        let failure = "not ok 4000 - adds\n  ---\n  expected: 3\n  actual: 2\n";
        let whole = format!(
            "TAP version 13\n{}{failure}{}# fail 1\n",
            passing(1, 4000),
            passing(4001, 8000)
        );
        let text = excerpt(&[whole.as_bytes()], 5000);
        assert!(text.starts_with(failure), "{text}");
        assert!(text.ends_with("ok 7999 - passes\n# fail 1"), "{text}");
        assert!(text.len() < 5200 && text.contains("the whole output is in"), "{text}");
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
            let atoms_used = if start % 20 == 0 { 12_000 } else { 600 };
            for _ in 0..next(&mut seed) % atoms_used {
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

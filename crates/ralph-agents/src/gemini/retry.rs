//! Gemini CLI's retries, of which only its error output tells, in notices of one or more lines.

/// Most lines that a notice has.
const LINES: u32 = 20;

/// A notice of which the last line has not come yet.
pub(super) struct Notice {
    attempt: u32,
    text: String,
    lines: u32,
}

/// A request that is tried again.
pub(super) struct Retry {
    pub attempt: u32,
    /// How long it waits, if that was said.
    pub delay_ms: Option<u64>,
    pub why: String,
}

/// What one more line of error output means.
pub(super) enum Heard {
    Nothing,
    /// A request failed; what follows is not told yet.
    Failed {
        why: String,
    },
    Retries(Retry),
}

/// Takes one line: `Attempt 1 failed: WHY. Retrying after 5303ms...` or
/// `Attempt 1 failed with status 529. Retrying with backoff... WHY`, where WHY may hold line breaks.
pub(super) fn hear(open: &mut Option<Notice>, line: &str) -> Heard {
    if let Some(attempt) = attempt(line) {
        *open = Some(Notice { attempt, text: line.to_owned(), lines: 1 });
        return close(open, line).unwrap_or_else(|| Heard::Failed { why: line.to_owned() });
    }
    let Some(notice) = open else {
        return Heard::Nothing;
    };
    notice.lines += 1;
    if notice.lines > LINES {
        *open = None;
        return Heard::Nothing;
    }
    close(open, line).unwrap_or(Heard::Nothing)
}

/// The retry that a line announces as the last one of its notice.
fn close(open: &mut Option<Notice>, line: &str) -> Option<Heard> {
    let delay_ms = match line.split_once("Retrying after ") {
        Some((_, after)) => Some(after.split_once("ms")?.0.trim().parse().ok()?),
        None if line.contains("Retrying with backoff") => None,
        None => return None,
    };
    let notice = open.take()?;
    Some(Heard::Retries(Retry { attempt: notice.attempt, delay_ms, why: notice.text }))
}

/// The number in `Attempt 3 failed`.
fn attempt(line: &str) -> Option<u32> {
    let (number, _) = line.trim_start().strip_prefix("Attempt ")?.split_once(" failed")?;
    number.trim().parse().ok()
}

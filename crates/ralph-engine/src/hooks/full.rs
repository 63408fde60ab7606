//! How full a session's context is, by the end of the file in which its CLI keeps it.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use ralph_agents::hooks::{Call, Fill, HookInput, WINDOW, in_tail};

/// How much of the end is read: a session file grows to many megabytes.
const TAIL: u64 = 1 << 20;
/// Bytes of such a file that stand for one token where it has no figures.
const BYTES_PER_TOKEN: u64 = 4;

/// Reported figures where there are some, else a guess by the size of the file; `None` if there is no file.
pub(super) fn fill(input: &HookInput, call: &Call) -> Option<Fill> {
    let (tail, size) = tail(Path::new(&input.transcript)).ok()?;
    let meter = in_tail(&tail);
    let window = meter.and_then(|meter| meter.window).or(call.window);
    Some(Fill {
        used: meter.map_or(size / BYTES_PER_TOKEN, |meter| meter.used),
        window: window.unwrap_or(WINDOW),
        is_guess: meter.is_none() || window.is_none(),
    })
}

fn tail(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok((tail, size))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn figures_count_before_size_and_a_known_window_before_the_usual_one() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("session.jsonl");
        let input =
            HookInput { transcript: file.to_string_lossy().into_owned(), ..HookInput::default() };
        let of = |window| fill(&input, &Call { window, ..Call::default() });
        assert_eq!(of(None), None);
        let long = "x".repeat(3 << 20);
        fs::write(&file, &long)?;
        let used = (3 << 20) / 4;
        assert_eq!(of(None), Some(Fill { used, window: WINDOW, is_guess: true }));
        let line = r#"{"type":"assistant","message":{"model":"m","usage":{"input_tokens":70}}}"#;
        fs::write(&file, format!("{long}\n{line}\n"))?;
        assert_eq!(of(None), Some(Fill { used: 70, window: WINDOW, is_guess: true }));
        assert_eq!(of(Some(100)), Some(Fill { used: 70, window: 100, is_guess: false }));
        Ok(())
    }
}

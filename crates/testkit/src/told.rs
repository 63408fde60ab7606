//! What tests of the real binary ask of it over and over: what it said, how it ended, and whether something came true.

use std::{
    io,
    process::Output,
    thread,
    time::{Duration, Instant},
};

/// How long something may take that another process brings about, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often it is looked for.
const PAUSE: Duration = Duration::from_millis(10);

/// What a process said to people.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// It ended with this code; what it said tells why not.
///
/// # Panics
///
/// If it ended otherwise.
#[track_caller]
pub fn assert_code(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", said(output));
}

/// Waits for something that another process brings about.
pub fn until(what: &str, mut happened: impl FnMut() -> bool) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    while !happened() {
        if Instant::now() > end {
            return Err(io::Error::other(format!("did not happen in time: {what}")));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Text as it is without the line breaks that a narrow screen makes.
pub fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

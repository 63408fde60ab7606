//! What a stream can at most mean, told from its lines alone: whether the agent said that it succeeded, and how
//! much it can have spent. Written apart from the parsers, so that one mistake is not made twice.

use crate::{
    input::CUSTOM,
    told::{self, Json, Told},
};

/// Whether a stream says that the agent's turn succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Success {
    No,
    Yes,
    /// A line can be read in more than one way.
    Perhaps,
}

/// The most that a stream allows.
pub struct Bounds {
    pub success: Success,
    /// Sum of all numbers above zero in it.
    pub sum: f64,
}

/// Looks at every line of output.
pub fn bounds(parser: &str, stdout: &[u8]) -> Bounds {
    let mut bounds = Bounds { success: Success::No, sum: 0.0 };
    let mut failed_for_good = false;
    for line in stdout.split(|byte| *byte == b'\n') {
        if matches!(parser, "text" | CUSTOM) {
            // Any words are an answer.
            if !String::from_utf8_lossy(line).trim().is_empty() {
                bounds.success = Success::Yes;
            }
            continue;
        }
        match told::read(line) {
            Told::Noise => {}
            Told::Doubtful => {
                bounds.success = Success::Perhaps;
                bounds.sum = f64::INFINITY;
            }
            Told::Clear(line) => {
                bounds.sum += line.sum();
                failed_for_good |= fails_for_good(parser, &line);
                match verdict(parser, &line) {
                    Some(true) => bounds.success = Success::Yes,
                    Some(false) => bounds.success = Success::No,
                    None => {}
                }
            }
        }
    }
    if failed_for_good && bounds.success == Success::Yes {
        bounds.success = Success::No;
    }
    bounds
}

/// What one line says about the end of the turn, if it says anything.
fn verdict(parser: &str, line: &Json) -> Option<bool> {
    let kind = line.get("type");
    match parser {
        "claude" | "qwen" | "amp" if kind.is("result") => {
            let subtype = line.get("subtype");
            let said = matches!(subtype, Json::Text(text) if !text.is_empty());
            line.get("is_error")
                .truth()
                .map(|is_error| !is_error)
                .or(said.then(|| subtype.is("success")))
        }
        "codex" if kind.is("turn.completed") => Some(true),
        "codex" if kind.is("turn.failed") => Some(false),
        "gemini" if kind.is("result") => Some(line.get("status").is("success")),
        "copilot" if kind.is("result") => {
            Some(matches!(line.get("exitCode"), Json::Number(code) if *code == 0.0))
        }
        "opencode" if kind.is("step_finish") => Some(line.get("part").get("reason").is("stop")),
        "opencode" if kind.is("step_start") => Some(false),
        "cline" if kind.is("run_result") => Some(line.get("finishReason").is("completed")),
        _ => None,
    }
}

/// Whether nothing after this line can be a success.
fn fails_for_good(parser: &str, line: &Json) -> bool {
    match parser {
        "opencode" => line.get("type").is("error"),
        "copilot" => line.get("type").is("session.error"),
        _ => false,
    }
}

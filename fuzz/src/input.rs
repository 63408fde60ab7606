//! What the fuzzer's bytes mean: how the process ended, how its output was cut into chunks, and that output.
//!
//! The first bytes say how it ended; after the mark [`ERRORS`] comes the error output. One byte [`MANY`] stands for a
//! long run of letters, so that a short input reaches the limits of length.

use std::sync::LazyLock;

use ralph_agents::{EndedBy, ExitFacts};
use ralph_core::{
    effect::AgentCall,
    settings::{CustomAgent, EndingName},
    time::Timestamp,
    vocabulary::Kind,
};

/// The name under which an agent that a user described is tested, with filters and expressions of its own.
pub const CUSTOM: &str = "custom";
/// Name of the parser under test.
pub static PARSER: LazyLock<String> =
    LazyLock::new(|| std::env::var("FUZZ_PARSER").unwrap_or_else(|_| "claude".into()));

/// Bytes before the output.
pub const HEADER: usize = 5;
/// Ends the output and begins the error output.
pub const ERRORS: u8 = 0x1e;
/// Stands for [`RUN`] letters of three bytes each.
pub const MANY: u8 = 0x1d;
/// The value of the fifth byte that makes the first such run as long as [`FLOOD`].
pub const FLOODS: u8 = 0xa5;

/// The least value of the fourth byte that gives a described agent filters, which take long to compile.
pub const FILTERS: u8 = 0xf0;

const RUN: usize = 1_500;
const FLOOD: usize = 100_000;
const MOST_RUNS: usize = 2;
const STDERR_TAIL: usize = 4_000;
/// When ralph says that a wait ends: the harness lets time stand still.
pub const NOW: Timestamp = Timestamp(1_790_000_000_000);

pub struct Input {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exit: ExitFacts,
    /// Size of the chunks in which the output comes.
    pub chunk: usize,
    pub call: AgentCall,
    /// The error output comes before the output.
    pub errors_first: bool,
}

impl Input {
    /// `None` if there is not even a header.
    pub fn read(data: &[u8]) -> Option<Self> {
        let (header, body) = data.split_at_checked(HEADER)?;
        let mut runs = 0;
        let mut expand = |bytes: &[u8]| {
            let mut text = Vec::with_capacity(bytes.len());
            for byte in bytes {
                if *byte == MANY && runs < MOST_RUNS {
                    let is_flood = runs == 0 && header[4] == FLOODS;
                    text.extend_from_slice(
                        "€".repeat(if is_flood { FLOOD } else { RUN }).as_bytes(),
                    );
                    runs += 1;
                } else {
                    text.push(*byte);
                }
            }
            text
        };
        let (stdout, stderr) = match body.iter().position(|byte| *byte == ERRORS) {
            Some(at) => (expand(&body[..at]), expand(&body[at + 1..])),
            None => (expand(body), Vec::new()),
        };
        let exit = exit(header[0], header[1], &stdout, &stderr);
        let mode = header[3];
        let kinds = [Kind::Prompt, Kind::Implement, Kind::Review, Kind::Plan];
        let call = AgentCall {
            kind: kinds[usize::from(mode % 4)],
            agent: PARSER.clone(),
            custom: (*PARSER == CUSTOM).then(|| custom(mode >= FILTERS)),
            model: if mode & 16 == 0 { String::new() } else { "some-model".into() },
            ..AgentCall::default()
        };
        let chunk = usize::from(header[2]) + 1;
        Some(Self { stdout, stderr, exit, chunk, call, errors_first: mode & 8 != 0 })
    }
}

fn custom(has_filters: bool) -> Box<CustomAgent> {
    let filter = |text: &str| if has_filters { text.to_owned() } else { String::new() };
    Box::new(CustomAgent {
        response_filter: filter(".result? // .message?.content?[]?.text? // .part?.text?"),
        display_filter: filter(".. | strings"),
        endings: [
            (EndingName::UsageLimit, "limit".into()),
            (EndingName::AskedQuestion, "\\?$".into()),
        ]
        .into(),
        ..CustomAgent::default()
    })
}

fn exit(how: u8, code: u8, stdout: &[u8], stderr: &[u8]) -> ExitFacts {
    let (mut exit_code, mut signal, mut not_started) = (None, None, None);
    let small = i32::from(code);
    let ended_by_us = match how % 16 {
        0..=3 => {
            exit_code = Some(0);
            None
        }
        4 => {
            exit_code = Some(small);
            None
        }
        5 => {
            signal = Some(small);
            None
        }
        6 => {
            not_started = Some("no such file".to_owned());
            None
        }
        7 => None,
        by => {
            if code % 2 == 0 {
                exit_code = Some(small)
            } else {
                signal = Some(15)
            }
            Some(match by {
                8 => EndedBy::TimedOut,
                9 => EndedBy::Stalled,
                10 => EndedBy::AuthFailed,
                11 => EndedBy::Budget,
                12 => EndedBy::Interrupted,
                13 => EndedBy::Waits { until: None },
                14 => EndedBy::Waits { until: Some(NOW) },
                _ => EndedBy::LogicalEnd,
            })
        }
    };
    let tail = &stderr[stderr.len().saturating_sub(STDERR_TAIL)..];
    ExitFacts {
        code: exit_code,
        signal,
        not_started,
        ended_by_us,
        stderr_tail: String::from_utf8_lossy(tail).into_owned(),
        stdout_bytes: stdout.len() as u64,
    }
}

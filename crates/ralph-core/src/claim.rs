//! Reads claims of completion from an agent's own last words. A claim is never a verdict.
//!
//! A claim is a tag that stands alone on the last line with anything on it of the last message, outside
//! a code fence. An agent that repeats its instructions, or says that it must not print the tag yet, has
//! not claimed anything.

use crate::{handoff::Handoff, settings::Claims};

/// Most bytes of a question that are kept.
const MOST_ASKED: usize = 1_000;
const PROMISE: &str = "<promise>COMPLETE</promise>";

/// Whether an agent's last message, or its handoff, claims that everything is done.
pub fn in_message(message: &str, handoff: Option<&Handoff>, claims: &Claims) -> bool {
    in_handoff(handoff) || last_line(message).is_some_and(|line| is_claim(line, claims))
}

/// The same for plain output, where a fence is no more than text and only the last line counts.
pub fn in_output(output: &str, handoff: Option<&Handoff>, claims: &Claims) -> bool {
    let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty());
    in_handoff(handoff) || last.is_some_and(|line| is_claim(line, claims))
}

fn in_handoff(handoff: Option<&Handoff>) -> bool {
    handoff.is_some_and(|handoff| handoff.task_completed.fully_complete == Some(true))
}

/// The question that a message ends with: its last paragraph, if that ends by asking.
pub fn closing_question(message: &str) -> Option<String> {
    let asks = last_line(message)?.trim_end_matches(['*', '_', '"', ')', ' ']).ends_with('?');
    let last = message.trim_end().rsplit("\n\n").next()?.trim();
    asks.then(|| ralph_text::cut::ellipsis(last, MOST_ASKED))
}

/// The last line that is not blank, unless it belongs to a fenced block.
fn last_line(message: &str) -> Option<&str> {
    let mut fence: Option<(char, usize)> = None;
    let mut last = None;
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        last = Some(line).filter(|_| fence.is_none());
        let Some((mark, length, is_bare)) = fence_of(line) else {
            continue;
        };
        match fence {
            None => (fence, last) = (Some((mark, length)), None),
            Some((open, needed)) if mark == open && length >= needed && is_bare => fence = None,
            Some(_) => {}
        }
    }
    last
}

/// Mark, length and bareness of a line that opens or closes a fenced block.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, length, rest.is_empty()))
}

fn is_claim(line: &str, claims: &Claims) -> bool {
    let wanted = claims.completion_response.trim();
    line == PROMISE
        || (!wanted.is_empty() && response(line).is_some_and(|said| same(said.trim(), wanted)))
        || claims.accept.iter().any(|tag| !tag.trim().is_empty() && line == tag.trim())
}

fn response(line: &str) -> Option<&str> {
    let (open, close) = ("<response>", "</response>");
    let inner = line.get(open.len()..line.len().checked_sub(close.len())?)?;
    let tags_fit = line.get(..open.len())?.eq_ignore_ascii_case(open)
        && line.get(line.len() - close.len()..)?.eq_ignore_ascii_case(close);
    tags_fit.then_some(inner)
}

fn same(said: &str, wanted: &str) -> bool {
    said.to_lowercase() == wanted.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handoff::TaskCompleted;

    fn claims() -> Claims {
        Claims { accept: vec!["<done/>".into(), String::new()], ..Claims::default() }
    }

    #[test]
    fn a_tag_alone_on_the_last_line_is_a_claim() {
        for message in [
            "<promise>COMPLETE</promise>",
            "All done.\n<promise>COMPLETE</promise>",
            "All done.\r\n\r\n  <promise>COMPLETE</promise>  \r\n\n \n",
            "Done.\n<response>DONE</response>",
            "Done.\n<Response> done </RESPONSE>",
            "Done.\n<done/>",
            "```sh\nmake test\n```\nGreen.\n<promise>COMPLETE</promise>",
            "````\n```\n````\n<promise>COMPLETE</promise>",
            "Use ```x``` here\n<promise>COMPLETE</promise>",
            "<promise>TASK</promise>\n<promise>COMPLETE</promise>",
        ] {
            assert!(in_message(message, None, &claims()), "{message:?}");
        }
    }

    #[test]
    fn echoes_negations_and_quotations_are_no_claims() {
        for message in [
            "",
            "\n \n",
            "Hello from the model. <promise>COMPLETE</promise>",
            "I am NOT done, so I must not print `<promise>COMPLETE</promise>` yet. Remaining: all.",
            "Let me restate my instructions before starting:\nprint\n<promise>COMPLETE</promise>\n\nI have not started yet.",
            "`<promise>COMPLETE</promise>`",
            "> <promise>COMPLETE</promise>",
            "**<promise>COMPLETE</promise>**",
            "It says:\n```\n<promise>COMPLETE</promise>\n```",
            "It says:\n```\n<promise>COMPLETE</promise>",
            "~~~text\n```\n<promise>COMPLETE</promise>",
            "````md\n```\n<promise>COMPLETE</promise>",
            "<promise>complete</promise>",
            "<promise>COMPLETE",
            "<response>NOT DONE</response>",
            "<response>DONE",
            "<response></response>",
            "response</response>",
            "<done/> soon",
            "<response>é</response",
        ] {
            assert!(!in_message(message, None, &claims()), "{message:?}");
        }
    }

    #[test]
    fn in_plain_output_only_the_last_line_counts_and_fences_do_not() {
        assert!(in_output("```\nleft open\n<promise>COMPLETE</promise>\n\n", None, &claims()));
        assert!(!in_output("<promise>COMPLETE</promise>\nbye", None, &claims()));
    }

    #[test]
    fn a_handoff_claims_only_by_saying_so() {
        let says = |fully_complete| Handoff {
            task_completed: TaskCompleted { fully_complete, ..TaskCompleted::default() },
            ..Handoff::default()
        };
        assert!(in_message("bye", Some(&says(Some(true))), &claims()));
        assert!(!in_message("bye", Some(&says(Some(false))), &claims()));
        assert!(!in_message("bye", Some(&says(None)), &claims()));
    }
}

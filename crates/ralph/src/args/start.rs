//! Arguments of `ralph start`, and of its short form `ralph "what you want"`.

use std::ffi::OsString;

use clap::Args;

use super::{
    plan::PlanArgs,
    run::{HeldOptions, RunOptions},
};

/// `ralph start`.
#[derive(Debug, Clone, Args)]
pub(crate) struct StartArgs {
    /// What you want: a sentence, spec files or folders
    #[arg(value_name = "TEXT|SPEC", required = true)]
    pub(crate) words: Vec<String>,
    /// Run the plan as it is drafted, without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

impl StartArgs {
    /// What the planner is asked.
    pub(crate) fn plan(&self) -> PlanArgs {
        let RunOptions { held, dry_run, .. } = self.options.clone();
        let HeldOptions { agent, model, show_progress, sandbox, limits, .. } = held;
        let (words, yes) = (self.words.clone(), self.yes);
        PlanArgs {
            words,
            dry_run,
            agent,
            model,
            show_progress,
            limits,
            sandbox,
            yes,
            ..PlanArgs::default()
        }
    }
}

/// Words whose first is a whole sentence mean `ralph start`: no command has a space in its name.
pub(crate) fn spelled_out(words: Vec<OsString>) -> Vec<OsString> {
    let first = words.get(1).map(|word| word.to_string_lossy().into_owned());
    match first {
        Some(first) if !first.starts_with('-') && is_sentence(std::slice::from_ref(&first)) => {
            as_start(&words)
        }
        _ => words,
    }
}

/// The same words after `ralph start`.
pub(crate) fn as_start(words: &[OsString]) -> Vec<OsString> {
    let mut words = words.to_vec();
    words.insert(1.min(words.len()), "start".into());
    words
}

/// Whether one of the words is a whole sentence.
pub(crate) fn is_sentence(words: &[String]) -> bool {
    words.iter().any(|word| word.trim().contains(char::is_whitespace))
}

/// Fewest words that read like a sentence although the first of them is a command.
const FEWEST_AFTER_COMMAND: usize = 4;

/// The line as it works, with quotes around the words of a sentence, if it looks like one.
pub(crate) fn quoted(typed: &[OsString], text: &[String], is_command: bool) -> Option<String> {
    let fewest = if is_command { FEWEST_AFTER_COMMAND } else { 2 };
    if text.len() < fewest {
        return None;
    }
    let is_text = |word: &&OsString| !text.iter().any(|one| *one == word.to_string_lossy());
    let options = typed.iter().skip(1).filter(is_text).map(|word| word.to_string_lossy());
    let options: Vec<_> = options.collect();
    let before = if options.is_empty() { String::new() } else { options.join(" ") + " " };
    let text = text.join(" ").replace(['"', '\\', '`', '$'], "");
    Some(format!("put what you want in quotes: ralph {before}\"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_sentence_in_the_first_place_is_what_somebody_wants() {
        let table: [(&[&str], bool); 7] = [
            (&["ralph"], false),
            (&["ralph", "status"], false),
            (&["ralph", "statsu "], false),
            (&["ralph", "add a flag"], true),
            (&["ralph", "add a flag", "--yes"], true),
            (&["ralph", "plan", "add a flag"], false),
            (&["ralph", "-C", "my folder"], false),
        ];
        for (words, is_start) in table {
            let given: Vec<OsString> = words.iter().map(OsString::from).collect();
            let meant = spelled_out(given.clone());
            assert_eq!(meant.len() > given.len(), is_start, "{words:?}");
        }
    }
}

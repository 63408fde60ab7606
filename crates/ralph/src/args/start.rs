//! Arguments of `ralph start`, and of its short form `ralph "what you want"`.

use std::ffi::OsString;

use clap::Args;

use super::{plan::PlanArgs, run::RunOptions};

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
        let RunOptions { agent, model, show_progress, sandbox, dry_run, .. } = self.options.clone();
        let (words, yes) = (self.words.clone(), self.yes);
        PlanArgs {
            words,
            dry_run,
            agent,
            model,
            show_progress,
            sandbox,
            yes,
            ..PlanArgs::default()
        }
    }
}

/// Words whose first is a whole sentence mean `ralph start`: no command has a space in its name.
pub(crate) fn spelled_out(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_sentence = |word: &OsString| {
        let word = word.to_string_lossy();
        !word.starts_with('-') && word.trim().contains(char::is_whitespace)
    };
    if words.get(1).is_some_and(is_sentence) {
        words.insert(1, "start".into());
    }
    words
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

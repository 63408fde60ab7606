//! A planner's questions, one by one on the terminal. Enter takes what the planner would assume.

use ralph_core::planning::{Answered, Question};
use ralph_engine::{layout::Layout, planner_answers};
use ralph_text::sanitise::clean;

use super::unfinished_planning::Round;
use crate::{
    ask::{Asker, Text},
    context::{Context, Entry, Tone},
    diagnostics::CommandError,
    words,
};

/// What is answered where a person has no opinion.
const DECIDE: &str = "Decide this yourself, and write it down as an assumption.";

/// Asks what a planner wants to know and was not told yet. Whoever leaves a question is asked again next time; what
/// was answered is kept.
pub(super) fn ask(
    round: Round,
    layout: &Layout,
    context: &Context,
) -> Result<Vec<Answered>, CommandError> {
    let Round { run, questions, mut answers } = round;
    let open = questions.get(answers.len()..).unwrap_or_default();
    if open.is_empty() {
        return Ok(answers);
    }
    let count = words::count(open.len() as u64, "question");
    let lead = format!("{count} before the plan can be drafted; Enter accepts the suggestion");
    context.tell(&[Entry::text(0, Tone::Bold, lead)])?;
    let mut asker = context.asker()?;
    for question in open {
        let answer = one(&mut asker, question).map_err(kept)?;
        answers.push(Answered { question: question.question.clone(), answer });
        let path = layout.run(&run);
        planner_answers::keep(layout, &run, &answers)
            .map_err(CommandError::file("write into", &path))?;
    }
    Ok(answers)
}

/// Whoever leaves is told that nothing is lost.
fn kept(error: CommandError) -> CommandError {
    if !matches!(error, CommandError::Cancelled | CommandError::Ended) {
        return error;
    }
    let help =
        "no plan was written; questions and answers are saved, and ralph plan continues from here";
    CommandError::new(error.exit_code(), error.to_string(), help)
}

fn one(asker: &mut Asker, question: &Question) -> Result<String, CommandError> {
    let words = line(&question.question);
    let (why, default) = (line(&question.why), line(&question.default));
    if question.options.is_empty() {
        return typed(asker, (&words, &why), &default);
    }
    let mut options: Vec<(String, String)> =
        question.options.iter().map(|option| (line(option), String::new())).collect();
    let known = options.iter().position(|(option, _)| *option == default);
    if known.is_none() && !default.is_empty() {
        options.insert(0, (default.clone(), String::new()));
    }
    let at = known.unwrap_or(0);
    if let Some((_, note)) = options.get_mut(at).filter(|_| !default.is_empty()) {
        "suggested".clone_into(note);
    }
    let own = options.len();
    options.push(("something else".into(), "in your own words".into()));
    options.push(("you decide".into(), String::new()));
    let heading = if why.is_empty() { words.clone() } else { format!("{words} ({why})") };
    let chosen = asker.select(&heading, &options, at)?;
    if chosen == own {
        return typed(asker, (&words, ""), "");
    }
    Ok(match options.get(chosen) {
        Some((option, _)) if chosen < own => option.clone(),
        _ => DECIDE.into(),
    })
}

fn typed(
    asker: &mut Asker,
    (words, why): (&str, &str),
    default: &str,
) -> Result<String, CommandError> {
    let note = if default.is_empty() { "Enter lets the planner decide" } else { why };
    let answer = asker.text(&Text { note, default, ..Text::new(words) })?;
    Ok(if answer.is_empty() { DECIDE.into() } else { answer })
}

/// An agent's words on one line, harmless for a terminal.
fn line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

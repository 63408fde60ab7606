//! An agent that the user describes in `[agents.NAME]`: its command line, whose stream it speaks or how its own is
//! filtered, and which words tell its endings.

mod lines;
mod patterns;

use ralph_core::{
    agent_facts::{Facts, PromptBy, ServiceKey},
    effect::AgentCall,
    settings::{CustomAgent, MODEL_PLACE, PROMPT_PLACE},
};

use super::{
    built_in::find,
    port::{Agent, CommandProblem, CommandSpec, LineParser, Place, prompt_argument, split},
    services,
    text::Text,
};

pub(crate) use patterns::problem_of as expression_problem;

/// See the module.
pub struct Custom {
    name: String,
    settings: CustomAgent,
}

impl Custom {
    pub(super) fn new(name: &str, settings: &CustomAgent) -> Self {
        Self { name: name.to_owned(), settings: settings.clone() }
    }

    /// Only the user can describe an agent, so that a tool of theirs which speaks no known stream may have the keys
    /// of whatever service it speaks to.
    fn keys(&self) -> &'static [ServiceKey] {
        let stream = self.stream();
        if stream.name() == Text.name() { services::ALL } else { stream.facts().keys }
    }

    fn stream(&self) -> &'static dyn Agent {
        find(&self.settings.stream).unwrap_or(&Text)
    }
}

impl Agent for Custom {
    fn name(&self) -> &str {
        &self.name
    }

    fn facts(&self) -> Facts {
        Facts {
            package: "",
            tested: "",
            handoff: ralph_core::agent_facts::HandoffBy::Block,
            prompt: self.settings.prompt,
            limits_turns: false,
            limits_money: false,
            login: None,
            keys: self.keys(),
            ..self.stream().facts()
        }
    }

    fn command(&self, call: &AgentCall, place: &Place) -> Result<CommandSpec, CommandProblem> {
        let flags: Vec<&str> = call.flags.iter().map(String::as_str).collect();
        let mut words = self.settings.command.iter().cloned().chain(split(&flags)?);
        let program = words.next().ok_or(CommandProblem::NoProgram)?;
        let mut spec =
            CommandSpec { program, args: with_model(words, &call.model), ..CommandSpec::default() };
        let value = match self.settings.prompt {
            PromptBy::Stdin => {
                spec.stdin = call.prompt.clone().into_bytes();
                return Ok(spec);
            }
            PromptBy::Argument => prompt_argument(call)?,
            PromptBy::File => {
                spec.files.push(("prompt.md".into(), call.prompt.clone()));
                format!("{}/prompt.md", place.folder)
            }
        };
        if spec.args.iter().any(|arg| arg.contains(PROMPT_PLACE)) {
            for arg in &mut spec.args {
                *arg = arg.replace(PROMPT_PLACE, &value);
            }
        } else {
            spec.args.push(value);
        }
        Ok(spec)
    }

    fn parser(&self, call: &AgentCall) -> Box<dyn LineParser> {
        let parser = if self.settings.has_filters() {
            Box::new(lines::Lines::new(&self.settings))
        } else {
            self.stream().parser(call)
        };
        patterns::recognised_by(&self.settings.endings, parser)
    }
}

/// The arguments with the model in its place. Without a model an argument that has the place is left out, and so is
/// the option before it if the argument is nothing but the place.
fn with_model(args: impl Iterator<Item = String>, model: &str) -> Vec<String> {
    let mut filled: Vec<String> = Vec::new();
    for arg in args {
        if !arg.contains(MODEL_PLACE) {
            filled.push(arg);
        } else if !model.is_empty() {
            filled.push(arg.replace(MODEL_PLACE, model));
        } else if arg == MODEL_PLACE && filled.last().is_some_and(|before| before.starts_with('-'))
        {
            filled.pop();
        }
    }
    filled
}

#[cfg(test)]
mod tests;

//! A planning that a person left, or that ended before its plan: its questions and answers, offered again.

use ralph_core::{
    event::Source,
    ids::RunId,
    planning::{Answered, PlanRequest, Question},
};
use ralph_engine::{journal, layout::Layout, planner_answers, runs};
use ralph_text::{cut, sanitise::clean};

use super::sources;
use crate::{
    args::plan::PlanArgs,
    ask::Lean,
    context::{Context, Entry, Line, Sign},
    diagnostics::CommandError,
    session::project::Project,
    words,
};

/// Most bytes of what was to be planned.
const ABOUT: usize = 60;

/// A planner's questions and what was answered of them, in the same order.
pub(super) struct Round {
    /// The run that asked.
    pub(super) run: RunId,
    pub(super) questions: Vec<Question>,
    pub(super) answers: Vec<Answered>,
}

/// A planning without its plan.
pub(super) struct Left {
    pub(super) request: PlanRequest,
    pub(super) round: Round,
}

impl Left {
    /// The newest planning, if no plan came of it.
    fn find(layout: &Layout) -> Result<Option<Self>, CommandError> {
        let Some(run) = runs::latest_planning(layout) else {
            return Ok(None);
        };
        // A record that is damaged must not keep anybody from planning anew.
        let Ok(recovered) = journal::recover(&layout.journal(&run)) else {
            return Ok(None);
        };
        let state = recovered.state;
        let Source::Planning { request } = state.start.source else {
            return Ok(None);
        };
        let questions = match state.planning.draft {
            Some(draft) if draft.questions.is_empty() => return Ok(None),
            Some(draft) => draft.questions,
            None => Vec::new(),
        };
        let path = layout.run(&run);
        let answers = planner_answers::kept(layout, &run)
            .map_err(CommandError::file("read answers in", &path))?;
        Ok(Some(Self { request: *request, round: Round { run, questions, answers } }))
    }

    /// Whether the arguments ask for the same plan; without a word they ask for any.
    fn is_meant(&self, args: &PlanArgs, asked: Option<&PlanRequest>) -> bool {
        let paths = |request: &PlanRequest| -> Vec<String> {
            request.specs.iter().map(|spec| spec.path.clone()).collect()
        };
        if self.is_bare() {
            return asked.is_none() && args.words.is_empty() && args.revise.is_none();
        }
        (args.words.is_empty() && args.revise.is_none())
            || asked.is_some_and(|asked| {
                asked.text == self.request.text
                    && asked.revise == self.request.revise
                    && paths(asked) == paths(&self.request)
            })
    }

    /// Whether only the wish is known: the planner ended before it asked or drafted anything.
    fn is_bare(&self) -> bool {
        self.request.answers.is_empty() && self.round.questions.is_empty()
    }

    /// What was asked for, in a few words.
    fn about(&self) -> String {
        let request = &self.request;
        let said = request.revise.as_ref().unwrap_or(&request.text);
        let specs = request.specs.iter().map(|spec| spec.path.as_str()).collect::<Vec<_>>();
        let text = match (said.trim(), specs.as_slice()) {
            ("", []) => ".ralph/prd.md".to_owned(),
            ("", specs) => specs.join(", "),
            (said, _) => format!("\"{said}\""),
        };
        cut::ellipsis(&clean(&text).split_whitespace().collect::<Vec<_>>().join(" "), ABOUT)
    }

    /// How far it came.
    fn progress(&self) -> String {
        let before = self.request.answers.len();
        let (given, asked) = (self.round.answers.len(), self.round.questions.len());
        let all = words::count((before + asked) as u64, "question");
        format!("{} of {all} answered", before + given)
    }

    /// The arguments that ask for the same plan today: files may have changed since.
    fn args(&self, args: &PlanArgs, project: &Project) -> PlanArgs {
        let root = project.repository.root();
        let specs = self.request.specs.iter();
        let mut words: Vec<String> =
            specs.map(|spec| root.join(&spec.path).to_string_lossy().into_owned()).collect();
        if !self.request.text.is_empty() {
            words.push(self.request.text.clone());
        }
        PlanArgs { words, revise: self.request.revise.clone(), ..args.clone() }
    }
}

/// What to plan, after a person was asked whether to continue the last planning.
pub(super) fn offered(
    args: &PlanArgs,
    project: &Project,
    can_ask: bool,
    context: &Context,
) -> Result<(PlanRequest, Option<Round>), CommandError> {
    let asked = sources::request(args, project, context);
    let left = Left::find(&project.layout)?;
    let is_meant =
        |left: &Left| (can_ask || left.is_bare()) && left.is_meant(args, asked.as_ref().ok());
    let Some(left) = left.filter(is_meant) else {
        return Ok((asked?, None));
    };
    if left.is_bare() {
        let text = format!("planning for {} ended before its draft and begins again", left.about());
        context.tell(&[Entry::led(Line::signed(Sign::Warning), text)])?;
        return Ok((sources::request(&left.args(args, project), project, context)?, None));
    }
    let text = format!("planning for {} was not finished: {}", left.about(), left.progress());
    context.tell(&[Entry::led(Line::signed(Sign::Warning), text)])?;
    if !context.asker()?.confirm("Continue it?", Lean::Yes)? {
        return Ok((asked?, None));
    }
    let mut request = sources::request(&left.args(args, project), project, context)?;
    request.answers = left.request.answers;
    Ok((request, Some(left.round)))
}

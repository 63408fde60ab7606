//! Starting a run: what is pinned, how many iterations it may take, and whether it may start at all.

use std::collections::BTreeMap;

use ralph_text::cut;

use super::planning::MOST_DRAFTS;
use crate::{
    agent_facts::Abilities,
    effect::DirtyPolicy,
    event::{RunStart, Source},
    gates::report::Severity,
    isolation::Isolation,
    memory::context::Context,
    plan::{
        Plan, Task,
        amend::{self, Ruled},
    },
    preflight::{Preflight, pin},
    prompt::Library,
    settings::{Flag, Settings, WorkspaceMode},
    vocabulary::ReviewMode,
};

/// The one task of a run that works on a prompt.
pub(super) const PROMPT: &str = "prompt";

/// The id of the one thing a planning run is about.
const PLANNING: &str = "plan";

/// What the person said on the command line beyond settings.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    pub version: String,
    /// `-n`.
    pub max_iterations: Option<u32>,
    /// `--branch`.
    pub branch: Option<String>,
    pub dirty: DirtyPolicy,
    /// `--worktree`.
    pub linked_worktree: bool,
    /// The file of `--plan`.
    pub plan_file: Option<String>,
    pub ok_on_limit: bool,
    /// The user's own texts for agents.
    pub library: Library,
    /// Changes of the plan that wait since the run before; those that no longer fit are dropped.
    pub proposals: Vec<(u32, Ruled)>,
    /// What the command line said of the settings.
    pub flags: Vec<Flag>,
    /// What agents can do that others cannot, by the name of their program.
    pub abilities: BTreeMap<String, Abilities>,
}

/// Pins everything a run is made of but what keeps its agents in, which whoever starts it finds out. An ad-hoc prompt becomes a plan of one task.
pub fn begin(
    source: Source,
    plan: Plan,
    settings: Settings,
    options: StartOptions,
) -> Result<RunStart, Preflight> {
    let plan = match &source {
        Source::Prompt { text, .. } => prompt_plan(plan, text),
        Source::Planning { .. } => return Ok(planning(source, plan, settings, options)),
        Source::Plan | Source::Tasks { .. } => plan,
    };
    if plan.tasks.is_empty() {
        return Err(Preflight::NoTasks);
    }
    if let Source::Tasks { ids } = &source
        && let Some(id) = ids.iter().find(|id| plan.position(id).is_none())
    {
        return Err(Preflight::UnknownTask(id.clone()));
    }
    let gates = pin::pin(&settings, &plan)?;
    let tested = gates.iter().any(|gate| gate.severity == Severity::Hard);
    let review = review_mode(&source, &settings);
    let judged =
        open_tasks(&source, &plan).all(|task| task.has_check() || task.is_reviewed(review));
    if !tested && !judged && !settings.claims.trust_agent {
        return Err(Preflight::NothingToVerifyWith);
    }
    let (max_iterations, max_iterations_why) = max_iterations(&source, &plan, &settings, &options);
    let mut proposals = options.proposals.clone();
    proposals.retain(|(_, one)| amend::fits(&plan, &one.proposal.amendment).is_ok());
    Ok(RunStart {
        branch: branch(&plan, &settings, options.branch.as_deref()),
        linked_worktree: options.linked_worktree
            || settings.git.workspace == WorkspaceMode::Worktree,
        dirty: options.dirty,
        plan_file: options.plan_file.clone(),
        ok_on_limit: options.ok_on_limit,
        gates,
        max_iterations,
        max_iterations_why,
        is_limit_given: options.max_iterations.is_some() || settings.limits.max_iterations > 0,
        proposals,
        ..blank(source, plan, settings, options)
    })
}

/// Pins a planning run. It verifies nothing and commits nothing, so neither gates nor a branch matter.
fn planning(source: Source, plan: Plan, settings: Settings, options: StartOptions) -> RunStart {
    let task = Task { id: PLANNING.into(), title: "draft a plan".into(), ..Task::default() };
    RunStart {
        max_iterations: MOST_DRAFTS,
        max_iterations_why: "a draft and two corrections of it".into(),
        ..blank(source, Plan { tasks: vec![task], ..plan }, settings, options)
    }
}

/// What every run pins, without work that it may do.
fn blank(source: Source, plan: Plan, settings: Settings, options: StartOptions) -> RunStart {
    RunStart {
        version: options.version,
        source,
        settings,
        plan: plan.into(),
        gates: Vec::new(),
        max_iterations: 0,
        max_iterations_why: String::new(),
        is_limit_given: false,
        branch: String::new(),
        dirty: DirtyPolicy::default(),
        linked_worktree: false,
        plan_file: None,
        ok_on_limit: false,
        isolation: Isolation::off(),
        library: options.library,
        memory: Context::default(),
        seal: String::new(),
        proposals: Vec::new(),
        flags: options.flags,
        abilities: options.abilities,
    }
}

/// `-n`, else the settings', else the plan's, else derived.
fn max_iterations(
    source: &Source,
    plan: &Plan,
    settings: &Settings,
    options: &StartOptions,
) -> (u32, String) {
    if let Some(limit) = options.max_iterations {
        return (limit, "-n".into());
    }
    if settings.limits.max_iterations > 0 {
        return (settings.limits.max_iterations, "limits.max_iterations".into());
    }
    if let Some(limit) = plan.max_iterations {
        return (limit, "the plan".into());
    }
    match source {
        Source::Prompt { .. } => (10, "the default for a prompt".into()),
        Source::Plan | Source::Tasks { .. } | Source::Planning { .. } => {
            derived(open_tasks(source, plan), settings.review.mode)
        }
    }
}

/// The tasks this run is about that are not finished.
fn open_tasks<'a>(source: &'a Source, plan: &'a Plan) -> impl Iterator<Item = &'a Task> {
    let tasks = plan.tasks.iter().filter(|task| !task.status.satisfies());
    tasks.filter(|task| source.selects(&task.id))
}

/// How the work of this run is reviewed; what an ad-hoc prompt leads to has no criteria to judge by.
fn review_mode(source: &Source, settings: &Settings) -> ReviewMode {
    match source {
        Source::Prompt { .. } | Source::Planning { .. } => ReviewMode::Off,
        Source::Plan | Source::Tasks { .. } => settings.review.mode,
    }
}

/// The limit that follows from the open tasks: 3 for each that is reviewed, 2 for each other, at least 15.
pub fn derived<'a>(open: impl Iterator<Item = &'a Task>, review: ReviewMode) -> (u32, String) {
    let (mut reviewed, mut others) = (0_usize, 0_usize);
    for task in open {
        *if task.is_reviewed(review) { &mut reviewed } else { &mut others } += 1;
    }
    let limit = reviewed.saturating_mul(3).saturating_add(others.saturating_mul(2));
    let why = match (reviewed, others) {
        (0, 1) => "2 for the one open task".into(),
        (1, 0) => "3 for the one open task, which is reviewed".into(),
        (0, open) => format!("2 for each of {open} open tasks"),
        (open, 0) => format!("3 for each of {open} open tasks, which are reviewed"),
        _ => {
            format!("3 for each of {reviewed} open tasks that are reviewed, 2 for {others} others")
        }
    };
    (u32::try_from(limit).unwrap_or(u32::MAX).max(15), format!("{why}, at least 15"))
}

fn branch(plan: &Plan, settings: &Settings, flag: Option<&str>) -> String {
    let named = [flag, Some(&settings.git.branch), Some(&plan.branch)];
    let named = named.into_iter().flatten().find(|name| !name.is_empty());
    // An agent may have drafted the plan: what a terminal would obey, or nobody sees, is no part of a name.
    let harmless = |name: &str| ralph_text::sanitise::clean(name).replace('\n', "");
    named.map_or_else(|| format!("ralph/{}", ref_word(&plan.project)), harmless)
}

/// A project's name as part of a branch name.
fn ref_word(project: &str) -> String {
    let words = project.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-").to_lowercase();
    if joined.is_empty() { "work".into() } else { joined }
}

fn prompt_plan(plan: Plan, text: &str) -> Plan {
    let title = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("prompt");
    let task = Task {
        id: PROMPT.into(),
        title: cut::words(title.trim(), 72).to_owned(),
        description: text.to_owned(),
        ..Task::default()
    };
    Plan { tasks: vec![task], ..plan }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Criterion;

    fn task(id: &str, criteria: Vec<Criterion>) -> Task {
        Task { id: id.into(), acceptance_criteria: criteria, ..Task::default() }
    }

    fn sentence() -> Criterion {
        Criterion::Sentence("reads well".into())
    }

    fn checked() -> Criterion {
        Criterion::Checked { text: "works".into(), check: "true".into() }
    }

    fn begun(source: Source, tasks: Vec<Task>, mode: ReviewMode) -> Result<RunStart, Preflight> {
        let mut settings = Settings::default();
        settings.review.mode = mode;
        begin(source, Plan { tasks, ..Plan::default() }, settings, StartOptions::default())
    }

    #[test]
    fn review_is_something_to_verify_with() {
        use ReviewMode::{Auto, Off, On};
        for (criteria, mode, starts) in [
            (vec![], On, true),
            (vec![], Auto, false),
            (vec![sentence()], Auto, true),
            (vec![checked()], Auto, true),
            (vec![checked(), sentence()], Off, true),
            (vec![sentence()], Off, false),
        ] {
            let begun = begun(Source::Plan, vec![task("a", criteria.clone())], mode);
            assert_eq!(begun.is_ok(), starts, "{mode:?} {criteria:?}");
        }
    }

    #[test]
    fn an_ad_hoc_prompt_is_not_reviewed_and_needs_something_else() {
        let source = Source::Prompt { file: None, text: "make it".into() };
        let begun = begun(source, Vec::new(), ReviewMode::On);
        assert_eq!(begun.err(), Some(Preflight::NothingToVerifyWith));
    }

    #[test]
    fn a_task_that_is_reviewed_gets_three_iterations_and_another_two() {
        use ReviewMode::{Auto, Off, On};
        let mut tasks = vec![task("a", vec![checked()]); 4];
        tasks.extend(vec![task("b", vec![sentence()]); 6]);
        for (mode, limit, why) in [
            (On, 30, "3 for each of 10 open tasks, which are reviewed, at least 15"),
            (Auto, 26, "3 for each of 6 open tasks that are reviewed, 2 for 4 others, at least 15"),
            (Off, 20, "2 for each of 10 open tasks, at least 15"),
        ] {
            assert_eq!(derived(tasks.iter(), mode), (limit, why.to_owned()));
        }
        assert_eq!(derived(tasks.iter().take(1), On).0, 15);
    }
}

//! `ralph plan --check [FILE]`: what a run would stumble over, line by line, and what it will probably take.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use ralph_core::{
    gates::report::Severity as GateSeverity,
    plan::Plan,
    preflight::{self, Estimate, Facts, Finding, Severity, Wanted, pin, wanted},
    settings::Settings,
};
use serde::Serialize;

use crate::{
    args::plan::PlanArgs,
    context::{Block, Context, Entry, Line, Sign, Tone, answer_json, variable},
    diagnostics::CommandError,
    env_vars, exit,
    session::{
        installed, past_runs, probe,
        programs::{self, Lack, Missing},
        project::{Project, plan_text},
    },
    words,
};

/// What was found; what `--json` prints.
#[derive(Debug, Serialize)]
struct CheckView<'a> {
    v: u32,
    file: String,
    errors: usize,
    warnings: usize,
    findings: &'a [Finding],
    /// Gates whose program is nowhere.
    gates_missing: &'a [Missing],
    /// What is wrong with the agents that the settings name for later.
    agents_missing: Option<String>,
    estimate: &'a Estimate,
}

/// Runs `ralph plan --check`.
pub(crate) fn exec(
    file: Option<&Path>,
    args: &PlanArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let project = Project::open(context, &[])?;
    let path = file.map_or_else(|| project.layout.plan(), |file| context.project_dir.join(file));
    let (text, plan) = plan_text(&path)?;
    let settings = &project.resolved.settings;
    // Those of the plan itself are among the findings.
    let gates = pin::pin(settings, &Plan::default()).unwrap_or_default();
    let programs = wanted(&plan).programs.into_iter().chain(programs::of_gates(&gates)).collect();
    let lacking = programs::lacking(programs, &project, &programs::enclosure(&project));
    let lacking = lacking.unwrap_or_default();
    let findings = preflight::check(&plan, &text, &facts(&plan, settings, &project, &lacking));
    let estimate =
        preflight::estimate(&plan, settings.review.mode, &past_runs::runs(&project.layout));
    let gates_missing = programs::missing(&gates, &lacking);
    let root = project.repository.root();
    let absent = installed::check_listed(settings, root, variable("PATH").as_deref()).err();
    let wrong = findings.iter().filter(|one| one.severity == Severity::Error).count();
    let errors = wrong + gates_missing.iter().filter(|one| one.is_hard).count();
    let warnings = findings.len() + gates_missing.len() - errors;
    let errors = errors + usize::from(absent.is_some());
    let shown = file.map_or_else(|| ".ralph/plan.json".into(), |file| file.display().to_string());
    if context.json {
        answer_json(&CheckView {
            v: 1,
            file: shown,
            errors,
            warnings,
            findings: &findings,
            gates_missing: &gates_missing,
            agents_missing: absent.as_ref().map(ToString::to_string),
            estimate: &estimate,
        })?;
    } else {
        let mut block: Block = findings.iter().flat_map(|one| lines(&shown, one)).collect();
        block.extend(gates_missing.iter().flat_map(gate_lines));
        block.extend(absent.iter().flat_map(agent_lines));
        block.push(summary(&shown, errors, warnings));
        block.push(Entry::text(
            0,
            Tone::Plain,
            format!("estimate: {}", past_runs::words(&estimate)),
        ));
        context.answer(&block)?;
    }
    Ok(if errors > 0 || (args.strict && warnings > 0) { exit::USAGE } else { exit::DONE })
}

/// What is there of all that the plan needs.
fn facts(
    plan: &Plan,
    settings: &Settings,
    project: &Project,
    lacking: &BTreeMap<String, Lack>,
) -> Facts {
    let gates = pin::pin(settings, plan).unwrap_or_default();
    let root = project.repository.main_root();
    let search = variable("PATH");
    let is_missing = |program: &String| probe::find(program, root, search.as_deref()).is_none();
    let needed = wanted(plan);
    let agent = |name: &String| {
        let is_known = settings.agents.contains_key(name);
        let program = ralph_agents::of_command(name).name();
        let named =
            if ralph_agents::find(name).is_some() { program.to_owned() } else { name.clone() };
        !is_known && is_missing(&named)
    };
    let of = |lack| lacking.iter().filter(|one| *one.1 == lack).map(|one| one.0.clone()).collect();
    Facts {
        review: settings.review.mode,
        hard_gates: gates.iter().filter(|gate| gate.severity == GateSeverity::Hard).count(),
        trusts_agent: settings.claims.trust_agent,
        missing: Wanted {
            programs: of(Lack::NotInstalled),
            skills: needed.skills.into_iter().filter(|name| !has_skill(name, root)).collect(),
            agents: needed.agents.into_iter().filter(agent).collect(),
        },
        hidden: of(Lack::NotInSandbox),
    }
}

/// Whether a skill is the project's or installed.
fn has_skill(name: &str, root: &Path) -> bool {
    let home = PathBuf::from(variable(env_vars::HOME).unwrap_or_default());
    let installed = Path::new(".claude/skills").join(name).join("SKILL.md");
    root.join(".ralph/skills").join(format!("{name}.md")).is_file()
        || root.join(&installed).is_file()
        || home.join(&installed).is_file()
}

fn lines(file: &str, one: &Finding) -> Block {
    let sign = if one.severity == Severity::Error { Sign::Bad } else { Sign::Warning };
    let at = format!("{file}:{}:{} ", one.place.line, one.place.column);
    let mut block = vec![Entry::led(Line::signed(sign).add(Tone::Bold, at), &one.what)];
    if !one.why.is_empty() {
        block.push(Entry::text(4, Tone::Dim, one.why));
    }
    if !one.help.is_empty() {
        block.push(Entry::text(4, Tone::Dim, format!("help: {}", one.help)));
    }
    block
}

fn gate_lines(one: &Missing) -> Block {
    let sign = if one.is_hard { Sign::Bad } else { Sign::Warning };
    let help = Entry::text(4, Tone::Dim, format!("help: {}", one.help()));
    vec![Entry::led(Line::signed(sign), one.words()), help]
}

fn agent_lines(error: &CommandError) -> Block {
    let help = Entry::text(4, Tone::Dim, format!("help: {}", error.help()));
    vec![Entry::led(Line::signed(Sign::Bad), error.to_string()), help]
}

fn summary(file: &str, errors: usize, warnings: usize) -> Entry {
    let sign = match (errors, warnings) {
        (0, 0) => Sign::Ok,
        (0, _) => Sign::Warning,
        _ => Sign::Bad,
    };
    let text = match (errors, warnings) {
        (0, 0) => format!("{file}: no problems found"),
        _ => format!(
            "{file}: {}, {}",
            words::count(errors as u64, "error"),
            words::count(warnings as u64, "warning")
        ),
    };
    Entry::led(Line::signed(sign), text)
}

//! Everything between a call and its process: the command line, its files, the folder it works in, its box. And after
//! the last process is gone, everything away again.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use ralph_agents::{CommandSpec, Place, trust};
use ralph_core::{
    agent_facts::Facts,
    effect::AgentCall,
    input::{Failure, FailureClass},
    isolation::Contact,
    memory::mcp,
    network::RelayPlan,
};
use ralph_text::{cut, redact::Redactor};

use super::{
    Live,
    agent::cannot_write,
    call_files::CallFiles,
    call_home::{CallHome, Packed, Source},
    call_workspace::CallWorkspace,
    graph, hook_inputs,
    login::Lent,
    sandbox_request::cannot_enclose,
};
use crate::{
    clock,
    process::ProcessSpec,
    sandbox::{SandboxRequest, Stay, Visit},
    sink::RedactedFiles,
    trust::Standing,
};

/// Longest argument that is shown whole.
const MAX_SHOWN_ARGUMENT_BYTES: usize = 200;
/// Characters that are shown of a longer one.
const SHOWN_ARGUMENT_CHARS: usize = 60;

/// A call that is ready to start.
pub(super) struct Prepared {
    pub(super) spec: ProcessSpec,
    /// For people: the agent's command line, without the prompt and without secrets.
    pub(super) command_line: String,
    /// What people should know of it.
    pub(super) notes: Vec<String>,
    visit: Visit,
    workspace: CallWorkspace,
    call_home: CallHome,
    /// The knowledge graph that the call has a copy of.
    graph: Option<PathBuf>,
}

/// What is left of a call.
pub(super) struct Left {
    pub(super) notes: Vec<String>,
    pub(super) traffic: Vec<Contact>,
}

impl Prepared {
    /// After the last process is gone. What the call made of the graph counts only if it is whole.
    pub(super) fn leave(self, is_whole: bool, redacted: &RedactedFiles) -> Left {
        let short = self.visit.note();
        let traffic = self.visit.end();
        let mut notes: Vec<String> = self.workspace.leave().into_iter().chain(short).collect();
        if let Some(graph) = self.graph.filter(|_| is_whole) {
            notes.extend(graph::take_back(&self.call_home.scratch(), &graph, redacted));
        }
        Left { notes, traffic }
    }
}

impl Live {
    /// Makes a call ready. `folder` is that of its transcript, `record` that of copies of its own files.
    pub(super) fn prepare(
        &mut self,
        call: &AgentCall,
        folder: &Path,
        record: PathBuf,
    ) -> Result<Prepared, Failure> {
        let workspace = self.call_workspace(call)?;
        let standing = self.trust.standing(workspace.folder());
        let call = &AgentCall { loadable: standing.loadable(workspace.folder()), ..call.clone() };
        let agent = ralph_agents::of_call(call);
        let facts = agent.facts();
        let call_home = self.call_home().map_err(|error| cannot_write(&error))?;
        let files = CallFiles { call_home: &call_home, redacted: &self.redacted, record };
        let mut command = self.command(call, &files, workspace.folder())?;
        let relay = self.relay(&facts)?;
        let (mut notes, login) = self.pack(&call_home, &mut command, &facts, relay.as_ref())?;
        notes.extend(self.told_login((agent.name(), &facts), call, &login));
        let graph = mcp::keeps_graph(&call.mcp).then(|| self.layout.graph());
        if let Some(graph) = &graph {
            graph::lend(graph, &call_home.scratch()).map_err(|error| cannot_write(&error))?;
        }
        notes.extend(workspace.notes().iter().cloned().chain(self.lost_trust(&standing)));
        let mut sandbox_request = SandboxRequest {
            home: Some(call_home.home()),
            lent: vec![(call_home.scratch(), call_home.scratch())],
            hidden: untrusted(agent.name(), call, workspace.folder()),
            ..self.sandbox_request(workspace.folder(), workspace.writer())
        };
        sandbox_request.shown.push((call_home.files(), call_home.files()));
        let mut keys = self.keys_inside(call, &facts, &command.program, workspace.folder());
        keys.retain(|key| !relay.iter().any(|relay| relay.withheld.contains(key)));
        notes.extend(self.told_keys(agent.name(), &facts, &keys));
        let rules = self.agent_rules(call, &facts, relay.as_ref());
        let environment = self.agent_environment(call, &facts, relay.as_ref(), &keys);
        if let Some(relay) = relay {
            command.args.extend(relay.arguments);
            command.env.extend(relay.variables);
        }
        let command_line = shown(&command, &call.prompt, self.redacted.redactor());
        let spec = self.process(command, &workspace, environment);
        let stay = Stay {
            sandbox_request,
            rules,
            log: (self.redacted.clone(), folder.join("network.jsonl")),
        };
        let enclosed = self.enclosure.enclose(spec, stay);
        let (spec, visit) = enclosed.map_err(|error| cannot_enclose(&error))?;
        Ok(Prepared { spec, command_line, notes, visit, workspace, call_home, graph })
    }

    /// Says once that configuration which the user trusted is not loaded any more.
    fn lost_trust(&mut self, standing: &Standing) -> Option<String> {
        let is_lost = matches!(standing, Standing::Changed { .. } | Standing::Unreadable { .. });
        let is_news = is_lost && !std::mem::replace(&mut self.told_lost_trust, is_lost);
        standing
            .words()
            .filter(|_| is_news)
            .map(|words| format!("project agent configuration: {words}"))
    }

    /// The agent's command line, with what its hooks need.
    fn command(
        &self,
        call: &AgentCall,
        files: &CallFiles<'_>,
        worktree: &Path,
    ) -> Result<CommandSpec, Failure> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let inside = self.enclosure.ralph_inside().map(text);
        let place = Place {
            run: self.run.clone(),
            started: clock::now(),
            folder: text(&files.folder()),
            scratch: text(&files.scratch()),
            ralph: inside.unwrap_or_else(hook_inputs::own_program),
        };
        let agent = ralph_agents::of_call(call);
        let mut command = agent.command(call, &place).map_err(|problem| Failure {
            class: FailureClass::Agent,
            what: problem.to_string(),
            help: problem.help().into(),
        })?;
        let placed = command
            .files
            .iter()
            .try_for_each(|(name, text)| files.write(call, name, text.as_bytes()));
        placed.map_err(|error| cannot_write(&error))?;
        self.equip(&mut command, call, files, worktree).map_err(|error| cannot_write(&error))?;
        Ok(command)
    }

    fn process(
        &self,
        command: CommandSpec,
        workspace: &CallWorkspace,
        environment: Vec<(OsString, OsString)>,
    ) -> ProcessSpec {
        let mut env = workspace.environment(environment);
        for (name, value) in command.env {
            env.retain(|(known, _)| known != name.as_str());
            env.push((name.into(), value.into()));
        }
        ProcessSpec {
            program: command.program.into(),
            args: command.args.into_iter().map(OsString::from).collect(),
            env,
            cwd: workspace.folder().to_owned(),
            stdin: command.stdin,
            merge_stderr: false,
            run: self.run.clone(),
            enclosed: None,
        }
    }

    /// Packs the agent's login, configuration and the command's own files. Without a box it is told where they are,
    /// and only if it needs them there.
    fn pack(
        &self,
        call_home: &CallHome,
        command: &mut CommandSpec,
        facts: &Facts,
        relay: Option<&RelayPlan>,
    ) -> Result<(Vec<String>, Lent), Failure> {
        if !self.enclosure.is_closed() && command.home.is_empty() {
            return Ok(Default::default());
        }
        let is_keyed = relay.is_some_and(|relay| relay.rule.key.is_some());
        let own = Source {
            home: self.home().into(),
            moved: facts.config_home.and_then(|home| {
                let named = PathBuf::from(self.text_variable(home.variable)?);
                Some(if home.below.is_empty() { named } else { named.join(home.below) })
            }),
            has_key: is_keyed && facts.relay.is_some_and(|relay| relay.replaces_login),
        };
        let Packed { login, notes, folder } = call_home
            .pack(facts, &own, &std::mem::take(&mut command.home))
            .map_err(|error| cannot_write(&error))?;
        if let (Some(home), false) = (facts.config_home, self.enclosure.is_closed()) {
            let named = if home.below.is_empty() { Some(&*folder) } else { folder.parent() };
            let named = named.unwrap_or(&folder).to_string_lossy().into_owned();
            command.env.push((home.variable.to_owned(), named));
        }
        Ok((notes, login))
    }

    fn call_home(&self) -> std::io::Result<CallHome> {
        CallHome::new(self.repository.calls_folder(&self.state_home).join(self.run.as_str()))
    }

    fn home(&self) -> String {
        self.text_variable("HOME").unwrap_or_default()
    }

    pub(super) fn text_variable(&self, name: &str) -> Option<String> {
        let found = self.environment.iter().find(|(known, _)| known == name)?;
        found.1.to_str().map(str::to_owned)
    }
}

/// A command line for people. A long argument is a prompt or a schema, which has a file of its own with the run.
fn shown(command: &CommandSpec, prompt: &str, redactor: &Redactor) -> String {
    let short = |text: &String| match text.as_str() {
        text if !prompt.is_empty() && text.contains(prompt) => "PROMPT".to_owned(),
        text if text.len() > MAX_SHOWN_ARGUMENT_BYTES || text.contains('\n') => {
            format!(
                "{}…",
                cut::words(text.lines().next().unwrap_or_default(), SHOWN_ARGUMENT_CHARS)
            )
        }
        text if text.is_empty() || text.contains(char::is_whitespace) => format!("'{text}'"),
        text => text.to_owned(),
    };
    let words = std::iter::once(&command.program).chain(&command.args);
    let words: Vec<String> = words.map(short).collect();
    redactor.text(&words.join(" ")).into_owned()
}

/// Configuration of the repository that this agent would load although nobody trusts it.
fn untrusted(agent: &str, call: &AgentCall, folder: &Path) -> Vec<PathBuf> {
    if !call.loadable.files.is_empty() {
        return Vec::new();
    }
    trust::hidden_from(agent).map(|path| folder.join(path)).collect()
}

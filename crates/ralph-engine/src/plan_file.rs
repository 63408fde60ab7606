//! The plan file: rendered from the state, never read as truth while a run goes on, and put right when an agent damages
//! it. What somebody wrote into it is kept beside it. A plan that was read from elsewhere is written back there once the
//! run is over: it may be part of the tree that is judged.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ralph_core::{
    event::{Decision, Event, Source},
    ids::RunId,
    plan::{Plan, amend, formats::plan_json},
    run::RunState,
};
use ralph_text::{fingerprint::digest, redact::Redactor};

use crate::{
    authored_files::AuthoredFiles,
    clock,
    git::{GitError, Repository},
    layout::Layout,
    memory_files,
    project_file::{self, read_plain, replace},
    run_reports, safe_files,
    sink::RedactedFiles,
};

/// Plans above this size are rendered less often.
const LARGE: usize = 1 << 20;
/// How often a large plan is rendered at most.
const LARGE_EVERY: Duration = Duration::from_secs(30);

/// The plan file of one run, and what people wrote beside it.
#[derive(Debug)]
pub(crate) struct PlanFile {
    layout: Layout,
    /// What is written for people beside the plan, and what an agent wrote into it, is kept without secrets.
    redacted: RedactedFiles,
    /// Asked what the run changed, for its report.
    repository: Option<Repository>,
    plan: PathBuf,
    /// The plan file is not the project's own.
    is_elsewhere: bool,
    /// The plan file is somebody else's by now, and is not written.
    is_left: bool,
    /// The plan file as ralph left it.
    rendered: Option<Vec<u8>>,
    /// What the kernel knew of that file then; it changes with every write, whoever makes it.
    known: Option<Identity>,
    /// Where the digest of what was rendered is kept, out of the agent's sight.
    stamp: PathBuf,
    rendered_at: Instant,
    /// What somebody made of the plan file between calls, and what it was then: for the next that may propose.
    waiting: Option<(String, String)>,
    authored: AuthoredFiles,
}

/// What was changed in `.ralph/` and is as it was again.
#[derive(Debug, Default)]
pub(crate) struct PutRight {
    pub(crate) notes: Vec<String>,
    /// What somebody had made of the plan file.
    pub(crate) plan_edit: Option<String>,
}

impl PlanFile {
    /// Remembers what is there before any agent runs.
    pub(crate) fn of(
        layout: &Layout,
        run: &RunId,
        elsewhere: Option<&str>,
        redactor: Redactor,
    ) -> Self {
        let (plan, stamp) = (path(layout, elsewhere), stamp(layout, run));
        let rendered = read_plain(&plan);
        let is_elsewhere = elsewhere.is_some();
        let is_new = !stamp.exists();
        let views = Self {
            rendered,
            is_elsewhere,
            is_left: false,
            known: identity(&plan),
            stamp,
            authored: AuthoredFiles::of(layout.views(), &plan),
            layout: layout.clone(),
            redacted: RedactedFiles::new(layout.views(), redactor),
            repository: None,
            rendered_at: Instant::now(),
            waiting: None,
            plan,
        };
        if is_new {
            views.put_stamp();
        }
        views
    }

    /// The same for a run that works in this repository.
    pub(crate) fn in_repository(self, repository: Repository) -> Self {
        Self { repository: Some(repository), ..self }
    }

    /// Takes down, out of the agent's sight, what the plan file is like as ralph knows it.
    fn put_stamp(&self) {
        if let Some(text) = &self.rendered {
            let base = self.layout.base_of(&self.stamp);
            let _ = safe_files::replace(base, &self.stamp, digest(&[text]).as_bytes());
        }
    }

    /// From now on the plan file is left as it is.
    pub(crate) fn leave_plan(&mut self) {
        self.is_left = true;
    }

    /// Makes the plan file fit a run that is taken up again. What somebody wrote there meanwhile is kept
    /// beside it, said, and given to be ruled on.
    pub(crate) fn adopt(&mut self, state: &RunState) -> Option<(String, Option<String>)> {
        if !self.renders(state) || self.is_elsewhere {
            return None;
        }
        self.render_over(state)
    }

    /// A plan that was read from elsewhere may be tracked: what ralph wrote there when the run last ended is nobody's
    /// change. The file is as git has it until the run is over.
    pub(crate) fn step_back(&mut self, repository: &Repository) -> Result<(), GitError> {
        if self.is_elsewhere
            && !is_edited(&self.plan, &self.stamp)
            && let Some(text) = repository.in_index(&self.plan)?
        {
            self.write(text);
        }
        Ok(())
    }

    /// Writes a plan that was read from elsewhere back there, now that nothing is judged any more.
    pub(crate) fn close(&mut self, state: &RunState) -> Option<String> {
        if !self.renders(state) || !self.is_elsewhere {
            return None;
        }
        self.render_over(state).map(|(note, _)| note)
    }

    /// Renders the plan; what somebody made of the file since ralph last saw it is kept beside it, said, and given.
    fn render_over(&mut self, state: &RunState) -> Option<(String, Option<String>)> {
        let edited = is_edited(&self.plan, &self.stamp);
        let text = state.plan_text().into_bytes();
        let note = if edited { self.restore(&self.plan, &text) } else { None };
        self.write(text);
        note
    }

    /// Renders what a decision changed. Says so if somebody had changed the plan file since it was last written.
    pub(crate) fn after(&mut self, state: &RunState, decision: &Decision) -> Option<String> {
        let about = (&self.redacted, self.repository.as_ref());
        run_reports::after(&self.layout, about, state, decision);
        memory_files::after(&self.layout, &self.redacted, state, decision);
        // A run that never got a workspace has changed nothing about the plan.
        if !self.renders(state) || self.is_elsewhere || state.workspace.is_none() {
            return None;
        }
        let ends = |event: &Event| {
            matches!(
                event,
                Event::WaitBegan { .. }
                    | Event::Paused
                    | Event::RunEnding { .. }
                    | Event::RunFinished { .. }
            )
        };
        let starts = |event: &Event| matches!(event, Event::IterationStarted(_));
        let pauses = decision.events.iter().any(ends);
        let large = self.rendered.as_ref().is_some_and(|text| text.len() > LARGE);
        let due = !large || self.rendered_at.elapsed() >= LARGE_EVERY;
        let is_due = pauses || (due && decision.events.iter().any(starts));
        if !is_due {
            return None;
        }
        let text = state.plan_text().into_bytes();
        let note = self.keep_edit(&text);
        self.write(text);
        note
    }

    /// Keeps what somebody made of the plan file since ralph last wrote it, before it is written again.
    fn keep_edit(&mut self, text: &[u8]) -> Option<String> {
        let is_known = self.known.is_none() || identity(&self.plan) == self.known;
        if is_known
            || self.rendered.as_deref() == Some(text)
            || read_plain(&self.plan) == self.rendered
        {
            return None;
        }
        let (note, edited) = self.restore(&self.plan, text)?;
        self.keep_waiting(edited);
        Some(note)
    }

    /// Nobody may propose anything now: what was made of the plan file waits for the next who may.
    pub(crate) fn keep_waiting(&mut self, edited: Option<String>) {
        if let Some(edited) = edited {
            self.waiting = Some((edited, self.last_rendered()));
        }
    }

    /// What waits, as if it had been made to the plan file as it is now.
    pub(crate) fn waiting_edit(&mut self) -> Option<String> {
        let (edited, was) = self.waiting.take()?;
        Some(amend::rebase(&edited, &was, &self.last_rendered()))
    }

    fn last_rendered(&self) -> String {
        String::from_utf8_lossy(self.rendered.as_deref().unwrap_or_default()).into_owned()
    }

    /// Whether the run's tasks are those of the plan file, and the file is the run's to write.
    fn renders(&self, state: &RunState) -> bool {
        !self.is_left && matches!(state.start.source, Source::Plan | Source::Tasks { .. })
    }

    /// A view that cannot be written changes nothing.
    fn write(&mut self, text: Vec<u8>) {
        if self.rendered.as_ref() != Some(&text) && replace(&self.plan, &text).is_ok() {
            self.rendered = Some(text);
            self.put_stamp();
            self.known = identity(&self.plan);
            self.rendered_at = Instant::now();
        }
    }

    /// Puts back what an agent changed in `.ralph/`, keeps its version beside, and says so.
    pub(crate) fn put_right(&mut self) -> PutRight {
        let mut right = PutRight::default();
        let untouched = self.known.is_some() && identity(&self.plan) == self.known;
        if !untouched
            && !self.is_elsewhere
            && let Some(text) = &self.rendered
            && let Some((note, edited)) = self.restore(&self.plan, text)
        {
            right.notes.push(note);
            right.plan_edit = edited;
        }
        right.notes.extend(self.authored.put_back());
        right
    }

    /// What was done about a changed file, in words, and the text it had.
    fn restore(&self, path: &Path, text: &[u8]) -> Option<(String, Option<String>)> {
        let found = read_plain(path);
        if found.as_deref() == Some(text) {
            return None;
        }
        let edited = found.as_deref().map(|text| String::from_utf8_lossy(text).into_owned());
        let name = self.authored.short(path);
        let note = match found {
            None if fs::symlink_metadata(path).is_ok() => {
                let aside = aside(path);
                fs::rename(path, &aside).ok()?;
                format!("{name} was no longer a file; it was put back")
            }
            None => format!("{name} was deleted; it was put back"),
            Some(edited) => {
                let aside = aside(path);
                replace(&aside, &self.redacted.redactor().bytes(&edited)).ok()?;
                format!(
                    "{name} was changed; it was put back, and the change is kept as {}",
                    self.authored.short(&aside)
                )
            }
        };
        replace(path, text).ok()?;
        Some((note, edited))
    }
}

/// Device, inode, size and time of the last change, which no program can set.
type Identity = (u64, u64, u64, i64, i64);

fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let about = fs::symlink_metadata(path).ok()?;
    Some((about.dev(), about.ino(), about.size(), about.ctime(), about.ctime_nsec()))
}

/// A free name beside a file for what somebody made of it.
fn aside(path: &Path) -> PathBuf {
    let mut time = clock::now().0;
    loop {
        let name = PathBuf::from(format!("{}.edited-{time}", path.display()));
        if fs::symlink_metadata(&name).is_err() {
            return name;
        }
        time += 1;
    }
}

/// Writes a plan file. Only for whoever holds the lock: a run renders its own.
pub fn write(file: &Path, plan: &Plan) -> io::Result<()> {
    replace(file, plan_json::render(plan).as_bytes())
}

/// Puts another plan in the place of the project's, which is kept beside it. Only for whoever holds the lock.
pub fn exchange(layout: &Layout, plan: &Plan) -> io::Result<()> {
    if let Some(text) = read_plain(&layout.plan()) {
        replace(&layout.views().join("plan.json.old"), &text)?;
    }
    write(&layout.plan(), plan)
}

/// The plan file of a run: the project's own, or the one that it was read from.
pub fn of_run(layout: &Layout, state: &RunState) -> PathBuf {
    path(layout, state.start.plan_file.as_deref())
}

/// Whether anyone but ralph changed the plan file since the run last rendered it.
pub fn is_edited_since(layout: &Layout, state: &RunState) -> bool {
    is_edited(&of_run(layout, state), &stamp(layout, &state.run))
}

fn path(layout: &Layout, elsewhere: Option<&str>) -> PathBuf {
    elsewhere.map_or_else(|| layout.plan(), PathBuf::from)
}

fn is_edited(plan: &Path, stamp: &Path) -> bool {
    match (read_plain(plan), project_file::text(stamp, project_file::LARGEST)) {
        (Some(text), Ok(known)) => digest(&[&text]) != known,
        _ => false,
    }
}

fn stamp(layout: &Layout, run: &RunId) -> PathBuf {
    layout.run(run).join("plan.rendered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_became_a_pipe_or_a_folder_is_put_back_without_waiting() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(&folder.path().join("git"), folder.path());
        fs::create_dir_all(layout.views())?;
        fs::write(layout.plan(), "the plan")?;
        let mut views = PlanFile::of(&layout, &"r1".into(), None, Redactor::default());
        assert!(views.put_right().notes.is_empty());
        fs::remove_file(layout.plan())?;
        nix::unistd::mkfifo(&layout.plan(), nix::sys::stat::Mode::S_IRWXU)?;
        assert_eq!(
            views.put_right().notes,
            [".ralph/plan.json was no longer a file; it was put back"]
        );
        assert_eq!(fs::read_to_string(layout.plan())?, "the plan");
        fs::remove_file(layout.plan())?;
        fs::create_dir(layout.plan())?;
        assert_eq!(views.put_right().notes.len(), 1);
        assert_eq!(fs::read_to_string(layout.plan())?, "the plan");
        Ok(())
    }

    #[test]
    fn what_somebody_writes_into_the_plan_between_calls_is_kept_and_waits() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(&folder.path().join("git"), folder.path());
        fs::create_dir_all(layout.views())?;
        let plan = |description: &str, status: &str| {
            format!(
                r#"{{"version":1,"project":"p","tasks":[{{"id":"a","title":"a","description":"{description}","status":"{status}"}}]}}"#
            )
        };
        fs::write(layout.plan(), plan("ralph's", "pending"))?;
        let mut views = PlanFile::of(&layout, &"r1".into(), None, Redactor::default());
        fs::write(layout.plan(), plan("mine", "pending"))?;
        let now = plan("ralph's", "in_progress").into_bytes();
        let note = views.keep_edit(&now).unwrap_or_default();
        assert!(note.contains("the change is kept as .ralph/plan.json.edited-"), "{note}");
        views.write(now);
        let edit = views.waiting_edit().unwrap_or_default();
        assert!(edit.contains("mine") && edit.contains("in_progress"), "{edit}");
        assert_eq!(views.waiting_edit(), None);
        Ok(())
    }
}

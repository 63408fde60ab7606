//! Goes through a document line by line. If any heading names a task, tasks are headings and boxes are their
//! criteria; otherwise each outer box is a task.

use serde_json::{Map, Value};

use super::{
    super::{FormatError, names},
    commands,
    head::{self, Head},
    inline,
    label::{self, Label},
    line,
    read::Read,
    task::{Found, Text},
};

/// How a comment of ralph's begins.
pub(super) const COMMENT: &str = "<!-- ralph {";

/// What lines belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Nobody,
    /// The plan, before its first section.
    Plan,
    /// The last task, under its heading of this level.
    Heading(usize),
    /// The last task, an item with this indent.
    Item(usize),
}

pub(super) struct Walk<'a> {
    pub(super) lines: Vec<&'a str>,
    pub(super) read: Read,
    pub(super) owner: Owner,
    pub(super) by_headings: bool,
    /// What items and code blocks are taken for.
    pub(super) under: Label,
    section: Option<&'a str>,
    plan_text: Text,
    /// The line before was an item, whose sentence may go on.
    pub(super) after_item: bool,
}

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Read, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut walk = Walk {
        by_headings: has_task_headings(&lines),
        lines,
        read: Read::default(),
        owner: Owner::Plan,
        under: Label::Description,
        section: None,
        plan_text: Text::default(),
        after_item: false,
    };
    let mut at = walk.front_matter();
    while at < walk.lines.len() {
        at = walk.step(at)?;
    }
    walk.read.plan.description = walk.plan_text.join();
    for found in &mut walk.read.found {
        found.finish()?;
    }
    Ok(walk.read)
}

fn has_task_headings(lines: &[&str]) -> bool {
    line::outside_code(lines.iter().copied()).any(|line| {
        line::heading(line).is_some_and(|h| head::of_heading(h.level, h.text).is_some())
    })
}

impl<'a> Walk<'a> {
    pub(super) fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Lines before the document, if there are any.
    fn front_matter(&self) -> usize {
        if self.line(0).trim_end() != "---" {
            return 0;
        }
        let close = self.lines.iter().skip(1).position(|line| line.trim_end() == "---");
        close.map_or(0, |at| at + 2)
    }

    pub(super) fn task(&mut self) -> Option<&mut Found> {
        match self.owner {
            Owner::Heading(_) | Owner::Item(_) => self.read.found.last_mut(),
            Owner::Nobody | Owner::Plan => None,
        }
    }

    /// One line, or a block of them; the result is the next line.
    fn step(&mut self, at: usize) -> Result<usize, FormatError> {
        let line = self.line(at);
        let was_item = std::mem::take(&mut self.after_item);
        if line.trim_start().starts_with("<!--") {
            return self.comment(at);
        }
        if let Some(fence) = line::fence(line) {
            return Ok(self.block(at, fence));
        }
        if let Some(heading) = line::heading(line) {
            self.heading(at, &heading);
        } else if let Some(text) = line::quote(line) {
            self.leave_item(line);
            self.say(text);
        } else if let Some(item) = line::item(line) {
            self.item(at, &item);
        } else if line.trim().is_empty() {
            match self.task() {
                Some(found) => found.text.gap(),
                None => self.plan_text.gap(),
            }
        } else {
            self.text(line, was_item);
        }
        Ok(at + 1)
    }

    /// A comment of ralph's holds fields; others are passed over, whatever they hold.
    fn comment(&mut self, at: usize) -> Result<usize, FormatError> {
        let line = self.line(at).trim();
        if line.starts_with(COMMENT) {
            let json = line.strip_prefix("<!-- ralph ").and_then(|rest| rest.strip_suffix("-->"));
            let fields: Map<String, Value> = serde_json::from_str(json.unwrap_or_default().trim())
                .map_err(|error| {
                    let help = "fix or remove the comment that begins with <!-- ralph";
                    FormatError::new(format!("ralph's comment is damaged: {error}"), help)
                        .at_line(at + 1)
                })?;
            match self.task() {
                Some(found) => found.hide(fields),
                None => self.read.hidden.extend(fields),
            }
            return Ok(at + 1);
        }
        let end = (at..self.lines.len()).find(|at| self.line(*at).contains("-->"));
        Ok(end.map_or(self.lines.len(), |end| end + 1))
    }

    /// A code block: commands under a label that says so, text otherwise.
    fn block(&mut self, at: usize, fence: &str) -> usize {
        self.leave_item(self.line(at));
        let close = (at + 1..self.lines.len()).find(|at| line::closes(self.line(*at), fence));
        let end = close.unwrap_or(self.lines.len());
        let inside: Vec<&str> = (at + 1..end).map(|at| self.line(at)).collect();
        if self.under == Label::Commands {
            for command in commands::in_block(&inside) {
                self.prove(command);
            }
        } else {
            for at in at..(end + 1).min(self.lines.len()) {
                self.say(self.line(at));
            }
        }
        end + 1
    }

    fn heading(&mut self, at: usize, heading: &line::Heading<'a>) {
        if let Some(mut head) = head::of_heading(heading.level, heading.text) {
            head.tick = head.tick.map(|_| line_tick(self.line(at))).unwrap_or_default();
            self.begin(head, at, Owner::Heading(heading.level));
            return;
        }
        let label = label::named(heading.text);
        match self.owner {
            Owner::Heading(level) if heading.level > level => {
                self.under = label.unwrap_or(Label::Description);
                if label.is_none() {
                    self.say(self.line(at));
                }
            }
            _ if heading.level == 1 && self.read.found.is_empty() && self.section.is_none() => {
                self.read.plan.project = project(heading.text);
                (self.owner, self.under) = (Owner::Plan, Label::Description);
            }
            _ => {
                self.owner = Owner::Nobody;
                self.under = label.unwrap_or(Label::Description);
                self.section = Some(heading.text);
            }
        }
    }

    pub(super) fn begin(&mut self, head: Head, at: usize, owner: Owner) {
        let mut found = Found::new(head, at);
        if let (Owner::Item(_), Some(section)) = (owner, self.section) {
            match names::priority(section) {
                Some(priority) => {
                    found.task.priority.get_or_insert(priority);
                }
                None if is_telling(section) => found.text.say(&format!("Section: {section}")),
                None => {}
            }
        }
        self.read.found.push(found);
        (self.owner, self.under) = (owner, Label::Description);
    }

    /// An item's task ends with the first line that is not indented deeper.
    pub(super) fn leave_item(&mut self, line: &str) {
        if let Owner::Item(indent) = self.owner
            && line::indent(line) <= indent
        {
            (self.owner, self.under) = (Owner::Nobody, Label::Description);
        }
    }

    pub(super) fn say(&mut self, line: &str) {
        if self.owner == Owner::Plan {
            self.plan_text.say(line);
        } else if let Some(found) = self.task() {
            found.text.say(line);
        }
    }

    pub(super) fn prove(&mut self, command: String) {
        match self.task() {
            Some(found) => found.prove(command),
            None => self.read.plan.verify_commands.push(command),
        }
    }
}

/// The box of a heading, with its place in the line.
fn line_tick(line: &str) -> Option<line::Tick> {
    let rest = line.trim_start_matches('#').trim_start();
    let offset = line.len() - rest.len();
    line::tick(rest).map(|(tick, _)| line::Tick { at: tick.at + offset, ..tick })
}

/// Whether a section says something about its tasks.
fn is_telling(section: &str) -> bool {
    let plain = section.to_lowercase();
    let says_nothing =
        ["tasks", "todo", "to do", "plan", "checklist", "fix plan", "done", "completed", "backlog"];
    !plain.is_empty() && !says_nothing.contains(&plain.as_str())
}

/// The name in the first heading of a document.
pub(super) fn project(heading: &str) -> String {
    let heading = inline::unescape(heading);
    for kind in ["PRD:", "Plan:", "Implementation Plan:", "Product Requirements:"] {
        if let Some(rest) = heading.strip_prefix(kind) {
            return rest.trim().to_owned();
        }
    }
    heading
}

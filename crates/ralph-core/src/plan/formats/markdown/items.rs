//! What items of lists, labels and plain lines mean for the task they belong to.

use super::{
    commands,
    head::{self, Head},
    inline,
    label::{self, Label},
    line,
    task::BoxAt,
    walk::{Owner, Walk},
};

impl<'a> Walk<'a> {
    pub(super) fn item(&mut self, at: usize, item: &line::Item<'a>) {
        self.leave_item(self.line(at));
        match (self.owner, item.tick) {
            (Owner::Heading(_) | Owner::Item(_), Some(tick)) => {
                if let Some(found) = self.task() {
                    found.boxes.push(BoxAt { line: at, tick });
                }
                self.require(self.under, item.content);
                self.after_item = true;
            }
            (_, Some(tick)) if !self.by_headings => {
                let head = Head { tick: Some(tick), ..head::of_text(item.content) };
                self.begin(head, at, Owner::Item(item.indent));
                self.after_item = true;
            }
            (Owner::Heading(_) | Owner::Item(_), None) => self.bullet(at, item),
            (_, None) if self.under == Label::Commands => {
                if let Some(command) = commands::in_span(item.content) {
                    self.prove(command.to_owned());
                }
            }
            (Owner::Plan, _) => self.say(self.line(at)),
            _ => {}
        }
    }

    /// Adds a criterion to the task; under a label for commands, a code span is the command of one.
    fn require(&mut self, under: Label, content: &str) {
        let command = commands::in_span(content).filter(|_| under == Label::Commands);
        if let Some(found) = self.task() {
            match command {
                Some(command) => found.prove(command.to_owned()),
                None => found.require(content),
            }
        }
    }

    /// An item without a box, of a task.
    fn bullet(&mut self, at: usize, item: &line::Item<'a>) {
        if self.labelled(item.content) {
            return;
        }
        match self.under {
            Label::Criteria | Label::Commands => {
                self.require(self.under, item.content);
                self.after_item = self.under == Label::Criteria;
            }
            Label::DependsOn => {
                if let Some(found) = self.task() {
                    found.label(Label::DependsOn, item.content);
                }
            }
            _ => {
                let line = self.line(at);
                self.say(self.unindented(line));
            }
        }
    }

    /// A line that is nothing else.
    pub(super) fn text(&mut self, line: &'a str, was_item: bool) {
        self.leave_item(line);
        if self.labelled(line) {
            return;
        }
        if was_item && line::indent(line) > 0 && self.goes_on(line) {
            self.after_item = true;
            return;
        }
        let line = self.unindented(line).trim_end();
        self.say(line);
    }

    /// Whether a line only continues the sentence of the item before it.
    fn goes_on(&mut self, line: &str) -> bool {
        let line = line.trim();
        let is_item = matches!(self.owner, Owner::Item(_));
        let Some(found) = self.task() else { return false };
        if !found.task.acceptance_criteria.is_empty() {
            return found.go_on(line);
        }
        let is_open = !found.task.title.ends_with(['.', ':', '!', '?', ';']);
        let is_same = is_item && is_open && line.starts_with(char::is_lowercase);
        if is_same {
            found.task.title = format!("{} {}", found.task.title, inline::unescape(line));
        }
        is_same
    }

    /// Takes a line that begins with a label; what stands under it belongs to that label.
    fn labelled(&mut self, line: &str) -> bool {
        let Some((label, value)) = label::label(line) else { return false };
        if self.task().is_none() {
            return false;
        }
        match label {
            Label::Criteria | Label::Commands => self.require(label, value),
            Label::Description => {
                if !value.is_empty() {
                    self.say(value);
                }
            }
            label => {
                let is_list = label == Label::DependsOn && value.is_empty();
                if !is_list && !self.task().is_some_and(|found| found.label(label, value)) {
                    return false;
                }
                if !is_list {
                    return true;
                }
            }
        }
        self.under = label;
        true
    }

    fn unindented(&self, line: &'a str) -> &'a str {
        match self.owner {
            Owner::Item(indent) => {
                let most = line.len() - line.trim_start_matches(' ').len();
                line.get(most.min(indent + 2)..).unwrap_or(line)
            }
            _ => line,
        }
    }
}

//! Questions drawn and answered key by key.

use super::{
    editor::Editor,
    frame::{self, Cursor, Frame},
    keys::Key,
    menu::{Menu, Pick},
    question::{Text, Way},
    terminal::Terminal,
};
use crate::{
    diagnostics::CommandError,
    reporters::{
        block::Entry,
        line::{Line, Sign, Tone},
        screen::Screen,
    },
};

/// Most rows in which an answer that is being typed is shown.
const TYPED_ROWS: usize = 8;
/// What stands before an answer that is being typed.
const PROMPT: &str = "  > ";

/// A terminal on which questions are drawn.
pub(super) struct Live<'a> {
    pub(super) terminal: &'a mut Terminal,
    pub(super) screen: &'a Screen,
}

impl Live<'_> {
    pub(super) fn text(&mut self, asked: &Text<'_>) -> Result<String, CommandError> {
        let mut editor = Editor::default();
        let mut wrong = None;
        let mut frame = Frame::default();
        loop {
            self.draw_text(&mut frame, asked, (&editor, wrong.as_deref()))?;
            match self.key(&mut frame, asked.question)? {
                Key::EndOfInput if editor.is_empty() => {
                    return self.left(&mut frame, asked.question, CommandError::Cancelled);
                }
                Key::Tab if editor.is_empty() => editor.insert(asked.default),
                Key::Enter => {
                    let typed = editor.text();
                    let answer = if typed.trim().is_empty() { asked.default } else { typed.trim() };
                    match (asked.check)(answer) {
                        Ok(()) => {
                            let shown = if answer.is_empty() { asked.nothing } else { answer };
                            self.settle(&mut frame, asked.question, shown)?;
                            return Ok(answer.to_owned());
                        }
                        Err(reason) => wrong = Some(reason),
                    }
                }
                key => {
                    if editor.press(&key) {
                        wrong = None;
                    }
                }
            }
        }
    }

    /// Lets one or some of a list be chosen; gives which.
    pub(super) fn menu(
        &mut self,
        question: &str,
        mut menu: Menu,
    ) -> Result<Vec<usize>, CommandError> {
        let keys = match menu.pick {
            Pick::One => "arrows move · Enter selects",
            Pick::Some(_) => "arrows move · space toggles · Enter confirms",
        };
        let mut frame = Frame::default();
        loop {
            let columns = frame::columns(self.screen) - 1;
            let mut lines = self.render(&[asks(question)]);
            let help = self.render(&[Entry::text(2, Tone::Dim, keys)]);
            let room = frame::rows().saturating_sub(lines.len() + help.len() + 1);
            let rows = menu.rows(room);
            lines.extend(rows.iter().map(|row| row.render(self.screen.look, Some(columns))));
            lines.extend(help);
            frame.draw(self.screen, &lines, Cursor::Hidden)?;
            match self.key(&mut frame, question)? {
                Key::Enter => {
                    self.settle(&mut frame, question, &menu.answer())?;
                    return Ok(menu.chosen());
                }
                Key::EndOfInput => {
                    return self.left(&mut frame, question, CommandError::Cancelled);
                }
                key => menu.press(&key),
            }
        }
    }

    /// Waits for the key of one of these ways; gives which.
    pub(super) fn key_of(
        &mut self,
        (question, hint): (&str, &str),
        ways: &[Way],
        default: usize,
    ) -> Result<usize, CommandError> {
        let mut frame = Frame::default();
        loop {
            let lines = self.render(&[asks(&format!("{question} {hint}"))]);
            frame.draw(self.screen, &lines, Cursor::Hidden)?;
            let chosen = match self.key(&mut frame, question)? {
                Key::Enter => Some(default),
                Key::Char(typed) => {
                    ways.iter().position(|Way(key, _)| *key == typed.to_ascii_lowercase())
                }
                Key::EndOfInput => {
                    return self.left(&mut frame, question, CommandError::Cancelled);
                }
                _ => None,
            };
            if let Some((at, Way(_, name))) = chosen.and_then(|at| Some((at, ways.get(at)?))) {
                self.settle(&mut frame, question, name)?;
                return Ok(at);
            }
        }
    }

    /// The next key; whoever leaves the question leaves it on the screen.
    fn key(&mut self, frame: &mut Frame, question: &str) -> Result<Key, CommandError> {
        match self.terminal.next() {
            Ok(Key::Escape) => self.left(frame, question, CommandError::Cancelled),
            Ok(key) => Ok(key),
            Err(error) => self.left(frame, question, error),
        }
    }

    fn draw_text(
        &self,
        frame: &mut Frame,
        asked: &Text<'_>,
        (editor, wrong): (&Editor, Option<&str>),
    ) -> Result<(), CommandError> {
        let columns = frame::columns(self.screen) - 1;
        let mut lines = self.render(&[asks(asked.question)]);
        let mut below = Vec::new();
        if !asked.note.is_empty() {
            below.push(Entry::text(2, Tone::Dim, asked.note));
        }
        if let Some(wrong) = wrong {
            below.push(Entry::led(Line::new().plain("  ").sign(Sign::Warning).plain(" "), wrong));
        }
        let below = self.render(&below);
        let (typed, (row, column)) = editor.rows(columns.saturating_sub(PROMPT.len()));
        let room = frame::rows().saturating_sub(lines.len() + below.len() + 1);
        let room = room.clamp(1, TYPED_ROWS);
        let first = (row + 1).saturating_sub(room);
        let top = lines.len();
        for (index, text) in typed.iter().enumerate().skip(first).take(room) {
            let lead = if index == 0 { PROMPT } else { "    " };
            let line = Line::new().add(Tone::Accent, lead);
            let line = if editor.is_empty() { line.dim(asked.default) } else { line.plain(text) };
            lines.push(line.render(self.screen.look, Some(columns)));
        }
        lines.extend(below);
        let cursor = Cursor::At(top + row - first, PROMPT.len() + column);
        Ok(frame.draw(self.screen, &lines, cursor)?)
    }

    /// The question and its answer, as they stay on the screen.
    fn settle(&self, frame: &mut Frame, question: &str, answer: &str) -> Result<(), CommandError> {
        let lead = Line::signed(Sign::Ok).plain(format!("{question}  "));
        let whole = lead.clone().plain(answer).width(self.screen.look);
        let entries = if whole < frame::columns(self.screen) {
            vec![Entry::Cut(lead.add(Tone::Accent, answer))]
        } else {
            let lead = Line::signed(Sign::Ok);
            let text = question.to_owned();
            vec![
                Entry::Wrapped { lead, indent: 2, tone: Tone::Plain, text },
                Entry::text(4, Tone::Accent, answer),
            ]
        };
        Ok(frame.settle(self.screen, &self.render(&entries))?)
    }

    /// The question as it stays on the screen when nobody answered it.
    fn left<T>(
        &self,
        frame: &mut Frame,
        question: &str,
        why: CommandError,
    ) -> Result<T, CommandError> {
        let entry = Entry::led(Line::signed(Sign::Bad), question);
        frame.settle(self.screen, &self.render(&[entry]))?;
        Err(why)
    }

    /// Entries as lines that leave the last column free, where terminals differ.
    fn render(&self, entries: &[Entry]) -> Vec<String> {
        let columns = Some(frame::columns(self.screen) - 1);
        entries.iter().flat_map(|entry| entry.render(self.screen.look, columns)).collect()
    }
}

fn asks(question: &str) -> Entry {
    let lead = Line::new().add(Tone::Accent, "? ");
    Entry::Wrapped { lead, indent: 2, tone: Tone::Bold, text: question.into() }
}

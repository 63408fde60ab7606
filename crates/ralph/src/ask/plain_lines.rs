//! Questions on a terminal that cannot be drawn on: lines with numbers, answered by a line.

use super::{
    menu::{Menu, Pick},
    question::{Text, Way},
    terminal::{Terminal, say},
};
use crate::{
    diagnostics::CommandError,
    reporters::{block::Entry, line::Tone, screen::Screen},
};

/// A terminal that is read line by line.
pub(super) struct PlainLines<'a> {
    pub(super) terminal: &'a mut Terminal,
    pub(super) screen: &'a Screen,
}

impl PlainLines<'_> {
    pub(super) fn text(&mut self, asked: &Text<'_>) -> Result<String, CommandError> {
        let mut tell = vec![Entry::text(0, Tone::Plain, asked.question)];
        if !asked.note.is_empty() {
            tell.push(Entry::text(2, Tone::Plain, asked.note));
        }
        self.tell(&tell)?;
        loop {
            let typed = self.line(asked.default)?;
            let answer = if typed.is_empty() { asked.default } else { &typed };
            match (asked.check)(answer) {
                Ok(()) => return Ok(answer.to_owned()),
                Err(reason) => self.tell(&[Entry::text(2, Tone::Plain, reason)])?,
            }
        }
    }

    pub(super) fn menu(&mut self, question: &str, menu: &Menu) -> Result<Vec<usize>, CommandError> {
        let mut tell = vec![Entry::text(0, Tone::Plain, question)];
        for (at, (name, note)) in menu.choices.iter().enumerate() {
            let text = format!("{:>2}) {name}  {note}", at + 1);
            tell.push(Entry::text(1, Tone::Plain, text));
        }
        let mut default: Vec<String> =
            menu.chosen().iter().map(|at| (at + 1).to_string()).collect();
        if default.is_empty() {
            default.push("0".into());
        }
        if menu.pick != Pick::One {
            tell.push(Entry::text(2, Tone::Plain, "numbers separated by spaces, 0 for none"));
        }
        self.tell(&tell)?;
        loop {
            let typed = self.line(&default.join(" "))?;
            if typed.is_empty() {
                return Ok(menu.chosen());
            }
            if let Some(chosen) = numbers(&typed, menu) {
                return Ok(chosen);
            }
            let text = format!("enter a number from 1 to {}", menu.choices.len());
            self.tell(&[Entry::text(2, Tone::Plain, text)])?;
        }
    }

    /// Reads the key or the name of one of these ways; gives which.
    pub(super) fn key_of(
        &mut self,
        (question, hint): (&str, &str),
        ways: &[Way],
        default: usize,
    ) -> Result<usize, CommandError> {
        loop {
            say(&format!("{question} {hint} "))?;
            let typed = self.terminal.line()?.trim().to_lowercase();
            let is_meant = |Way(key, name): &Way| typed == *name || typed == key.to_string();
            if typed.is_empty() {
                return Ok(default);
            }
            if let Some(at) = ways.iter().position(is_meant) {
                return Ok(at);
            }
            let keys: Vec<String> = ways.iter().map(|Way(key, _)| key.to_string()).collect();
            let text = format!("enter {}", keys.join(" or "));
            self.tell(&[Entry::text(2, Tone::Plain, text)])?;
        }
    }

    fn line(&mut self, default: &str) -> Result<String, CommandError> {
        say(&if default.is_empty() { "> ".into() } else { format!("[{default}] > ") })?;
        Ok(self.terminal.line()?.trim().to_owned())
    }

    fn tell(&self, entries: &[Entry]) -> Result<(), CommandError> {
        let lines = entries.iter().flat_map(|e| e.render(self.screen.look, self.screen.columns()));
        let lines: String = lines.map(|line| line + "\n").collect();
        Ok(say(&lines)?)
    }
}

/// Which ones a line of numbers means, if it means any.
fn numbers(typed: &str, menu: &Menu) -> Option<Vec<usize>> {
    let words = typed.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Vec<usize> = words.map(str::parse).collect::<Result<_, _>>().ok()?;
    if numbers == [0] && menu.pick != Pick::One {
        return Some(Vec::new());
    }
    let mut chosen: Vec<usize> =
        numbers.iter().map(|number| number.checked_sub(1)).collect::<Option<_>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    let fits = match menu.pick {
        Pick::One => chosen.len() == 1,
        Pick::Some(_) => !chosen.is_empty(),
    };
    (fits && chosen.iter().all(|at| *at < menu.choices.len())).then_some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_mean_what_the_list_shows() {
        let choice = |name: &str| (name.into(), String::new());
        let one = Menu { choices: ["a", "b", "c"].map(choice).into(), at: 0, pick: Pick::One };
        let some = Menu { pick: Pick::Some(vec![true, false, false]), ..one.clone() };
        let table: [(&str, &Menu, Option<&[usize]>); 8] = [
            ("2", &one, Some(&[1])),
            ("1 2", &one, None),
            ("0", &one, None),
            ("4", &one, None),
            ("3, 1 3", &some, Some(&[0, 2])),
            ("0", &some, Some(&[])),
            ("0 1", &some, None),
            ("b", &some, None),
        ];
        for (typed, menu, expected) in table {
            assert_eq!(numbers(typed, menu).as_deref(), expected, "{typed}");
        }
    }
}

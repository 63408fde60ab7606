//! A list to choose from: where the pointer is, what is chosen, which part of it is shown. Pure.

use super::keys::Key;
use crate::reporters::{
    line::{Line, Tone},
    width,
};

/// How many may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pick {
    One,
    /// Which ones are chosen.
    Some(Vec<bool>),
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Menu {
    /// What can be chosen: a name, and what is said beside it.
    pub(super) choices: Vec<(String, String)>,
    pub(super) at: usize,
    pub(super) pick: Pick,
}

impl Menu {
    /// Does what a key asks for.
    pub(super) fn press(&mut self, key: &Key) {
        let last = self.choices.len().saturating_sub(1);
        match key {
            Key::Up | Key::Char('k') => self.at = self.at.checked_sub(1).unwrap_or(last),
            Key::Down | Key::Char('j') | Key::Tab => {
                self.at = if self.at == last { 0 } else { self.at + 1 };
            }
            Key::Home => self.at = 0,
            Key::End => self.at = last,
            Key::Char(c @ '1'..='9') => {
                let at = c.to_digit(10).map_or(0, |digit| digit as usize - 1);
                self.at = if at > last { self.at } else { at };
            }
            Key::Char(' ') => {
                if let Pick::Some(chosen) = &mut self.pick
                    && let Some(one) = chosen.get_mut(self.at)
                {
                    *one = !*one;
                }
            }
            _ => {}
        }
    }

    /// Which ones are chosen.
    pub(super) fn chosen(&self) -> Vec<usize> {
        match &self.pick {
            Pick::One => vec![self.at],
            Pick::Some(chosen) => {
                chosen.iter().enumerate().filter(|(_, one)| **one).map(|(at, _)| at).collect()
            }
        }
    }

    /// The names of what is chosen.
    pub(super) fn answer(&self) -> String {
        let names = self.chosen().into_iter().filter_map(|at| self.choices.get(at));
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        if names.is_empty() { "none".into() } else { names.join(" · ") }
    }

    /// The rows that fit, around the pointer.
    pub(super) fn rows(&self, most: usize) -> Vec<Line> {
        let most = most.max(1);
        let first = (self.at + 1).saturating_sub(most);
        let wide = self.choices.iter().map(|(name, _)| width::of(name)).max().unwrap_or(0);
        let shown = self.choices.iter().enumerate().skip(first).take(most);
        shown.map(|(at, choice)| self.row(at, choice, wide)).collect()
    }

    fn row(&self, at: usize, (name, note): &(String, String), wide: usize) -> Line {
        let here = at == self.at;
        let mut line = Line::new().add(Tone::Accent, if here { "  ▶ " } else { "    " });
        if let Pick::Some(chosen) = &self.pick {
            let (tone, mark) = match chosen.get(at) {
                Some(true) => (Tone::Good, "[✓] "),
                _ => (Tone::Dim, "[ ] "),
            };
            line = line.add(tone, mark);
        }
        line = line.add(if here { Tone::Bold } else { Tone::Plain }, name);
        if note.is_empty() {
            return line;
        }
        let gap = wide.saturating_sub(width::of(name)) + 2;
        line.plain(" ".repeat(gap)).dim(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::line::Look;

    fn menu(pick: Pick) -> Menu {
        let choice = |name: &str| (name.into(), format!("about {name}"));
        Menu { choices: ["one", "three", "five"].map(choice).into(), at: 0, pick }
    }

    #[test]
    fn the_pointer_goes_round_and_digits_jump() {
        use Key::*;
        let table: [(&[Key], usize); 7] = [
            (&[Down], 1),
            (&[Up], 2),
            (&[Down, Down, Down], 0),
            (&[Char('j'), Char('j'), Char('k')], 1),
            (&[Char('3')], 2),
            (&[Char('9')], 0),
            (&[End, Home], 0),
        ];
        for (keys, at) in table {
            let mut menu = menu(Pick::One);
            for key in keys {
                menu.press(key);
            }
            assert_eq!(menu.at, at, "{keys:?}");
        }
    }

    #[test]
    fn space_chooses_where_several_may_be_chosen() {
        let mut menu = menu(Pick::Some(vec![true, false, false]));
        for key in [Key::Char(' '), Key::Down, Key::Char(' ')] {
            menu.press(&key);
        }
        assert_eq!((menu.chosen(), menu.answer()), (vec![1], "three".to_owned()));
        menu.press(&Key::Char(' '));
        assert_eq!(menu.answer(), "none");
    }

    #[test]
    fn a_list_that_does_not_fit_moves_with_the_pointer() {
        let mut menu = menu(Pick::One);
        let shown = |menu: &Menu| -> Vec<String> {
            menu.rows(2).iter().map(|line| line.render(Look::default(), None)).collect()
        };
        assert_eq!(shown(&menu), ["  ▶ one    about one", "    three  about three"]);
        menu.press(&Key::End);
        assert_eq!(shown(&menu), ["    three  about three", "  ▶ five   about five"]);
    }
}

//! What a key means.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::model::{PANES, Pane};
use crate::ask::Key;

/// What a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Leave,
    Suspend,
    Redraw,
    /// Down by so many rows, or up.
    Move(isize),
    Page(isize),
    First,
    Last,
    Open,
    Back,
    Switch,
    Show(Pane),
    /// An earlier try, or a later one.
    Try(isize),
    /// The task after, or the one before.
    Task(isize),
    Follow,
    Filter,
    Order,
    Zoom,
    Wrap,
    Steer,
    Pause,
    Stop,
    Runs,
    Help,
    Search,
    /// The next place that was searched for, or the one before.
    Found(isize),
    /// The whole file in a pager.
    Whole,
    Copy,
    Mouse,
    /// The folder of this number.
    Tab(usize),
}

/// The meaning of a key while nothing is typed in.
pub(super) fn action(key: KeyEvent) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return Some(match key.code {
            KeyCode::Char('c') => Action::Leave,
            KeyCode::Char('z') => Action::Suspend,
            KeyCode::Char('l') => Action::Redraw,
            _ => return None,
        });
    }
    if key.modifiers.contains(KeyModifiers::ALT) {
        let KeyCode::Char(c) = key.code else { return None };
        let nth = usize::try_from(c.to_digit(10)?).ok()?;
        return nth.checked_sub(1).map(Action::Tab);
    }
    Some(match key.code {
        KeyCode::Down => Action::Move(1),
        KeyCode::Up => Action::Move(-1),
        KeyCode::PageDown => Action::Page(1),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::Home => Action::First,
        KeyCode::End => Action::Last,
        KeyCode::Enter | KeyCode::Right => Action::Open,
        KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => Action::Back,
        KeyCode::Tab | KeyCode::BackTab => Action::Switch,
        KeyCode::Char(c) => letter(c)?,
        _ => return None,
    })
}

fn letter(c: char) -> Option<Action> {
    Some(match c {
        'q' => Action::Leave,
        'j' => Action::Move(1),
        'k' => Action::Move(-1),
        ' ' => Action::Page(1),
        '[' => Action::Try(1),
        ']' => Action::Try(-1),
        '{' => Action::Task(-1),
        '}' => Action::Task(1),
        'f' => Action::Follow,
        'F' => Action::Filter,
        'S' => Action::Order,
        'z' => Action::Zoom,
        'w' => Action::Wrap,
        's' => Action::Steer,
        'p' => Action::Pause,
        'x' => Action::Stop,
        'r' => Action::Runs,
        '?' => Action::Help,
        '/' => Action::Search,
        'n' => Action::Found(1),
        'N' => Action::Found(-1),
        'o' => Action::Whole,
        'y' => Action::Copy,
        'm' => Action::Mouse,
        other => Action::Show(pane(other)?),
    })
}

/// The pane of a digit or a letter.
fn pane(key: char) -> Option<Pane> {
    let letters = "lgdetca";
    let nth = key.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
    PANES.get(nth.or_else(|| letters.find(key))?).map(|(pane, _)| *pane)
}

/// The same key for something that is typed in.
pub(super) fn typed(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return Some(match key.code {
            KeyCode::Char('c') => Key::Escape,
            KeyCode::Char('u') => Key::KillLine,
            KeyCode::Char('k') => Key::KillRest,
            KeyCode::Char('w') => Key::KillWord,
            KeyCode::Char('a') => Key::Home,
            KeyCode::Char('e') => Key::End,
            _ => return None,
        });
    }
    Some(match key.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_has_a_digit_and_a_letter() {
        let key = |c: char| action(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        for (nth, letter) in "lgdetca".chars().enumerate() {
            let digit = char::from_digit(u32::try_from(nth).unwrap_or_default() + 1, 10);
            assert_eq!(digit.and_then(key), key(letter), "{letter}");
            assert_eq!(key(letter), PANES.get(nth).map(|(pane, _)| Action::Show(*pane)));
        }
        assert_eq!(key('8'), None);
    }
}

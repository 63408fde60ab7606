//! What a terminal shows after some bytes: just enough of one to see what ralph draws.

/// The rows of a terminal, with everything that has scrolled away.
#[derive(Debug)]
pub(super) struct Screen {
    rows: Vec<Vec<char>>,
    at: (usize, usize),
    columns: usize,
    height: usize,
}

impl Screen {
    pub(super) fn new(columns: usize, height: usize) -> Self {
        Self { rows: vec![Vec::new()], at: (0, 0), columns, height }
    }

    /// All rows, without what is empty at their ends.
    pub(super) fn text(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.iter().collect()).collect();
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Shows text as it came from a program.
    pub(super) fn feed(&mut self, text: &str) {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => self.at.1 = 0,
                '\n' => self.down(1),
                '\u{8}' => self.at.1 = self.at.1.saturating_sub(1),
                '\u{1b}' => self.escape(&mut chars),
                c if c.is_control() => {}
                c => self.put(c),
            }
        }
    }

    fn put(&mut self, c: char) {
        if self.at.1 >= self.columns {
            self.at.1 = 0;
            self.down(1);
        }
        let (row, column) = self.at;
        if let Some(row) = self.rows.get_mut(row) {
            if row.len() <= column {
                row.resize(column + 1, ' ');
            }
            row[column] = c;
        }
        self.at.1 += 1;
    }

    fn down(&mut self, count: usize) {
        self.at.0 += count;
        while self.rows.len() <= self.at.0 {
            self.rows.push(Vec::new());
        }
    }

    fn escape(&mut self, chars: &mut std::str::Chars<'_>) {
        if chars.next() != Some('[') {
            return;
        }
        let mut argument = String::new();
        for c in chars.by_ref() {
            if ('@'..='~').contains(&c) {
                let count = argument.parse().unwrap_or(1);
                return self.control(c, count);
            }
            argument.push(c);
        }
    }

    fn control(&mut self, name: char, count: usize) {
        let (row, column) = self.at;
        match name {
            'A' => {
                let top = self.rows.len().saturating_sub(self.height);
                self.at.0 = row.saturating_sub(count).max(top);
            }
            'B' => self.down(count),
            'C' => self.at.1 = (column + count).min(self.columns - 1),
            'D' => self.at.1 = column.saturating_sub(count),
            'J' => {
                self.rows.truncate(row + 1);
                self.rows[row].truncate(column);
            }
            'K' => self.rows[row].truncate(column),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_again_replaces_what_was_there() {
        let mut screen = Screen::new(10, 5);
        screen.feed("one\r\ntwo\r\nthree\r\u{1b}[2A\u{1b}[Jfour\u{1b}[31m!\u{1b}[0m");
        assert_eq!(screen.text(), "four!");
    }

    #[test]
    fn long_lines_go_on_in_the_next_row() {
        let mut screen = Screen::new(4, 5);
        screen.feed("abcdef");
        assert_eq!(screen.text(), "abcd\nef");
    }
}

//! Screens as one SVG file: a still, or a film whose screens lie side by side and pass before a window.

use std::{collections::BTreeMap, fmt::Write as _};

use vt100::Screen;

use super::{
    frames::Frame,
    row::{BACK, HEIGHT, TEXT, WIDTH, draw},
};

/// Room around the screen.
const MARGIN: f32 = 14.0;

/// One screen as a picture.
pub fn still(screen: &Screen, title: &str) -> String {
    let mut rows = Rows::default();
    let drawn = rows.place(screen);
    whole(screen.size(), title, "", &rows, &drawn)
}

/// A film that begins again at its end. Whoever wants no motion sees the last screen.
pub fn film(frames: &[Frame], title: &str) -> String {
    let Some(last) = frames.last() else { return String::new() };
    let (_, columns) = last.screen.size();
    // The next screen must not be seen at the edge.
    let step = f32::from(columns) * WIDTH + 4.0 * MARGIN;
    let all: f32 = frames.iter().map(|frame| frame.lasts.as_secs_f32()).sum();
    let (mut rows, mut drawn, mut keys, mut at) =
        (Rows::default(), String::new(), String::new(), 0.0);
    let mut x = 0.0;
    for frame in frames {
        let _ =
            write!(drawn, "<g transform=\"translate({x:.1})\">{}</g>", rows.place(&frame.screen));
        let _ = write!(keys, "{:.3}%{{transform:translateX(-{x:.1}px)}}", 100.0 * at / all);
        at += frame.lasts.as_secs_f32();
        x += step;
    }
    let end = x - step;
    let style = format!(
        "@keyframes film{{{keys}100%{{transform:translateX(-{end:.1}px)}}}}\
         .film{{animation:film {all:.2}s step-end infinite}}\
         @media (prefers-reduced-motion:reduce){{.film{{animation:none;transform:translateX(-{end:.1}px)}}}}"
    );
    let drawn = format!("<g class=\"film\">{drawn}</g>");
    whole(last.screen.size(), title, &style, &rows, &drawn)
}

/// Rows that were drawn already: most of a screen is as it was before.
#[derive(Default)]
struct Rows(BTreeMap<String, usize>);

impl Rows {
    fn place(&mut self, screen: &Screen) -> String {
        let mut out = String::new();
        for row in 0..screen.size().0 {
            let drawn = draw(screen, row);
            if drawn.is_empty() {
                continue;
            }
            let next = self.0.len();
            let number = *self.0.entry(drawn).or_insert(next);
            let _ = write!(out, "<use href=\"#r{number}\" y=\"{}\"/>", f32::from(row) * HEIGHT);
        }
        out
    }
}

fn whole(
    (rows, columns): (u16, u16),
    title: &str,
    style: &str,
    drawn: &Rows,
    body: &str,
) -> String {
    let (width, height) = (f32::from(columns) * WIDTH, f32::from(rows) * HEIGHT);
    let (outer_width, outer_height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let mut definitions = String::new();
    for (row, number) in &drawn.0 {
        let _ = write!(definitions, "<g id=\"r{number}\">{row}</g>");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {outer_width:.0} {outer_height:.0}\" role=\"img\">\n\
         <title>{title}</title>\n\
         <style>text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
         white-space:pre}}{style}</style>\n\
         <defs>{definitions}</defs>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACK}\"/>\n\
         <svg fill=\"{TEXT}\" x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{width:.1}\" height=\"{height:.1}\">{body}</svg>\n</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use vt100::Parser;

    use super::*;

    fn screen(text: &str) -> Screen {
        let mut parser = Parser::new(3, 20, 0);
        parser.process(text.as_bytes());
        parser.screen().clone()
    }

    #[test]
    fn rows_that_stay_are_drawn_once_and_text_is_only_text() {
        let lasts = Duration::from_secs(1);
        let first = Frame { screen: screen("$ <run> & go"), lasts };
        let second = Frame { screen: screen("$ <run> & go\r\n\x1b[1;32mdone\x1b[0m"), lasts };
        let film = film(&[first, second], "a run");
        assert_eq!(film.matches("$ &lt;run&gt; &amp; go").count(), 1, "{film}");
        assert_eq!(film.matches("<use ").count(), 3, "{film}");
        assert!(film.contains("fill=\"#7ee787\" font-weight=\"bold\">done<"), "{film}");
        assert!(film.contains("0.000%{transform:translateX(-0.0px)}50.000%{"), "{film}");
    }

    #[test]
    fn a_still_has_no_motion() {
        let still = still(&screen("\x1b[7mhere\x1b[0m 漢"), "a screen");
        assert!(
            !still.contains("animation") && still.contains("<path fill=\"#d5d9e0\""),
            "{still}"
        );
    }
}

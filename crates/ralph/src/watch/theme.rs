//! What a tone is on the screen. Colour only repeats what signs and words say.

use ralph_core::settings::ThemeChoice;
use ratatui::style::{Color, Modifier, Style};

use crate::reporters::line::Tone;

/// Which colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Theme {
    /// The terminal's own sixteen, whatever its background is.
    #[default]
    Ansi,
    Light,
    Dark,
    /// Bold and reverse only.
    Plain,
}

impl Theme {
    /// As the settings say, or by what the terminal says of its background: `COLORFGBG` ends with the number of that
    /// colour.
    pub(super) fn known(choice: ThemeChoice, colours: Option<&str>) -> Self {
        let ground = colours.and_then(|text| text.rsplit(';').next()?.parse::<u8>().ok());
        match (choice, ground) {
            (ThemeChoice::Light, _) | (ThemeChoice::Auto, Some(7 | 9..=15)) => Self::Light,
            (ThemeChoice::Dark, _) | (ThemeChoice::Auto, Some(_)) => Self::Dark,
            (ThemeChoice::Ansi, _) | (ThemeChoice::Auto, None) => Self::Ansi,
        }
    }

    /// The look of a tone.
    pub(super) fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let colour = |light, dark, ansi| {
            plain.fg(match self {
                Self::Light => Color::Indexed(light),
                Self::Dark => Color::Indexed(dark),
                Self::Ansi | Self::Plain => ansi,
            })
        };
        match (self, tone) {
            (_, Tone::Plain) | (Self::Plain, Tone::Dim | Tone::Good) => plain,
            (_, Tone::Bold) | (Self::Plain, _) => bold,
            (Self::Ansi, Tone::Dim) => plain.add_modifier(Modifier::DIM),
            (_, Tone::Dim) => colour(241, 248, Color::Reset),
            (_, Tone::Good) => colour(22, 78, Color::Green),
            (_, Tone::Bad) => colour(124, 210, Color::Red).add_modifier(Modifier::BOLD),
            (_, Tone::Warn) => colour(94, 214, Color::Yellow),
            (_, Tone::Accent) => colour(25, 81, Color::Cyan),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_names_its_background_gets_colours_for_it() {
        for (colours, theme) in [
            (Some("0;15"), Theme::Light),
            (Some("15;default;0"), Theme::Dark),
            (Some("what"), Theme::Ansi),
            (None, Theme::Ansi),
        ] {
            assert_eq!(Theme::known(ThemeChoice::Auto, colours), theme);
            assert_eq!(Theme::known(ThemeChoice::Light, colours), Theme::Light);
            assert_eq!(Theme::known(ThemeChoice::Ansi, colours), Theme::Ansi);
        }
    }

    /// How bright a colour of the 256 is, as WCAG counts.
    fn luminance(index: u8) -> f64 {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * u32::from(step) };
        let rgb = if index >= 232 {
            [8 + 10 * u32::from(index - 232); 3]
        } else {
            let at = index - 16;
            [level(at / 36), level(at / 6 % 6), level(at % 6)]
        };
        let [r, g, b] = rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    #[test]
    fn every_colour_can_be_read_on_its_background() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        // White and Solarized's light ground; black and its dark one.
        for (theme, grounds) in [(Theme::Light, [1.0, 0.9207]), (Theme::Dark, [0.0, 0.0206])] {
            for tone in [Tone::Good, Tone::Bad, Tone::Warn, Tone::Accent, Tone::Dim] {
                let Some(Color::Indexed(index)) = theme.style(tone).fg else { panic!("{tone:?}") };
                for ground in grounds {
                    let reached = contrast(luminance(index), ground);
                    assert!(reached >= 4.5, "{theme:?} {tone:?}: {reached:.2}");
                }
            }
        }
    }
}

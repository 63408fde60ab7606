//! `ralph completions`, `ralph man` and `ralph version`: generated from the command tree, on stdout.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::args::Cli;
use crate::{diagnostics::CommandError, exit};

/// Prints completions.
pub(crate) fn completions(shell: Shell) -> Result<u8, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ralph", &mut text);
    std::io::stdout().lock().write_all(&text)?;
    Ok(exit::DONE)
}

/// Prints the manual page, every command included.
pub(crate) fn page() -> Result<u8, CommandError> {
    let mut text = Vec::new();
    render(&mut text)?;
    std::io::stdout().lock().write_all(&text)?;
    Ok(exit::DONE)
}

/// Prints the version, as `--version` does.
pub(crate) fn version() -> Result<u8, CommandError> {
    std::io::stdout().lock().write_all(Cli::command().render_version().as_bytes())?;
    Ok(exit::DONE)
}

fn render(out: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let page = clap_mangen::Man::new(command.clone());
    page.render(out)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        writeln!(out, ".SH \"RALPH {}\"", sub.get_name().to_uppercase())?;
        let page = clap_mangen::Man::new(sub.clone());
        page.render_description_section(out)?;
        page.render_options_section(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }

    /// What `--help` prints for a command, and for all below it.
    fn helps(command: &clap::Command, words: &[&str]) -> Vec<String> {
        let asked = Cli::command().try_get_matches_from(words.iter().chain(&["--help"]));
        let mut all: Vec<String> = asked.err().map(|help| help.to_string()).into_iter().collect();
        for sub in command.get_subcommands() {
            all.extend(helps(sub, &[words, &[sub.get_name()]].concat()));
        }
        all
    }

    #[test]
    fn the_help_of_every_option_is_one_line() {
        for help in helps(&Cli::command(), &["ralph"]) {
            let broken = help.lines().find(|line| line.starts_with("          "));
            assert_eq!(broken, None, "{help}");
        }
    }

    #[test]
    fn the_manual_tells_of_every_command() -> std::io::Result<()> {
        let mut text = Vec::new();
        render(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        for sub in Cli::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let heading = format!("RALPH {}", sub.get_name().to_uppercase());
            assert!(text.contains(&heading), "{heading}");
        }
        Ok(())
    }
}

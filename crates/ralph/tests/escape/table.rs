//! The table of what gets through each backend, written into the documents by a recipe.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use testkit::escape::{all, sequence::sequences};

use crate::{
    Tested,
    ground::USER,
    island,
    judge::{Outcome, Verdict},
    sequences::Came,
};

const BACKENDS: &[&str] = &["bubblewrap", "off"];

/// Keeps one run's verdicts: what one of those who tried got through is through.
pub(crate) fn save(path: &Path, outcomes: &[Outcome]) -> Tested {
    let mut lines = String::new();
    for attempt in all() {
        let verdicts: Vec<Verdict> = outcomes.iter().map(|it| it.verdict(attempt)).collect();
        let word = if verdicts.contains(&Verdict::Escaped) {
            "through"
        } else if verdicts.contains(&Verdict::Held) {
            "held"
        } else {
            "–"
        };
        writeln!(lines, "{}\t{word}", attempt.name)?;
    }
    Ok(fs::write(path, lines)?)
}

/// Keeps what came of every sequence.
pub(crate) fn save_sequences(path: &Path, came: &[(&str, Came)]) -> Tested {
    let mut lines = String::new();
    for (name, came) in came {
        let word = match came {
            Came::Through(_) => "through",
            Came::Held | Came::Refused => "held",
            Came::Untried(_) => "–",
        };
        writeln!(lines, "{name}\t{word}")?;
    }
    Ok(fs::write(path, lines)?)
}

/// Runs every backend as root and as a user, and writes the table.
pub(crate) fn write(path: &Path) -> Tested {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut columns = Vec::new();
    for backend in BACKENDS {
        for (who, user) in [("user", USER), ("root", 0)] {
            let mut text = String::new();
            for what in ["row", "sequences"] {
                let file = folder.path().join(format!("{backend}-{who}-{what}"));
                let (user, place) = (user.to_string(), file.display().to_string());
                let status = island::cross(&[what, what, backend, &user, &place])?;
                if !status.success() {
                    return Err(format!("{what}: {backend} as {who}: {status}").into());
                }
                text += &fs::read_to_string(&file)?;
            }
            let words = text.lines().filter_map(|line| line.split_once('\t'));
            let words = words.map(|(name, word)| (name.to_owned(), word.to_owned()));
            columns.push((format!("{backend}, {who}"), words.collect::<BTreeMap<_, _>>()));
        }
    }
    Ok(fs::write(path, page(&columns)?)?)
}

fn page(columns: &[(String, BTreeMap<String, String>)]) -> Result<String, std::fmt::Error> {
    let mut page = String::from(
        "# What gets out\n\nWritten by `just escapes`: the escape suite (`crates/testkit/src/escape`), run by the real \
         binary as agent and as gate. `through` means that the agent or the gate got through, `held` that both were \
         refused, `–` that it could not be tried there.\n\n",
    );
    let attempts: Vec<_> = all().into_iter().map(|it| (it.group, it.name)).collect();
    section(&mut page, columns, "group | attempt", &attempts)?;
    page.push_str(
        "\n## Sequences\n\nSeveral boxes in a row: what an agent leaves for a gate, a reviewer, the next run, ralph itself or \
         the user's own next command (`crates/testkit/src/escape/sequence`). `through` means that a secret was read, \
         something outside was changed, an address was spoken to, broken work was accepted, a process stayed, or a text \
         was forged. `about` names the findings behind a sequence.\n\n",
    );
    let sequences: Vec<_> = sequences().into_iter().map(|it| (it.about, it.name)).collect();
    section(&mut page, columns, "about | sequence", &sequences)?;
    Ok(page)
}

/// A count for every backend, then the table of these.
fn section(
    page: &mut String,
    columns: &[(String, BTreeMap<String, String>)],
    names: &str,
    lines: &[(&str, &str)],
) -> std::fmt::Result {
    fn word_of<'a>(words: &'a BTreeMap<String, String>, name: &str) -> &'a str {
        words.get(name).map_or("–", String::as_str)
    }
    for (name, words) in columns {
        let count = |word: &str| lines.iter().filter(|(_, it)| word_of(words, it) == word).count();
        let (through, held) = (count("through"), count("held"));
        writeln!(page, "- {name}: {through} through, {held} held, {} not tried", count("–"))?;
    }
    let backends: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    write!(page, "\n| {names} | {} |\n|---|---|", backends.join(" | "))?;
    writeln!(page, "{}", "---|".repeat(columns.len()))?;
    for (group, name) in lines {
        let words: Vec<&str> = columns.iter().map(|(_, words)| word_of(words, name)).collect();
        writeln!(page, "| {group} | {name} | {} |", words.join(" | "))?;
    }
    Ok(())
}

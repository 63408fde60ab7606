//! The table of what gets through each backend, written into the documents by a recipe.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use testkit::escape::all;

use crate::{
    Tested,
    ground::USER,
    island,
    judge::{Outcome, Verdict},
};

const BACKENDS: &[&str] = &["bubblewrap", "landlock", "off"];

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

/// Runs every backend as root and as a user, and writes the table.
pub(crate) fn write(path: &Path) -> Tested {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut columns = Vec::new();
    for backend in BACKENDS {
        for (who, user) in [("user", USER), ("root", 0)] {
            let file = folder.path().join(format!("{backend}-{who}"));
            let (user, place) = (user.to_string(), file.display().to_string());
            let status = island::cross(&["row", "row", backend, &user, &place])?;
            if !status.success() {
                return Err(format!("{backend} as {who}: {status}").into());
            }
            let text = fs::read_to_string(&file)?;
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
    for (name, words) in columns {
        let count = |word: &str| words.values().filter(|it| *it == word).count();
        let (through, held) = (count("through"), count("held"));
        writeln!(page, "- {name}: {through} through, {held} held, {} not tried", count("–"))?;
    }
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    write!(page, "\n| group | attempt | {} |\n|---|---|", names.join(" | "))?;
    writeln!(page, "{}", "---|".repeat(columns.len()))?;
    for attempt in all() {
        let words = columns.iter().map(|(_, words)| words.get(attempt.name).map_or("–", |it| it));
        let words: Vec<&str> = words.collect();
        writeln!(page, "| {} | {} | {} |", attempt.group, attempt.name, words.join(" | "))?;
    }
    Ok(page)
}

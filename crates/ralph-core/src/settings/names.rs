//! What was probably meant by a name that is not a setting.

use super::{
    aliases,
    node::join,
    shape::{Field, Shape},
};

/// Settings that are specified and that this version does not have.
const NOT_YET: [&str; 4] = ["gate.parallel", "git.commit_plan", "git.push", "notify"];

/// Whether a later version has this setting.
pub(super) fn is_not_yet(path: &str) -> bool {
    let path = without_indexes(path);
    NOT_YET.contains(&path.as_str())
}

/// What to do about an unknown key in a table that has `fields`.
pub(super) fn help(table: &str, key: &str, fields: &[Field]) -> String {
    if let Some(setting) = aliases::of_shell(key) {
        return format!(
            "a shell loop calls it so; here it is `{setting}`, see docs/custom-agents.md"
        );
    }
    if let Some(near) = nearest(key, fields.iter().map(|field| field.name.as_str())) {
        return format!("did you mean `{}`?", join(table, near));
    }
    if let Some(elsewhere) = elsewhere(key) {
        return format!("did you mean `{elsewhere}`?");
    }
    if let Some(modern) = aliases::modern(key) {
        return format!("older names are read in settings.json only; here it is `{modern}`");
    }
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    if table.is_empty() {
        format!("known tables are {}", names.join(", "))
    } else {
        format!("`{table}` knows {}", names.join(", "))
    }
}

/// The known name closest to a name, if one is close.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).max(1);
    known
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The same name in another table.
fn elsewhere(key: &str) -> Option<String> {
    Shape::of_settings().fields().iter().find_map(|table| {
        let field = table.shape.fields().iter().find(|field| field.name == key)?;
        Some(join(&table.name, &field.name))
    })
}

fn without_indexes(path: &str) -> String {
    let mut inside = false;
    let keep = |c: &char| {
        inside = *c == '[' || (inside && *c != ']');
        !inside && *c != ']'
    };
    path.chars().filter(keep).collect()
}

/// Edits that turn one name into the other; swapping two neighbours is one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut cost = vec![0_usize; (a.len() + 1) * width];
    let at = |cost: &[usize], row: usize, column: usize| {
        cost.get(row * width + column).copied().unwrap_or(usize::MAX)
    };
    for row in 0..=a.len() {
        for column in 0..=b.len() {
            let value = if row == 0 || column == 0 {
                row + column
            } else {
                let same = usize::from(a.get(row - 1) != b.get(column - 1));
                let plain = (at(&cost, row - 1, column) + 1)
                    .min(at(&cost, row, column - 1) + 1)
                    .min(at(&cost, row - 1, column - 1) + same);
                let swapped = row > 1
                    && column > 1
                    && a.get(row - 1) == b.get(column - 2)
                    && a.get(row - 2) == b.get(column - 1);
                if swapped { plain.min(at(&cost, row - 2, column - 2) + 1) } else { plain }
            };
            if let Some(cell) = cost.get_mut(row * width + column) {
                *cell = value;
            }
        }
    }
    at(&cost, a.len(), b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits_and_swaps() {
        for (a, b, edits) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("model", "modell", 1),
            ("a", "xyz", 3),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn a_later_setting_is_known_inside_lists_too() {
        assert!(is_not_yet("gate[12].parallel"));
        assert!(is_not_yet("notify"));
        assert!(!is_not_yet("gate[0].netwrk"));
    }

    #[test]
    fn no_setting_of_this_version_is_listed_as_later() {
        for table in Shape::of_settings().fields() {
            assert!(!is_not_yet(&table.name), "{}", table.name);
            for field in table.shape.fields() {
                assert!(!is_not_yet(&join(&table.name, &field.name)), "{}", field.name);
            }
        }
    }
}

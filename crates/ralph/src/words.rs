//! Words for people: plurals, lists, short numbers. Nothing else in the binary builds them by hand.

use ralph_core::plan::StatusCounts;

/// `1 task`, `6 tasks`.
pub(crate) fn count(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {}", plural(one)),
    }
}

/// `3/4 done`, and what was skipped beside it.
pub(crate) fn progress(counts: StatusCounts) -> String {
    let done = format!("{}/{} done", counts.done, counts.total);
    if counts.skipped == 0 { done } else { format!("{done}, {} skipped", counts.skipped) }
}

/// `2 other tasks of the plan are open`.
pub(crate) fn others_open(n: usize) -> String {
    let verb = if n == 1 { "is" } else { "are" };
    format!("{} of the plan {verb} open", count(n as u64, "other task"))
}

/// The same for a length.
pub(crate) fn count_of<T>(items: &[T], one: &str) -> String {
    count(items.len() as u64, one)
}

/// `is` for one of them, `are` for more.
pub(crate) fn verb<T>(items: &[T]) -> &'static str {
    if items.len() == 1 { "is" } else { "are" }
}

fn plural(one: &str) -> String {
    match one {
        "criterion" => "criteria".into(),
        "process" => "processes".into(),
        "is" => "are".into(),
        _ => match one.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
            _ => format!("{one}s"),
        },
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().into(),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// The first few of many: `a, b and 3 more`.
pub(crate) fn few<S: AsRef<str>>(items: &[S], most: usize) -> String {
    if items.len() <= most {
        return list(items);
    }
    let mut shown: Vec<String> = items.iter().take(most).map(|i| i.as_ref().into()).collect();
    shown.push(format!("{} more", items.len() - most));
    list(&shown)
}

/// `999`, `45K`, `1.2M`.
pub(crate) fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..10_000 => tenths(n / 100, "K"),
        10_000..1_000_000 => format!("{}K", n / 1_000),
        1_000_000..10_000_000 => tenths(n / 100_000, "M"),
        _ => format!("{}M", n / 1_000_000),
    }
}

fn tenths(n: u64, unit: &str) -> String {
    match n % 10 {
        0 => format!("{}{unit}", n / 10),
        rest => format!("{}.{rest}{unit}", n / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_everything_else_plural() {
        let shown = [
            count(0, "task"),
            count(1, "entry"),
            count(2, "entry"),
            count(2, "criterion"),
            count(3, "process"),
            count(2, "day"),
        ];
        assert_eq!(
            shown,
            ["0 tasks", "1 entry", "2 entries", "2 criteria", "3 processes", "2 days"]
        );
    }

    #[test]
    fn lists_read_like_a_sentence() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(few(&["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(few(&["a", "b", "c"], 3), "a, b and c");
    }

    #[test]
    fn big_numbers_are_short() {
        let shown = [999, 1_000, 1_234, 45_678, 850_000, 1_200_000, 12_345_678].map(short);
        assert_eq!(shown, ["999", "1K", "1.2K", "45K", "850K", "1.2M", "12M"]);
    }
}

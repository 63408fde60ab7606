//! Cuts text to a size in bytes without breaking a character. Knows nothing of what the text is for.

/// So many characters are left of a single word that is too long.
const FEW: usize = 8;

/// The beginning of a text, at most `max` bytes of it.
pub fn head(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// The beginning of a text, at most `max` characters of it, without a part of a word at its end: part of a secret would no
/// longer be known as one.
pub fn words(text: &str, max: usize) -> &str {
    let Some((end, next)) = text.char_indices().nth(max) else { return text };
    let cut = &text[..end];
    let is_part = |c: char| c.is_ascii_graphic();
    let whole = if is_part(next) { cut.trim_end_matches(is_part) } else { cut };
    let few = text.char_indices().nth(FEW).map_or(text.len(), |(end, _)| end);
    if whole.trim().is_empty() { &text[..few] } else { whole.trim_end() }
}

/// The end of a text, at most `max` bytes of it.
pub fn tail(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

/// The beginning of a text with an ellipsis if something was left out.
pub fn ellipsis(text: &str, max: usize) -> String {
    if text.len() <= max { text.to_owned() } else { format!("{}…", head(text, max)) }
}

/// Both ends of a text with a line between them that says how much was left out.
pub fn middle(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let (first, last) = (head(text, max / 2), tail(text, max - max / 2));
    let left_out = text.len() - first.len() - last.len();
    format!("{first}\n[… {left_out} bytes left out …]\n{last}")
}

/// The first and last lines of a text, at most `max`, with a line between them that says how many are missing.
pub fn lines(text: &str, max: usize) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    if all.len() <= max {
        return all.join("\n");
    }
    let (first, last) = (max.div_ceil(2), max / 2);
    let missing = all.len() - first - last;
    let marker = format!("[... {missing} lines truncated ...]");
    let head = all.iter().take(first).copied();
    let tail = all.iter().skip(all.len() - last).copied();
    head.chain([marker.as_str()]).chain(tail).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_never_broken() {
        for max in 0..10 {
            assert!(head("aé€😀", max).len() <= max);
            assert!(tail("aé€😀", max).len() <= max);
        }
        assert_eq!((head("aé", 2), tail("éa", 2)), ("a", "a"));
    }

    #[test]
    fn no_part_of_a_word_is_left() {
        assert_eq!(words("log in with zq9Kx7Lm2Pw4", 18), "log in with");
        assert_eq!(words("log in with zq9Kx7Lm2Pw4", 24), "log in with zq9Kx7Lm2Pw4");
        assert_eq!(words("zq9Kx7Lm2Pw4Rt8V", 12), "zq9Kx7Lm");
        assert_eq!(words("日本語の題名", 3), "日本語");
    }

    #[test]
    fn a_cut_is_always_visible() {
        assert_eq!(ellipsis("abcdef", 3), "abc…");
        assert_eq!(ellipsis("abc", 3), "abc");
        assert_eq!(middle("abcdefgh", 4), "ab\n[… 4 bytes left out …]\ngh");
        assert_eq!(middle("abcd", 4), "abcd");
        assert_eq!(lines("1\n2\n3\n4\n5\n", 3), "1\n2\n[... 2 lines truncated ...]\n5");
        assert_eq!(lines("1\n2\n3\n", 3), "1\n2\n3");
    }
}

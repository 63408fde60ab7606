//! Cuts texts to tokens, by the same estimate that counts them.

use ralph_text::cut;
use ralph_text::tokens::tokens;

/// How often a cut is tried again; each try is shorter.
const TRIES: usize = 12;

/// Both ends of a text that together have at most so many tokens, with a line between them where something was left
/// out; nothing where even that line does not fit.
pub(super) fn middle(text: &str, room: usize) -> String {
    fit(room, text.len(), |bytes| cut::middle(text, bytes), |cut| tokens(cut)).unwrap_or_default()
}

/// The longest that can be made of `whole` bytes within so many tokens. `make` is told how many it may take and
/// `measure` counts the tokens of what it made.
pub(super) fn fit<T>(
    room: usize,
    whole: usize,
    make: impl Fn(usize) -> T,
    measure: impl Fn(&T) -> usize,
) -> Option<T> {
    let text = make(usize::MAX);
    let mut used = measure(&text);
    if used <= room {
        return Some(text);
    }
    let mut bytes = whole;
    for _ in 0..TRIES {
        bytes = (bytes * room / used.max(1)).min(bytes * 19 / 20);
        let text = make(bytes);
        used = measure(&text);
        if used <= room {
            return Some(text);
        }
        if bytes == 0 {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_fits_and_uses_its_room() {
        let code = "    if let Some(x) = map.get(\"key\") { return Ok(x.clone()); }\n".repeat(300);
        let hex = "9f8a7b6c5d4e3f2a1b0c ".repeat(500);
        let han = "用户登录后可以看到所有订单。".repeat(300);
        for text in [code, hex, han] {
            for room in [40, 100, 500, 1500] {
                let cut = middle(&text, room);
                assert!(
                    tokens(&cut) <= room && tokens(&cut) * 10 >= room * 7,
                    "{room}: {}",
                    tokens(&cut)
                );
                assert!(cut.contains("bytes left out"));
            }
        }
        assert_eq!(middle("short", 10), "short");
        assert_eq!(middle(&"long ".repeat(50), 2), "");
    }
}

//! Licence expressions: whether one can be satisfied with accepted licences alone.

/// Whether `expression` (`A OR B`, `A AND (B OR C)`, `A WITH exception`, the old `A/B`) can be
/// satisfied with licences of `accepted`. What cannot be read is not satisfied.
pub(crate) fn is_satisfied(expression: &str, accepted: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { tokens: &tokens, accepted };
    reader.any_of() == Some(true) && reader.tokens.is_empty()
}

/// Reads an expression from left to right; `None` is a syntax error.
struct Reader<'a> {
    tokens: &'a [&'a str],
    accepted: &'a [String],
}

impl Reader<'_> {
    fn any_of(&mut self) -> Option<bool> {
        let mut satisfied = self.all_of()?;
        while self.takes("OR") {
            satisfied |= self.all_of()?;
        }
        Some(satisfied)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut satisfied = self.one()?;
        while self.takes("AND") {
            satisfied &= self.one()?;
        }
        Some(satisfied)
    }

    fn one(&mut self) -> Option<bool> {
        if self.takes("(") {
            let satisfied = self.any_of()?;
            return self.takes(")").then_some(satisfied);
        }
        let mut licence = self.word()?.to_owned();
        if self.takes("WITH") {
            licence = format!("{licence} WITH {}", self.word()?);
        }
        Some(self.accepted.contains(&licence))
    }

    fn word(&mut self) -> Option<&str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        (!matches!(*first, "(" | ")" | "AND" | "OR" | "WITH")).then_some(*first)
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(expression: &str) -> bool {
        let accepted = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        is_satisfied(expression, &accepted)
    }

    #[test]
    fn one_accepted_alternative_is_enough() {
        assert!(satisfied("MIT"));
        assert!(satisfied("GPL-3.0 OR MIT"));
        assert!(satisfied("GPL-3.0/MIT"));
        assert!(satisfied("(GPL-3.0 OR MIT) AND Unicode-3.0"));
        assert!(satisfied("Apache-2.0 WITH LLVM-exception"));
    }

    #[test]
    fn what_is_not_accepted_or_not_readable_is_refused() {
        assert!(!satisfied("GPL-3.0"));
        assert!(!satisfied("MIT AND GPL-3.0"));
        assert!(!satisfied("Apache-2.0"));
        assert!(!satisfied("MIT WITH Some-exception"));
        assert!(!satisfied(""));
        assert!(!satisfied("MIT OR"));
        assert!(!satisfied("(MIT"));
        assert!(!satisfied("MIT MIT"));
    }
}

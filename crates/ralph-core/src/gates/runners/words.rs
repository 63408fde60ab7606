//! Finds the simple commands in a shell line, as far as one can without being a shell.

/// Programs that run the program named after them.
const WRAPPERS: [&str; 23] = [
    "env", "time", "nice", "exec", "sh", "bash", "npx", "bunx", "npm", "pnpm", "yarn", "bun", "c8",
    "nyc", "uv", "poetry", "pdm", "pipenv", "hatch", "coverage", "bundle", "run", "x",
];

/// A program's name without its folder.
pub(in crate::gates) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words of each command between `&&`, `||`, `;`, `|` and line breaks, without leading assignments.
pub(in crate::gates) fn simple_commands(command: &str) -> Vec<Vec<String>> {
    command
        .split(['\n', ';', '|', '&', '(', ')'])
        .filter_map(|part| shell_words::split(part).ok())
        .map(|words| words.into_iter().skip_while(|word| is_assignment(word)).collect::<Vec<_>>())
        .filter(|words| !words.is_empty())
        .collect()
}

/// The same command without what only wraps it: `uv run --frozen pytest` and `python -m pytest` are `pytest`.
pub(in crate::gates) fn unwrapped<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let mut rest = words;
    let mut skips_options = false;
    while let Some((first, after)) = rest.split_first() {
        let wraps = WRAPPERS.contains(first) || program(first).starts_with("python");
        if !(wraps || is_assignment(first) || skips_options && first.starts_with('-')) {
            break;
        }
        skips_options |= wraps;
        rest = after;
    }
    rest
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

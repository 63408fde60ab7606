//! Removes from output what differs between two runs of the same failure: times, places, numbers of processes.

/// The output's lines, normalised, sorted and without repetitions.
pub fn normalise(output: &str) -> String {
    let mut lines: Vec<String> =
        output.lines().filter(|line| !is_noise(line)).map(normalise_line).collect();
    lines.retain(|line| !line.is_empty());
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n")
}

/// Progress and passing tests: they change from one attempt to the next while the failure stays.
fn is_noise(line: &str) -> bool {
    const PROGRESS: [&str; 11] = [
        "Compiling ",
        "Checking ",
        "Finished ",
        "Running ",
        "Downloading ",
        "Downloaded ",
        "Updating ",
        "Locking ",
        "Blocking ",
        "Fresh ",
        "Building ",
    ];
    let text = line.trim();
    PROGRESS.iter().any(|word| text.starts_with(word))
        || text.starts_with("test result: ")
        || text.starts_with('✓')
        || text.starts_with("PASS ")
        || text.starts_with("--- PASS: ")
        || text.starts_with("ok  \t")
        || (text.starts_with("test ") && text.ends_with(" ... ok"))
        || (text.starts_with("[... ") && text.ends_with(" ...]"))
}

fn normalise_line(line: &str) -> String {
    let line = without_gutter(line);
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let before = words.last().map(String::as_str);
        if is_unit(word) && before.is_some_and(is_number) {
            words.pop();
            words.push("<time>".to_owned());
            continue;
        }
        let normal = match before {
            Some("line" | "(line") if starts_with_digit(word) => "<line>".to_owned(),
            Some(before)
                if before.ends_with('\'')
                    && line.starts_with("thread '")
                    && is_in_parentheses(word) =>
            {
                "<pid>".to_owned()
            }
            Some("pid" | "PID" | "pid:" | "process") if starts_with_digit(word) => {
                "<pid>".to_owned()
            }
            _ => normalise_word(word),
        };
        let repeats_time = normal == "<time>" && before == Some("<time>");
        if !repeats_time {
            words.push(normal);
        }
    }
    words.join(" ")
}

/// The line without the number that compilers put before source code: `12 | let x = y;`.
fn without_gutter(line: &str) -> &str {
    let text = line.trim_start().trim_start_matches('>').trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_gutter = rest.len() < text.len() && rest.trim_start().starts_with('|');
    if is_gutter { rest.trim_start() } else { line.trim_start() }
}

/// One word: the punctuation around it stays.
fn normalise_word(word: &str) -> String {
    const EDGE: [char; 14] =
        ['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', ',', ';', '='];
    if let Some((name, value)) = word.split_once('=')
        && name.to_ascii_lowercase().ends_with("pid")
        && starts_with_digit(value)
    {
        return format!("{name}=<pid>");
    }
    word.split_inclusive(EDGE)
        .map(|piece| match piece.char_indices().next_back() {
            Some((at, edge)) if EDGE.contains(&edge) => {
                let (core, _) = piece.split_at(at);
                format!("{}{edge}", normalise_core(core))
            }
            _ => normalise_core(piece),
        })
        .collect()
}

fn normalise_core(core: &str) -> String {
    if core.is_empty() {
        return String::new();
    }
    if is_duration(core) || is_clock(core) {
        return "<time>".to_owned();
    }
    if is_uuid(core) {
        return "<uuid>".to_owned();
    }
    let (path, place) = without_place(core);
    let path = match path.rsplit_once('/') {
        Some((_, name)) if path.starts_with('/') => normalise_token(name),
        Some((folder, name)) => format!("{}/{}", normalise_path(folder), normalise_token(name)),
        None => normalise_token(path),
    };
    path + place
}

fn normalise_path(folder: &str) -> String {
    folder.split('/').map(normalise_token).collect::<Vec<_>>().join("/")
}

/// A name or number that holds no more structure than `-`, `.` and `:`.
fn normalise_token(token: &str) -> String {
    if is_temporary(token) {
        return "<temp>".to_owned();
    }
    token
        .split_inclusive(['-', '.', ':', '@'])
        .map(|piece| {
            let core = piece.trim_end_matches(['-', '.', ':', '@']);
            let edge = piece.get(core.len()..).unwrap_or_default();
            if is_hex(core) { format!("<hex>{edge}") } else { piece.to_owned() }
        })
        .collect()
}

/// Splits `src/lib.rs:6:46:` into the name and a placeholder for the numbers.
fn without_place(core: &str) -> (&str, &'static str) {
    let trimmed = core.trim_end_matches(':');
    let name = trimmed.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    let numbers = trimmed.get(name.len()..).unwrap_or_default();
    if numbers.starts_with(':') && !name.is_empty() { (name, ":<line>") } else { (core, "") }
}

fn is_number(text: &str) -> bool {
    starts_with_digit(text) && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_unit(text: &str) -> bool {
    const UNITS: [&str; 17] = [
        "ns", "us", "µs", "ms", "s", "m", "h", "sec", "secs", "second", "seconds", "min", "mins",
        "minute", "minutes", "hours", "millis",
    ];
    UNITS.contains(&text.trim_end_matches([',', '.', ';', ')', ']', ':']))
}

/// `0.17s`, `12ms`, `1m30s`
fn is_duration(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let unit: String = number.chars().take_while(|c| c.is_alphabetic()).collect();
    let rest = number.get(unit.len()..).unwrap_or_default();
    number.len() < text.len() && is_unit(&unit) && (rest.is_empty() || is_duration(rest))
}

/// `12:01:59`, `0:01`, `2026-11-14`, `2026-11-14T00:40:26.123Z`
fn is_clock(text: &str) -> bool {
    let text = text.trim_end_matches(['Z', ':', '.']);
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let is_time = |shape: &str| {
        let shape = shape.split(['.', '+']).next().unwrap_or_default();
        ["0:00", "00:00", "0:00:00", "00:00:00"].contains(&shape)
    };
    match shape.strip_prefix("0000-00-00") {
        Some(rest) => rest.is_empty() || rest.strip_prefix(['T', ' ']).is_some_and(is_time),
        None => is_time(&shape),
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// `0x7f05`, or at least six hexadecimal digits of which one is a decimal digit: `facade` is a word.
fn is_hex(text: &str) -> bool {
    let digits = text.strip_prefix("0x");
    let (text, shortest) = (digits.unwrap_or(text), if digits.is_some() { 1 } else { 6 });
    text.len() >= shortest
        && text.chars().all(|c| c.is_ascii_hexdigit())
        && (digits.is_some() || text.contains(|c: char| c.is_ascii_digit()))
}

/// `.tmpAb12Cd`, `tmp.Ab12Cd90`, `tmpab12cd_x`
fn is_temporary(text: &str) -> bool {
    let rest = text.trim_start_matches('.').strip_prefix("tmp").unwrap_or_default();
    let rest = rest.trim_start_matches(['.', '-', '_']);
    rest.len() >= 6 && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_in_parentheses(word: &str) -> bool {
    word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).is_some_and(is_number)
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

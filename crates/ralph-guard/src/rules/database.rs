//! Statements that would drop or empty data.

use super::pattern::is_throwaway;
use crate::{
    call::{Call, one_of},
    frame::Frame,
    paths::Zone,
};

const CLIENTS: &str = "psql mysql mariadb sqlcmd mongosh mongo redis-cli valkey-cli cqlsh clickhouse-client clickhouse \
    duckdb sqlite3 usql pgcli mycli cockroach influx bq snowsql litecli";

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    drops(call, frame)
        .then_some("database-drop")
        .or_else(|| resets(call).then_some("database-reset"))
}

fn drops(call: &Call, frame: &Frame) -> bool {
    if call.is("docker podman docker-compose nerdctl kubectl oc") {
        return in_container(call).is_some_and(|inner| drops(&inner, frame));
    }
    let input = call.stdin.as_deref().unwrap_or_default();
    if !call.is(CLIENTS) || call.is_rehearsal() {
        return false;
    }
    if call.is("sqlite3 duckdb litecli") {
        let file = call.words().first().copied().unwrap_or(":memory:");
        if file == ":memory:" || matches!(frame.zone(file), Zone::Inside | Zone::Temp) {
            return false;
        }
    }
    let words = call.operands("-h -p -n -a -u -s -r -i --user --pass -t");
    if call.is("redis-cli valkey-cli") && !words.is_empty() {
        return empties_redis(&words);
    }
    let database = call.value("-d --dbname -D --database").unwrap_or_default();
    !is_throwaway(database) && is_destructive(&format!("{} {input}", call.args.join(" ")))
}

/// A client of a database that runs in a container, as the container sees it.
fn in_container(call: &Call) -> Option<Call> {
    let at = call.args.iter().position(|arg| one_of("exec run", arg))?;
    let client = call.args.iter().skip(at).position(|arg| one_of(CLIENTS, arg))? + at;
    let (around, inner) = call.args.split_at(client);
    (!around.iter().any(|word| is_throwaway(word))).then(|| call.with_words(inner.to_vec()))
}

fn empties_redis(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    match lower.first().map(String::as_str) {
        Some("flushall" | "flushdb" | "shutdown") => true,
        Some("script" | "function") => lower.get(1).is_some_and(|word| word == "flush"),
        Some("eval" | "config" | "debug") => is_destructive(&lower.join(" ")),
        Some(first) => first.contains([' ', '\n']) && is_destructive(first),
        None => false,
    }
}

const THINGS: &str = "table database schema user role view keyspace owned collection function measurement tablespace type";

fn is_destructive(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_sign = |c: char| !(c.is_alphanumeric() || c == '_');
    let words: Vec<&str> = lower.split(is_sign).filter(|word| !word.is_empty()).collect();
    let drops = words.windows(2).any(|pair| match pair {
        ["drop", thing] => one_of(THINGS, thing),
        ["truncate", _] | ["alter", "system"] => true,
        _ => false,
    });
    let empties = lower.split(';').any(|statement| {
        let changes = statement.contains("update ") && statement.contains(" set ");
        (statement.contains("delete from") || changes) && !statement.contains("where")
    });
    let calls = [
        "dropdatabase",
        "flushall",
        "flushdb",
        "deletemany({})",
        ".drop()",
        "remove({})",
        "dropcollection",
        "shutdown nosave",
        "script flush",
        "dropuser",
    ];
    drops || empties || calls.iter().any(|call| lower.contains(call))
}

/// Programs that only show, search or pass on words, or run what the project itself defines.
const TALKERS: &str = "grep rg egrep echo printf git gh glab man tldr cat ls find sed awk npm pnpm yarn bun make just \
    task cargo node python3 pytest";

/// `tool database drop`, `tool schema:drop`, `tool migrate reset`: what tools of databases have in common.
fn resets(call: &Call) -> bool {
    let things = "database db schema migrate migration migrations keyspace bucket topic topics queue index indices collection";
    let words = call.words();
    let is_test = words.iter().any(|word| is_throwaway(word))
        || call.env.iter().any(|(name, value)| name.ends_with("_ENV") && value == "test");
    if call.is(TALKERS) || call.program.contains('/') || is_test || call.is_rehearsal() {
        return false;
    }
    let parts: Vec<&str> =
        words.iter().take(3).flat_map(|word| word.split([':', '.'])).take(4).collect();
    parts.windows(2).any(|pair| match pair {
        [thing, verb] => {
            one_of(things, thing)
                && one_of("drop reset purge wipe fresh destroy truncate nuke clean", verb)
        }
        _ => false,
    })
}

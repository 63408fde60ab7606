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
    drops(call, frame).then_some("database-drop")
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
        return words.iter().any(|word| word.contains(' ') && is_destructive(word));
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

/// Calls and commands that drop or empty something.
const CALLS: &str = "dropdatabase|flushall|flushdb|deletemany({})|.drop()|remove({})|dropcollection|shutdown nosave|script \
    flush|dropuser";
const THINGS: &str = "table column database schema user role view keyspace owned collection function measurement tablespace type";

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
    drops || empties || CALLS.split('|').any(|call| lower.contains(call))
}

//! Data that would be dropped.

use super::{
    super::{call::Call, paths::Zone, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "database-drop",
        reason: "it drops or empties tables or databases",
        instead: "use a throwaway database of the test suite, such as sqlite in a file or in memory",
        check: drop,
        denies: &[
            "psql -c 'drop table users'",
            "echo 'DROP DATABASE a' | mysql",
            "mysql -e 'TRUNCATE t'",
            "psql -c 'DELETE FROM users'",
            "dropdb app",
            "redis-cli FLUSHALL",
            "mongosh --eval 'db.dropDatabase()'",
        ],
        allows: &[
            "psql -c 'select 1'",
            "sqlite3 test.db 'drop table t'",
            "redis-cli ping",
            "redis-cli GET flushall:at",
            "psql -c 'delete from t where id=1'",
        ],
    },
    Rule {
        name: "database-reset",
        reason: "it resets a database",
        instead: "run migrations forward, or use the test database",
        check: reset,
        denies: &[
            "npx prisma migrate reset",
            "npx prisma db push --force-reset",
            "rails db:drop",
            "supabase db reset --linked",
            "python manage.py flush",
        ],
        allows: &[
            "bin/rails db:migrate",
            "npx prisma generate",
            "python3 manage.py migrate",
            "RAILS_ENV=test rails db:reset",
        ],
    },
];

const CLIENTS: [&str; 20] = [
    "psql",
    "mysql",
    "mariadb",
    "sqlcmd",
    "mongosh",
    "mongo",
    "redis-cli",
    "valkey-cli",
    "cqlsh",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "sqlite3",
    "usql",
    "pgcli",
    "mycli",
    "cockroach",
    "influx",
    "bq",
    "snowsql",
];

fn drop(call: &Call, frame: &Frame) -> bool {
    if let Some(inner) = in_container(call) {
        return drop(&inner, frame);
    }
    if speaks_protocol(call) {
        return true;
    }
    if call.is(&["dropdb", "dropuser", "pg_dropcluster"]) {
        return !call.words().iter().any(|name| is_throwaway(name)) && !call.is_rehearsal();
    }
    if call.is(&["mysqladmin"]) {
        return call.has_word(&["drop", "shutdown", "flush-privileges"]);
    }
    if !CLIENTS.contains(&call.name.as_str()) {
        return false;
    }
    if call.is(&["sqlite3", "duckdb"]) {
        let file = call.words().first().copied().unwrap_or(":memory:");
        if file == ":memory:" || matches!(frame.zone(file), Zone::Inside | Zone::Temp) {
            return false;
        }
    }
    if call.is(&["redis-cli", "valkey-cli"]) && !redis_words(call).is_empty() {
        return empties_redis(&redis_words(call));
    }
    let database = call.value(&["-d", "--dbname", "-D", "--database"]).unwrap_or_default();
    if is_throwaway(database) {
        return false;
    }
    let mut text = call.args.join(" ");
    text.push(' ');
    text.push_str(call.stdin.as_deref().unwrap_or_default());
    is_destructive(&text)
}

/// The command that a client of redis is given in its arguments.
fn redis_words(call: &Call) -> Vec<&str> {
    call.operands(&["-h", "-p", "-n", "-a", "-u", "-s", "-r", "-i", "--user", "--pass", "-t"])
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

/// A client of a database that runs in a container, as the container sees it.
fn in_container(call: &Call) -> Option<Call> {
    let engines = ["docker", "podman", "docker-compose", "nerdctl", "kubectl", "oc"];
    if !call.is(&engines) {
        return None;
    }
    let at = call.args.iter().position(|arg| arg == "exec" || arg == "run")?;
    let is_client = |arg: &String| {
        CLIENTS.contains(&arg.as_str()) || ["dropdb", "mysqladmin"].contains(&arg.as_str())
    };
    let client = call.args.iter().skip(at).position(is_client)? + at;
    let (around, inner) = call.args.split_at(client);
    let is_scratch = around.iter().any(|word| is_throwaway(word));
    (!is_scratch).then(|| call.with_words(inner.to_vec()))
}

/// Words of a server's own protocol that are sent to it over a socket.
fn speaks_protocol(call: &Call) -> bool {
    let text = call.stdin.as_deref().unwrap_or_default();
    call.is(&["nc", "ncat", "netcat", "socat", "telnet"])
        && text
            .lines()
            .take(64)
            .any(|line| empties_redis(&line.split_whitespace().take(4).collect::<Vec<_>>()))
}

/// Whether a name says that nothing of value is inside.
fn is_throwaway(name: &str) -> bool {
    name.split(['_', '-', '/', '.'])
        .any(|part| ["test", "tests", "tmp", "scratch", "testdb"].contains(&part))
}

fn is_destructive(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let things = [
        "table",
        "database",
        "schema",
        "user",
        "role",
        "index",
        "view",
        "keyspace",
        "owned",
        "collection",
        "function",
        "measurement",
        "tablespace",
        "type",
    ];
    let pairs = words.windows(2).any(|pair| match pair {
        ["drop", thing] => things.contains(thing) && *thing != "index",
        ["truncate", _] | ["alter", "system"] => true,
        _ => false,
    });
    let deletes = lower.split(';').any(|statement| {
        (statement.contains("delete from")
            || (statement.contains("update ") && statement.contains(" set ")))
            && !statement.contains("where")
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
    ]
    .iter()
    .any(|verb| lower.contains(verb));
    pairs || deletes || calls
}

/// Programs that only show, search or pass on words.
const TALKERS: [&str; 26] = [
    "grep", "rg", "egrep", "echo", "printf", "git", "gh", "glab", "man", "tldr", "cat", "ls",
    "find", "sed", "awk", "npm", "pnpm", "yarn", "bun", "make", "just", "task", "cargo", "node",
    "python3", "pytest",
];

/// `tool database drop`, `tool schema:drop`, `tool migrate reset`: what tools of databases have in common.
fn drops_by_verb(call: &Call) -> bool {
    let things = [
        "database",
        "db",
        "schema",
        "migrate",
        "migration",
        "migrations",
        "keyspace",
        "bucket",
        "topic",
        "topics",
        "queue",
        "index",
        "indices",
        "collection",
    ];
    let verbs = ["drop", "reset", "purge", "wipe", "fresh", "destroy", "truncate", "nuke", "clean"];
    let sure = ["drop", "purge", "wipe", "destroy", "nuke"];
    let words = call.words();
    if TALKERS.contains(&call.name.as_str())
        || call.program.contains('/')
        || words.iter().any(|word| is_throwaway(word))
    {
        return false;
    }
    let parts: Vec<&str> =
        words.iter().take(3).flat_map(|word| word.split([':', '.'])).take(4).collect();
    let is_pair = parts.windows(2).any(|pair| match pair {
        [thing, verb] => things.contains(thing) && verbs.contains(verb),
        _ => false,
    });
    let is_tool =
        call.is(&["dbmate", "goose", "migrate", "atlas", "diesel", "sqitch", "tern", "refinery"]);
    is_pair
        || (is_tool && words.iter().take(2).any(|word| sure.contains(word) || *word == "reset"))
        || call.is(&["mongorestore"]) && call.has(&["--drop"])
        || call.is(&["pg_restore"]) && call.has(&["-c", "--clean"])
}

fn reset(call: &Call, _: &Frame) -> bool {
    let is_test = call.env.iter().any(|(name, value)| {
        ["RAILS_ENV", "NODE_ENV", "MIX_ENV", "APP_ENV"].contains(&name.as_str()) && value == "test"
    });
    if is_test || call.is_rehearsal() {
        return false;
    }
    let has = |any: &[&str]| call.has_word(any);
    if drops_by_verb(call) {
        return true;
    }
    match call.name.as_str() {
        "prisma" => {
            has(&["reset"]) || call.has(&["--force-reset"]) || call.has(&["--accept-data-loss"])
        }
        "rails" | "rake" | "bundle" => call.args.iter().any(|arg| {
            [
                "db:drop",
                "db:reset",
                "db:purge",
                "db:schema:load",
                "db:migrate:reset",
                "db:truncate_all",
                "db:drop:all",
            ]
            .contains(&arg.as_str())
        }),
        "mix" => call.args.iter().any(|arg| ["ecto.drop", "ecto.reset"].contains(&arg.as_str())),
        "supabase" => {
            has(&["db"])
                && has(&["reset"])
                && (call.has(&["--linked", "--db-url"]) || call.has(&["--project-ref"]))
        }
        "python" | "python3" | "manage.py" | "django-admin" => {
            has(&["flush", "reset_db", "sqlflush"])
        }
        "alembic" | "flask" => has(&["downgrade"]) && has(&["base"]),
        "artisan" | "php" => has(&["migrate:fresh", "migrate:reset", "db:wipe", "migrate:refresh"]),
        "sequelize" | "sequelize-cli" | "knex" | "typeorm" | "drizzle-kit" => {
            has(&["db:drop", "schema:drop", "db:migrate:undo:all", "migrate:rollback", "drop"])
        }
        "flyway" | "liquibase" => has(&["clean", "drop-all", "dropAll"]),
        "rqlite" | "etcdctl" => has(&["del"]) && call.has(&["--prefix"]),
        _ => false,
    }
}

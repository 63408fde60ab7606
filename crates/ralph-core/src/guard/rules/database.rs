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
    let database = call.value(&["-d", "--dbname", "-D", "--database"]).unwrap_or_default();
    if is_throwaway(database) {
        return false;
    }
    let mut text = call.args.join(" ");
    text.push(' ');
    text.push_str(call.stdin.as_deref().unwrap_or_default());
    is_destructive(&text)
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

fn reset(call: &Call, _: &Frame) -> bool {
    let is_test = call.env.iter().any(|(name, value)| {
        ["RAILS_ENV", "NODE_ENV", "MIX_ENV", "APP_ENV"].contains(&name.as_str()) && value == "test"
    });
    if is_test || call.is_rehearsal() {
        return false;
    }
    let has = |any: &[&str]| call.has_word(any);
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
        "alembic" => has(&["downgrade"]) && has(&["base"]),
        "artisan" | "php" => has(&["migrate:fresh", "migrate:reset", "db:wipe", "migrate:refresh"]),
        "sequelize" | "sequelize-cli" | "knex" | "typeorm" | "drizzle-kit" => {
            has(&["db:drop", "schema:drop", "db:migrate:undo:all", "migrate:rollback", "drop"])
        }
        "flyway" | "liquibase" => has(&["clean", "drop-all", "dropAll"]),
        "rqlite" | "etcdctl" => has(&["del"]) && call.has(&["--prefix"]),
        _ => false,
    }
}

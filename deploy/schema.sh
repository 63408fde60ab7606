#!/bin/sh
# Creates the server's databases, or upgrades them to the version of these tools. Safe to repeat.
set -eu
for name in temporal visibility; do
    database=temporal
    test "$name" = temporal || database=temporal_visibility
    tool="temporal-sql-tool --plugin postgres12 --endpoint $POSTGRES_SEEDS --port $DB_PORT --user $POSTGRES_USER --password $POSTGRES_PWD --database $database"
    $tool create || true
    $tool setup-schema --version 0.0 || true
    $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$name/versioned"
done

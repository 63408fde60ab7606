# Everything a developer or CI does here. Bare `just` lists it.

set shell := ["bash", "-euo", "pipefail", "-c"]

cache := justfile_directory() / ".cache"
# The torture kit lives beside the repository; TORTURE_DIR names another place.
torture_dir := env("TORTURE_DIR", justfile_directory() / "../shared/torture")
torture_kit := cache / "torture"
torture_runs := env("TORTURE_RUNS", cache / "torture-runs")

# Named with its version: an unversioned install gives an old one where node is old.
claude_package := "@anthropic-ai/claude-code@2.1.325"
codex_package := "@openai/codex@0.166.0"
mcp_memory_package := "@modelcontextprotocol/server-memory@2026.8.31"
gemini_package := "@google/gemini-cli@0.61.0"
qwen_package := "@qwen-code/qwen-code@0.24.4"
opencode_package := "opencode-ai@1.18.33"
copilot_package := "@github/copilot@1.0.102"
cline_package := "cline@3.0.65"
# For the CLIs that are scripts and want a newer node than many systems have.
node_package := "node@22.23.3"
agents := cache / "agents"
agents_table := cache / "agents-table"
prints_tools := cache / "prints-tools"

# List the recipes.
default:
    @just --list --unsorted

# Exactly what CI runs, in this order: what a new user does first comes first. Prints the minutes by step.
ci: bubblewrap
    python3 scripts/ci.py road fmt-check spell planted-check clippy test fleet-if-changed

# The long proofs that CI leaves out.
nightly: docs fuzz-short cost escapes-all kill-tests (kill-tests "auto") planted fleet-test
    just sim 200000
    just real-agents
    just person

# Everything that needs no test run: format, lints, spelling, licences and bans, tidiness.
check: fmt-check clippy spell tidy

# What a new user does first, with the real Claude and Codex in the default sandbox, as root and as an ordinary user.
road: agents bubblewrap
    cargo nextest run --locked --workspace --test real_agent --profile ci --max-fail 1:immediate -E 'test(/^main_road::/)'

# Format the code.
fmt:
    cargo fmt --all
    cargo fmt --manifest-path fuzz/Cargo.toml

# Fail if the code is not formatted.
fmt-check:
    cargo fmt --all -- --check
    cargo fmt --manifest-path fuzz/Cargo.toml -- --check

# Lints of the whole workspace, warnings denied.
clippy:
    cargo clippy --locked --workspace --all-targets -- -D warnings

# Spelling.
spell:
    typos

# House rules, licences and bans; works without a network.
tidy: planted-check
    cargo nextest run --locked --workspace --profile ci --test tidy --test licences

# Fail if a line that a planted bug replaces is not there any more.
planted-check:
    python3 scripts/planted.py --check

# The same scenarios with two binaries: events equal but for texts, and the new one shows what the old one left.
same-events OLD NEW:
    python3 scripts/same_events.py "{{OLD}}" "{{NEW}}"

# From a one-line change to green tests of its crate, in two checkouts side by side.
change-to-green OLD NEW:
    python3 scripts/change_to_green.py "{{OLD}}" "{{NEW}}"

# What memory keeps and drops of facts that its code was not fitted to; asserts floors and the budget.
memory-facts:
    cargo nextest run --locked -p testkit --test memory_facts --profile slow --success-output immediate

# Production lines by crate, the files that are getting long, and the number of crates in the binary.
sizes:
    cargo nextest run --locked --workspace --test tidy --test licences -E 'test(long_files) | test(budget) | test(grows_past)' --success-output immediate

# Licences, bans and advisories by cargo-deny, for those who have it (asks the advisory database).
deny:
    cargo deny check

# What the sandbox's tests need, by apt where it is missing.
bubblewrap:
    @command -v bwrap >/dev/null || { \
        echo "bwrap is missing: installing the package bubblewrap by apt"; \
        root=""; test "$(id -u)" = 0 || root=sudo; \
        $root apt-get update -qq && $root apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; }

# All tests.
test: bubblewrap
    cargo nextest run --locked --workspace --profile ci

# API documentation of the workspace, warnings denied.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items

# Write the settings' JSON Schema from the code.
schema:
    cargo run --locked --quiet -p ralph -- config schema > docs/settings.schema.json

# N simulated runs with faults at any effect boundary.
sim N="100000":
    cargo run --locked --release -p testkit --bin sim -- {{ N }}

# Instructions, allocations and peak heap of fixed scenarios against scripts/cost.json; `--record` records them.
cost *RECORD:
    cargo build --locked --quiet --workspace --bin ralph --bin cost
    python3 scripts/cost.py target/debug {{ RECORD }}

# N random people beside a run; every byte they wrote must be found again. Prints seeds; SEED=… repeats one.
person N="50": bubblewrap
    cargo build --locked --quiet --workspace --bin ralph
    python3 scripts/person.py {{ N }}

# Real packages of five ecosystems, bare and boxed, as root and as an ordinary user: gates that init finds, and a run. Needs their clients.
field *PROJECTS: bubblewrap
    cargo build --locked --quiet --workspace --bin ralph
    python3 scripts/field.py {{ PROJECTS }}

# Bugs planted outside the machine, where the simulator does not look: a test of the real binary must find each.
planted *BUGS: agents bubblewrap
    python3 scripts/planted.py {{ BUGS }}

# Broken streams against every agent's parser, each for so many seconds; PARSERS none means all. What is learnt is kept in target/fuzz.
fuzz SECONDS="600" *PARSERS:
    python3 scripts/fuzz.py run {{ SECONDS }} {{ PARSERS }}

# The same, one minute of the clock in all.
fuzz-short:
    python3 scripts/fuzz.py share 60

# Every bug that is planted in front of a parser is found within a minute.
fuzz-planted *BUGS: agents bubblewrap
    python3 scripts/fuzz.py planted {{ BUGS }}

# SIGKILL at every effect boundary and inside git, and full disks, with real processes: all of it.
# `just kill-tests auto` does the same with the boxes on.
kill-tests SANDBOX="off":
    RALPH_TEST_SANDBOX={{ SANDBOX }} RALPH_KILL_TESTS=full cargo nextest run --locked --workspace --profile slow -E 'binary(=kill)' --success-output immediate

# Pictures of the HTML report in .cache/report-pictures: a scripted run, seen by headless Chromium (light, dark, print, 400 px).
report-pictures:
    cargo build --locked --quiet --workspace --bin ralph
    python3 scripts/report_pictures.py target/debug/ralph "{{ cache }}/report-pictures"

# The real agent CLIs that CI drives, into .cache/agents; a version that is there already is kept.
[parallel]
agents: (agent "claude" claude_package) (agent "codex" codex_package) (agent "node" node_package) (agent "mcp-memory" mcp_memory_package)

# All real agent CLIs that tests can drive: 1.9 GB.
agents-all: agents (agent "gemini" gemini_package) (agent "qwen" qwen_package) (agent "opencode" opencode_package) (agent "copilot" copilot_package) (agent "cline" cline_package)

[private]
agent name package:
    @test "$(cat "{{ agents }}/{{ name }}/installed" 2>/dev/null)" = "{{ package }}" || { \
        rm -rf "{{ agents }}/{{ name }}" && mkdir -p "{{ agents }}/{{ name }}" \
        && npm install --prefix "{{ agents }}/{{ name }}" --no-audit --no-fund --loglevel=error "{{ package }}" \
        && echo "{{ package }}" > "{{ agents }}/{{ name }}/installed"; }

# Every agent CLI that is installed in every scenario against a scripted model, the whole main road, and tables of what was seen.
real-agents: agents bubblewrap
    rm -rf "{{ agents_table }}" && mkdir -p "{{ agents_table }}"
    status=0; RALPH_TEST_TABLE="{{ agents_table }}" cargo nextest run --locked --workspace --test real_agent --profile slow || status=$?; \
    python3 scripts/agents_table.py "{{ agents_table }}" || status=$?; exit $status

# The run that the README shows, recorded anew with the real Claude: docs/demo.
demo: agents bubblewrap
    RALPH_DEMO="{{ justfile_directory() }}/docs/demo" cargo nextest run --locked --workspace --profile slow -E 'binary(=real_agent) & test(/^demo::/)' --success-output immediate

# How long a newcomer's first command takes to a verified task, with the real Claude in the box and a model that answers at once.
first-task: agents bubblewrap
    cargo nextest run --locked --release -p ralph --profile slow -E 'binary(=real_agent) & test(/^first_minute::/)' --success-output immediate

# A night of twelve tasks with the real Claude and Codex: a crash, a question, a red gate, an outage, a usage limit; then the morning.
night: agents
    cargo nextest run --locked --workspace --test real_agent --profile slow -E 'test(/^night::/)'

# Every escape attempt and every sequence against every backend, as root and as a user, and the table of what gets through.
escapes:
    cargo test --locked --workspace --test escape -- table "{{ justfile_directory() }}/docs/escapes.md"

# Every hand-written sequence as root and as a user; CI plays fifteen that the commit's hash chooses.
escapes-all:
    RALPH_ESCAPES=all cargo nextest run --locked --workspace --profile ci --test escape

# What a start in the box costs, against bubblewrap alone with the same binds.
sandbox-overhead:
    RALPH_SANDBOX_OVERHEAD=full cargo nextest run --locked --release -p ralph --profile slow --test user -E 'test(/^sandbox_overhead::/)' --success-output immediate

# What a run costs in a repository of FILES files, against one `git status` there.
huge FILES="100000" ROUNDS="5": release bubblewrap
    python3 scripts/huge.py target/release/ralph {{ FILES }} {{ ROUNDS }}

# Whether builds stay warm in the room for proof: KINDS of cargo, pytest, vitest, against the same command bare.
room-warm *KINDS: release bubblewrap
    python3 scripts/room_warm.py target/release/ralph "{{ cache }}/room-tools" {{ KINDS }}

# Record the outputs of real test runners that fingerprints are proved on; ONES are runners or runner/pair, none means all.
prints-corpus *ONES:
    @test -f "{{ prints_tools }}/installed" || { \
        python3 -m venv "{{ prints_tools }}/venv" \
        && "{{ prints_tools }}/venv/bin/pip" install --quiet pytest pytest-xdist pytest-randomly ruff mypy flake8 cmake \
        && npm install --prefix "{{ prints_tools }}" --no-audit --no-fund --loglevel=error jest vitest mocha ava deno bats typescript eslint \
        && touch "{{ prints_tools }}/installed"; }
    PRINTS_TOOLS="{{ prints_tools }}" python3 crates/testkit/fixtures/prints/generate.py {{ ONES }}

# CPU and memory of reading a 200 MB stream, against serde_json alone.
throughput ROUNDS="3": release
    cargo build --locked --release -p ralph-core --example borrowed_reader
    python3 scripts/throughput.py target/release/ralph target/release/examples/borrowed_reader {{ ROUNDS }}

# First frame, key to frame, event to screen, bytes, CPU and memory of `ralph watch`; wants a quiet machine.
watch-figures TASKS="100": release
    python3 scripts/watch_figures.py target/release/ralph {{ TASKS }}

# What a notification channel that hangs costs a run (50 ms at most) and its end (10 s at most); wants a quiet machine.
notify-figures ROUNDS="9": release
    python3 scripts/notify_figures.py target/release/ralph {{ ROUNDS }}

# CPU of one verdict of the guard, as a command and as a hook.
guard-cost CALLS="400": release
    python3 scripts/guard_cost.py target/release/ralph {{ CALLS }}

# Bytes through the gateway of a box against a direct copy, measured in turns. Wants a quiet machine.
proxy-throughput:
    RALPH_PROXY_THROUGHPUT=full cargo nextest run --locked -p ralph-engine -E 'test(half_the_throughput)' --success-output immediate

# The release binary.
release:
    cargo build --locked --release -p ralph

# Hostile agents against the release binary in its default sandbox; CASES are prefixes, none means all.
torture *CASES: torture-kit bubblewrap
    rm -f "{{ torture_runs }}/results.ralph.jsonl"
    cd "{{ torture_kit }}" && env -u RALPH_SANDBOX python3 torture.py ralph {{ CASES }}
    python3 scripts/torture_verdicts.py --kit "{{ torture_kit }}" "{{ torture_runs }}/results.ralph.jsonl" {{ CASES }}

# The same without a sandbox.
torture-unboxed *CASES: torture-kit
    rm -f "{{ torture_runs }}/results.ralph-off.jsonl"
    cd "{{ torture_kit }}" && RALPH_SANDBOX=off python3 torture.py ralph {{ CASES }}
    python3 scripts/torture_verdicts.py --unboxed --kit "{{ torture_kit }}" "{{ torture_runs }}/results.ralph-off.jsonl" {{ CASES }}

# Cost per iteration against a loop without logic, medians of three. Wants a quiet machine.
overhead: torture-kit bubblewrap
    rm -f "{{ torture_runs }}/overhead.jsonl"
    cd "{{ torture_kit }}" && for round in 1 2 3; do \
        python3 overhead.py floor a20 a2000 f1 f200; \
        python3 overhead.py reader f200; \
        RALPH_SANDBOX=off python3 overhead.py ralph a20 a2000 a100000 f1 f200; \
        RALPH_SANDBOX=auto python3 overhead.py ralph a20; \
    done
    python3 scripts/overhead_table.py "{{ torture_runs }}/overhead.jsonl"

export RALPH_BIN := justfile_directory() / "target/release/ralph"
export READER_BIN := justfile_directory() / "target/release/minimal_reader"
export TORTURE_RUNS := torture_runs

[private]
torture-kit: release
    cargo build --locked --release -p testkit --bin minimal_reader
    mkdir -p "{{ torture_kit }}" "{{ torture_runs }}"
    cp -r "{{ torture_dir }}/." "{{ torture_kit }}/"
    chmod -R u+w "{{ torture_kit }}"
    cp scripts/torture_reader.py "{{ torture_kit }}/adapters/reader.py"
    test "{{ torture_kit }}/fake_agent" -nt "{{ torture_dir }}/fake_agent.rs" || rustc -O "{{ torture_kit }}/fake_agent.rs" -o "{{ torture_kit }}/fake_agent"

fleet := justfile_directory() / "target/fleet"

# ralph and ralph-fleet side by side in target/fleet; `just fleet-build release` for earnest. The fleet is a workspace of its own.
fleet-build PROFILE="dev":
    cargo build --locked --profile {{ PROFILE }} --workspace --bin ralph
    cd crates/ralph-fleet && cargo build --locked --profile {{ PROFILE }} --target-dir target
    cd target/{{ if PROFILE == "dev" { "debug" } else { PROFILE } }} && install -D -t "{{ fleet }}" ralph
    cd crates/ralph-fleet/target/{{ if PROFILE == "dev" { "debug" } else { PROFILE } }} && install -D -t "{{ fleet }}" ralph-fleet

# The engine's server, installed and checked by hash: prints its path.
fleet-server:
    @python3 scripts/fleet_server.py install

# What the fleet's tests depend on, in one line: its own code, the journal, the events, the plan.
fleet_depends := "crates/ralph-fleet crates/ralph-engine/src/journal crates/ralph-core/src/event.rs crates/ralph-core/src/plan deploy"

# The fleet's tests, unless they were green on exactly this code: `just fleet-proved` records that.
fleet-if-changed:
    @if [ "$(git ls-tree -r HEAD -- {{ fleet_depends }} | sha256sum)" = "$(cat scripts/fleet-proved)" ]; \
        then echo "the fleet's tests were green on this code (scripts/fleet-proved)"; else just fleet-test; fi

# Run the fleet's tests and record that they are green on what HEAD holds.
fleet-proved: fleet-test
    git ls-tree -r HEAD -- {{ fleet_depends }} | sha256sum > scripts/fleet-proved

# Lints and tests of the fleet, with the real ralph and the real server. One at a time: they measure leases of seconds.
fleet-test: fleet-build bubblewrap fleet-deploy-check
    cd crates/ralph-fleet && cargo fmt -- --check && cargo clippy --locked --all-targets -- -D warnings
    cd crates/ralph-fleet && RALPH_BIN="{{ fleet }}/ralph" TEMPORAL_BIN="$(just fleet-server)" RUST_TEST_THREADS=1 cargo test --locked

# Every row of the fleet's failure table with real parts, so many times in a row. As root, for networks of their own.
fleet-scenarios TIMES="1" *NAMES: fleet-build bubblewrap agents
    cargo build --locked --workspace --bin scripted_model
    FLEET_BIN="{{ fleet }}/ralph-fleet" RALPH_BIN="{{ fleet }}/ralph" python3 scripts/fleet_scenarios.py --times {{ TIMES }} {{ NAMES }}

# Many loops: a server restart under waiting ones, random kills, throughput, memory, tenants. Minutes to hours.
fleet-scale *WHAT: fleet-build bubblewrap
    cd crates/ralph-fleet && cargo build --locked --example loops_per_second --target-dir target
    FLEET_BIN="{{ fleet }}/ralph-fleet" RALPH_BIN="{{ fleet }}/ralph" \
        LOOPS_PER_SECOND=crates/ralph-fleet/target/debug/examples/loops_per_second python3 scripts/fleet_scale.py {{ WHAT }}

# The deployment files: they parse, render, and keep the rules that operators rely on.
fleet-deploy-check:
    python3 scripts/fleet_deploy_check.py

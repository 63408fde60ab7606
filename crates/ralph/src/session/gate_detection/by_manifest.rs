//! Gates of the ecosystems whose own tool runs the tests in one way: Go, Ruby, PHP, Java, .NET, Deno, Elixir.

use super::{
    files::{Files, has_ending},
    found_gate::FoundGate,
};

pub(super) fn go(files: &Files<'_>) -> Vec<FoundGate> {
    if !files.is_there("go.mod") {
        return Vec::new();
    }
    let mut gates = vec![FoundGate::new("test", "go test ./...", "go.mod")];
    if files.runs("go vet") {
        let command = files.command("go vet").unwrap_or_else(|| "go vet ./...".into());
        gates.push(FoundGate::new("lint", command, "CI"));
    }
    gates
}

pub(super) fn ruby(files: &Files<'_>) -> Vec<FoundGate> {
    let by = if files.is_there("Gemfile") { "bundle exec " } else { "" };
    let test =
        |command: &str, from: &str| vec![FoundGate::new("test", format!("{by}{command}"), from)];
    let has_rspec =
        files.is_there("spec") && files.first(&[".rspec", "spec/spec_helper.rb"]).is_some();
    if let Some(name) = files.first(&["Rakefile", "rakefile", "Rakefile.rb"]) {
        let rakefile = files.text(name).unwrap_or_default();
        let has = |words: &[&str]| words.iter().any(|word| rakefile.contains(word));
        if has(&["TestTask", "task :test", "task test:", "task \"test\"", "Minitest::"]) {
            return test("rake test", name);
        }
        if has(&["RSpec::Core::RakeTask", "task :spec", "task spec:"]) {
            return test("rake spec", name);
        }
    }
    if has_rspec { test("rspec", "spec") } else { Vec::new() }
}

pub(super) fn php(files: &Files<'_>) -> Vec<FoundGate> {
    let Some(text) = files.text("composer.json") else { return Vec::new() };
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let has_script = |name: &str| !manifest["scripts"][name].is_null();
    let mut gates = Vec::new();
    if has_script("test") {
        gates.push(FoundGate::new("test", "composer test", "composer.json"));
    } else if let Some(from) = files.first(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"])
    {
        gates.push(FoundGate::new("test", "vendor/bin/phpunit", from));
    }
    if has_script("lint") {
        gates.push(FoundGate::new("lint", "composer lint", "composer.json"));
    }
    gates
}

/// Those with one manifest and one command each.
pub(super) fn others(files: &Files<'_>) -> Vec<FoundGate> {
    let gradle = if files.is_there("gradlew") { "./gradlew test" } else { "gradle test" };
    let maven = if files.is_there("mvnw") { "./mvnw test" } else { "mvn test" };
    let mut names = files.names_in("").into_iter();
    let dotnet = names.find(|name| has_ending(name, "sln") || has_ending(name, "slnx"));
    let first = |names: &[&str]| files.first(names).map(str::to_owned);
    let table = [
        (first(&["build.gradle", "build.gradle.kts"]), gradle),
        (first(&["pom.xml"]), maven),
        (dotnet, "dotnet test"),
        (first(&["deno.json", "deno.jsonc"]), "deno test"),
        (first(&["mix.exs"]), "mix test"),
    ];
    let found = table.into_iter().filter_map(|(from, command)| Some((from?, command)));
    found.map(|(from, command)| FoundGate::new("test", command, from)).collect()
}

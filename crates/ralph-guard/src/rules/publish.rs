//! Packages and releases that the world would see.

use super::{
    super::{call::Call, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[Rule {
    name: "publish",
    reason: "it publishes, withdraws or signs in to a registry",
    instead: "build the package and stop there (`--dry-run`, `npm pack`, `cargo package`); a person publishes",
    check: publish,
    denies: &[
        "npm publish",
        "cargo publish",
        "twine upload dist/x",
        "gem push x.gem",
        "cargo yank x",
        "npm login",
        "poetry publish",
        "npx semantic-release",
        "mvn deploy",
    ],
    allows: &[
        "npm publish --dry-run",
        "cargo package --list",
        "npm run publish:check",
        "npm version patch --no-git-tag-version",
        "npm pack",
    ],
}];

const VERBS: [&str; 13] = [
    "publish",
    "unpublish",
    "deprecate",
    "login",
    "adduser",
    "logout",
    "owner",
    "yank",
    "dist-tag",
    "access",
    "token",
    "add-user",
    "star",
];

fn publish(call: &Call, _: &Frame) -> bool {
    if call.is_rehearsal() || call.has_word(&["--no-publish", "--skip-upload"]) {
        return false;
    }
    let words = call.operands(&[
        "--prefix",
        "-C",
        "--filter",
        "-F",
        "-w",
        "--workspace",
        "--manifest-path",
        "-p",
    ]);
    let verb = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    match call.name.as_str() {
        "npm" | "pnpm" | "bun" => {
            VERBS.contains(&verb)
                && !(verb == "dist-tag" && second == "ls")
                && !(verb == "owner" && second == "ls")
        }
        "yarn" => VERBS.contains(&verb) || (verb == "npm" && VERBS.contains(&second)),
        "cargo" => {
            ["publish", "yank", "login", "logout", "owner"].contains(&verb)
                || (verb == "release" && call.has(&["--execute", "-x"]))
        }
        "twine" => verb == "upload",
        "gem" => ["push", "yank", "signin", "owner"].contains(&verb),
        "poetry" | "uv" | "flit" | "hatch" | "pdm" | "maturin" | "lerna" | "vsce" | "ovsx"
        | "jsr" | "wasm-pack" | "conda" | "luarocks" | "cargo-release" => {
            ["publish", "upload"].contains(&verb)
        }
        "deno" | "changeset" | "elm" | "nimble" | "spago" => verb == "publish",
        "semantic-release" | "release-it" | "np" => true,
        "goreleaser" => verb == "release" && !call.has(&["--snapshot"]),
        "mvn" | "mvnw" => {
            words.iter().any(|word| *word == "deploy" || word.starts_with("release:"))
        }
        "gradle" | "gradlew" => {
            words.iter().any(|word| word.starts_with("publish") && !word.contains("MavenLocal"))
        }
        "sbt" | "mill" => words.iter().any(|word| {
            let task = word.rsplit(['/', '.', ':']).next().unwrap_or_default();
            task.starts_with("publish") && !task.contains("Local") && !task.contains("M2")
                || task.starts_with("sonatype")
        }),
        "lein" | "stack" | "cabal" => ["deploy", "upload"].contains(&verb),
        "dotnet" | "nuget" => words.contains(&"push"),
        "python" | "python3" => {
            call.has_word(&["twine"]) && call.has_word(&["upload"])
                || call.has_word(&["setup.py"]) && call.has_word(&["upload"])
        }
        "dart" | "flutter" => words.contains(&"publish"),
        "mix" => words.contains(&"hex.publish"),
        "pod" => verb == "trunk" && second == "push",
        "fastlane" => ["release", "deliver", "pilot", "beta", "supply"].contains(&verb),
        "helm" => verb == "push",
        "snapcraft" => ["upload", "release", "push"].contains(&verb),
        _ => false,
    }
}

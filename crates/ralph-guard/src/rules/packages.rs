//! Packages from addresses that are no registry of the project.

use crate::{
    call::{Call, host_of, one_of},
    frame::Frame,
};

const REGISTRY_OPTIONS: &str =
    "--registry -i --index-url --extra-index-url --index --source --default-index --find-links";

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let verb = call.words().first().copied().unwrap_or_default();
    let is_foreign = match call.name.as_str() {
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => comes_from_elsewhere(call),
        "pip" | "pip3" | "gem" | "uv" => verb != "config" && comes_from_elsewhere(call),
        "python" | "python3" => call.has_word("pip") && comes_from_elsewhere(call),
        "npm" | "pnpm" | "yarn" | "bun" => {
            one_of("install i add exec dlx x ci create", verb) && comes_from_elsewhere(call)
        }
        "deno" | "nix" | "brew" | "go" | "cargo" => {
            one_of("run install shell develop profile", verb)
                && call.args.iter().any(|arg| is_address(arg))
        }
        _ => false,
    };
    (is_foreign && !call.is_rehearsal()).then_some("foreign-package")
}

/// Whether an address is given as a package, or a registry that is not everybody's.
fn comes_from_elsewhere(call: &Call) -> bool {
    let is_foreign = |url: &str| url.contains("://") && !is_registry(&host_of(url));
    let packages = call.operands(&format!("{REGISTRY_OPTIONS} --proxy -f"));
    let is_variable = |name: &str| {
        let name = name.to_uppercase();
        name.contains("INDEX") || name.contains("REGISTRY") || name == "GOPROXY"
    };
    let by_variable = call.variables().any(|(name, value)| is_variable(name) && is_foreign(value));
    let is_given = |word: &str| {
        is_address(word) || word.split_once("@ ").is_some_and(|(_, url)| is_address(url))
    };
    packages.into_iter().any(is_given)
        || call.values("--from --package -p --with").any(is_address)
        || call.values(REGISTRY_OPTIONS).any(is_foreign)
        || by_variable
}

/// Whether packages from a host are what people mean by installing one.
fn is_registry(host: &str) -> bool {
    let owners = "apache crates golang npmjs npmmirror pypi pythonhosted pytorch rubygems yarnpkg";
    one_of("localhost 127.0.0.1", host)
        || one_of(owners, host.rsplit('.').nth(1).unwrap_or_default())
}

fn is_address(word: &str) -> bool {
    ["git+", "http://", "https://", "github:", "git@", "git://"]
        .iter()
        .any(|start| word.starts_with(start))
}

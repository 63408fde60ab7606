//! The kernel's own path rules, as a second fence behind the mounts: nothing outside a few folders can be changed.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

/// The newest rules that are asked for; older kernels give what they have.
const RULES: ABI = ABI::V6;

/// Restricts this process and all it will start.
pub(super) fn restrict(writable: &[PathBuf]) -> io::Result<()> {
    let status =
        rules(writable).map_err(io::Error::other)?.restrict_self().map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("this kernel has no Landlock"));
    }
    Ok(())
}

fn rules(writable: &[PathBuf]) -> Result<RulesetCreated, landlock::RulesetError> {
    let all = AccessFs::from_all(RULES);
    let read = AccessFs::from_read(RULES);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(RULES))?
        .create()?;
    // Reading is left to the mounts.
    rules = allow(rules, Path::new("/"), read)?;
    for path in writable {
        rules = allow(rules, path, all)?;
    }
    Ok(rules)
}

/// A path that is not there needs no rule: nobody can make it without one.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let Ok(folder) = PathFd::new(path) else {
        return Ok(rules);
    };
    let of_file = AccessFs::from_file(RULES);
    let access = if path.is_dir() { access } else { access & of_file };
    rules.add_rule(PathBeneath::new(folder, access))
}

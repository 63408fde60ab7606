//! The kernel's own path rules, as a second fence behind the mounts: nothing outside a few folders can be changed.

use std::{io, path::PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::terms::Fence;

/// The newest rules that are asked for; older kernels give what they have.
const RULES: ABI = ABI::V6;

/// Restricts this process and all it will start.
pub(super) fn restrict(fence: &Fence) -> io::Result<()> {
    let status =
        rules(fence).map_err(io::Error::other)?.restrict_self().map_err(io::Error::other)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::other("this kernel has no Landlock"));
    }
    Ok(())
}

fn rules(fence: &Fence) -> Result<RulesetCreated, landlock::RulesetError> {
    let all = AccessFs::from_all(RULES);
    let read = AccessFs::from_read(RULES);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(RULES))?
        .create()?;
    let everything = vec![PathBuf::from("/")];
    for path in fence.readable.as_ref().unwrap_or(&everything) {
        rules = allow(rules, path, read)?;
    }
    for path in fence.writable.as_ref().unwrap_or(&everything) {
        rules = allow(rules, path, all)?;
    }
    Ok(rules)
}

/// A path that is not there needs no rule: nobody can make it without one.
fn allow(
    rules: RulesetCreated,
    path: &PathBuf,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let Ok(folder) = PathFd::new(path) else {
        return Ok(rules);
    };
    let of_file = AccessFs::from_file(RULES);
    let access = if path.is_dir() { access } else { access & of_file };
    rules.add_rule(PathBeneath::new(folder, access))
}

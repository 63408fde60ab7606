//! Folders by descriptor: the way to what lies in them is walked by the kernel without following links and without
//! leaving them, whatever somebody put there.

use nix::fcntl::ResolveFlag;

/// No links, no way out; mounts may be crossed.
pub(crate) const SAFE: ResolveFlag = ResolveFlag::RESOLVE_BENEATH
    .union(ResolveFlag::RESOLVE_NO_SYMLINKS)
    .union(ResolveFlag::RESOLVE_NO_MAGICLINKS);

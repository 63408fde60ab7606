//! Who uses whom inside a crate: the names of `modules`, followed through re-exports to the file that defines them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    modules::{Module, Modules, Place},
    repository::Repository,
};

/// The crates whose insides are looked at.
pub(crate) const CRATES: &[&str] = &[
    "ralph-text",
    "ralph-guard",
    "ralph-core",
    "ralph-agents",
    "ralph-engine",
    "ralph",
    "ralph-fleet",
];

/// How often a name may be imported anew before it is given up: a circle of re-exports ends here.
const DEEPEST: usize = 12;

/// For each file, or each module, those that it uses.
pub(crate) type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The arrows between a crate's files.
pub(crate) fn between_files(modules: &Modules) -> Arrows {
    arrows(modules, |_, module| module.file.clone())
}

/// The arrows between a crate's top-level modules; its root is left out, because it declares them all.
pub(crate) fn between_modules(modules: &Modules) -> Arrows {
    let mut arrows = arrows(modules, |place, _| place.first().cloned().unwrap_or_default());
    arrows.remove("");
    for to in arrows.values_mut() {
        to.retain(|name| !name.is_empty());
    }
    arrows
}

/// The modules of a crate; why there are none is a finding.
pub(crate) fn read(
    repository: &Repository,
    krate: &str,
    findings: &mut Vec<String>,
) -> Option<Modules> {
    match Modules::of(repository, krate) {
        Ok(modules) if modules.0.is_empty() => findings.push(format!("{krate}: has no source")),
        Ok(modules) => return Some(modules),
        Err(why) => findings.push(format!("{krate}: {why}")),
    }
    None
}

fn arrows(modules: &Modules, node: impl Fn(&Place, &Module) -> String) -> Arrows {
    let mut arrows = Arrows::new();
    for (place, module) in &modules.0 {
        let from = node(place, module);
        let globs: Vec<_> = module.globs.iter().map(|path| child(path, "*")).collect();
        let named = module.imports.values().chain(&globs).chain(&module.paths);
        let ends = named.filter_map(|path| modules.end_of(place, path, DEEPEST));
        let others = ends.filter_map(|end| Some(node(end, modules.0.get(end)?)));
        let others: BTreeSet<_> = others.filter(|to| *to != from).collect();
        arrows.entry(from).or_default().extend(others);
    }
    arrows
}

impl Modules {
    /// The module that defines what this path means in the module at `place`; none for other crates' names.
    fn end_of(&self, place: &Place, path: &[String], deepest: usize) -> Option<&Place> {
        let deepest = deepest.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return self.below(&Vec::new(), rest, deepest),
            "self" => return self.below(place, rest, deepest),
            "super" => return self.end_from_parent(place, rest, deepest),
            _ => {}
        }
        let here = self.0.get(place)?;
        if let Some(target) = here.imports.get(first).filter(|target| *target != path) {
            let whole: Vec<_> = target.iter().chain(rest).cloned().collect();
            return self.end_of(place, &whole, deepest);
        }
        let is_ours = here.names.contains(first) || self.0.contains_key(&child(place, first));
        if is_ours { self.below(place, path, deepest) } else { None }
    }

    fn end_from_parent(&self, place: &Place, rest: &[String], deepest: usize) -> Option<&Place> {
        let parent = place.split_last()?.1.to_vec();
        match rest.first()?.as_str() {
            "super" => self.end_from_parent(&parent, &rest[1..], deepest),
            _ => self.below(&parent, rest, deepest),
        }
    }

    /// What a path means that starts in the module at `place`.
    fn below(&self, place: &Place, path: &[String], deepest: usize) -> Option<&Place> {
        let deepest = deepest.checked_sub(1)?;
        // A module by itself is a way to somewhere; what it is used for has a longer path.
        let (first, rest) = path.split_first()?;
        let (here, module) = self.0.get_key_value(place)?;
        let inner = child(place, first);
        if self.0.contains_key(&inner) && !(rest.is_empty() && module.imports.contains_key(first)) {
            return self.below(&inner, rest, deepest);
        }
        if let Some(target) = module.imports.get(first) {
            let whole: Vec<_> = target.iter().chain(rest).cloned().collect();
            return self.end_of(place, &whole, deepest);
        }
        if module.names.contains(first) {
            return Some(here);
        }
        let through = |glob: &Vec<String>| {
            let whole: Vec<_> = glob.iter().chain(path).cloned().collect();
            self.end_of(place, &whole, deepest)
        };
        module.globs.iter().find_map(through).or(Some(here))
    }
}

fn child(place: &Place, name: &str) -> Place {
    place.iter().cloned().chain([name.to_owned()]).collect()
}

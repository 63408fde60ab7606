//! No knots: files of a crate use each other in one direction, top-level modules only those of their own layer or below.
//! The layers stand in ARCHITECTURE.md. There are no exceptions.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    arrows::{Arrows, CRATES, between_files, between_modules, read},
    repository::Repository,
};

const MAP: &str = "ARCHITECTURE.md";

/// No file uses a file that uses it, directly or by way of others.
pub(crate) fn of_files(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for krate in CRATES {
        let Some(modules) = read(repository, krate, &mut findings) else { continue };
        let knots = knots(&between_files(&modules));
        findings.extend(knots.iter().map(|knot| format!("a circle: {}", list(knot))));
    }
    findings
}

/// No module uses one of a higher layer, and those of one layer form no circle.
pub(crate) fn of_modules(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for krate in CRATES {
        let Some(modules) = read(repository, krate, &mut findings) else { continue };
        let arrows = between_modules(&modules);
        for (from, to) in upward(&arrows, &layers(repository, krate)) {
            findings.push(format!("{krate}: {from} -> {to}: against the layers of {MAP}"));
        }
        let knots = knots(&arrows);
        findings.extend(knots.iter().map(|knot| format!("{krate}: a circle: {}", list(knot))));
    }
    findings
}

/// Every top-level module stands in a layer, and every name in the layers is a module.
pub(crate) fn layers_are_complete(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for krate in CRATES {
        let Some(modules) = read(repository, krate, &mut findings) else { continue };
        let (modules, layers) = (between_modules(&modules), layers(repository, krate));
        let absent = modules.keys().filter(|name| !layers.contains_key(*name));
        findings.extend(absent.map(|name| format!("{krate}: `{name}` is in no layer of {MAP}")));
        let gone = layers.keys().filter(|name| !modules.contains_key(*name));
        findings.extend(gone.map(|name| format!("{MAP}: {krate} has no module `{name}`")));
    }
    findings
}

/// The arrows that run from a lower layer to a higher one.
fn upward(arrows: &Arrows, layers: &BTreeMap<String, usize>) -> Vec<(String, String)> {
    let height = |name: &String| layers.get(name).copied().unwrap_or_default();
    let all = arrows.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let up = all.filter(|(from, to)| height(from) < height(to));
    up.map(|(from, to)| (from.clone(), to.clone())).collect()
}

/// The groups in which everyone reaches everyone.
fn knots(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<_, _> = arrows.keys().map(|from| (from, reachable(arrows, from))).collect();
    let knot = |one: &String| -> BTreeSet<String> {
        let back = |other: &&String| reach.get(other).is_some_and(|ends| ends.contains(one));
        reach[one].iter().filter(back).cloned().collect()
    };
    let knots: BTreeSet<_> = arrows.keys().map(knot).filter(|knot| !knot.is_empty()).collect();
    knots.into_iter().collect()
}

fn reachable(arrows: &Arrows, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(next) = open.pop() {
        let ends = arrows.get(&next).into_iter().flatten();
        open.extend(ends.filter(|end| seen.insert((*end).clone())).cloned());
    }
    seen
}

/// Each module's layer, counted from the ground: the block of the map that is headed `layers <crate>`.
fn layers(repository: &Repository, krate: &str) -> BTreeMap<String, usize> {
    let head = format!("```layers {krate}");
    let lines = repository.text(MAP).lines().skip_while(|line| *line != head).skip(1);
    let rows = lines.take_while(|line| !line.starts_with("```")).enumerate();
    let names =
        rows.flat_map(|(height, row)| row.split_whitespace().map(move |name| (name, height)));
    names.map(|(name, height)| (name.to_owned(), height)).collect()
}

fn list(knot: &BTreeSet<String>) -> String {
    knot.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str = "//! Root.\nmod ground;\nmod roof;\n";

    fn planted(layers: &str, files: &[(&str, &str)]) -> Repository {
        let rows = |krate: &str| if krate == "ralph-core" { layers } else { "main\n" };
        let blocks = CRATES.iter().map(|krate| format!("```layers {krate}\n{}```", rows(krate)));
        let map = blocks.collect::<Vec<_>>().join("\n");
        let others = CRATES.iter().filter(|krate| **krate != "ralph-core");
        let sources: Vec<_> = others.map(|krate| format!("crates/{krate}/src/")).collect();
        let of_others: Vec<_> = sources
            .iter()
            .flat_map(|source| {
                [
                    (format!("{source}lib.rs"), "mod main;"),
                    (format!("{source}main.rs"), "fn f() {}"),
                ]
            })
            .collect();
        let mut all = vec![(MAP, map.as_str()), ("crates/ralph-core/src/lib.rs", LIB)];
        all.extend(of_others.iter().map(|(path, text)| (path.as_str(), *text)));
        all.extend(files);
        Repository::planted(&all)
    }

    fn core(ground: &str, roof: &str) -> Repository {
        let files =
            [("crates/ralph-core/src/ground.rs", ground), ("crates/ralph-core/src/roof.rs", roof)];
        planted("ground\nroof\n", &files)
    }

    #[test]
    fn an_arrow_downwards_is_right() {
        let repository = core("pub struct Stone;", "use crate::ground::Stone;");
        assert_eq!(of_files(&repository), [""; 0]);
        assert_eq!(of_modules(&repository), [""; 0]);
        assert_eq!(layers_are_complete(&repository), [""; 0]);
    }

    #[test]
    fn an_arrow_upwards_is_found_in_every_spelling() {
        let upwards = [
            "use crate::roof::Tile;",
            "use super::roof::Tile;",
            "use crate::{roof::{Tile as T}};",
            "use crate::roof;\nfn f() -> roof::Tile { todo!() }",
            "fn f() { let _ = crate::roof::Tile; }",
            "fn f() { println!(\"{:?}\", crate::roof::Tile); }",
            "fn f() { use crate::roof::*; }",
        ];
        for ground in upwards {
            let found = of_modules(&core(ground, "pub struct Tile;"));
            assert_eq!(found.len(), 1, "{ground}: {found:?}");
            assert!(found[0].starts_with("ralph-core: ground -> roof"), "{ground}: {found:?}");
        }
        let test = "#[cfg(test)]\nmod tests { use crate::roof::Tile; }";
        assert_eq!(of_modules(&core(test, "pub struct Tile;")), [""; 0]);
    }

    #[test]
    fn a_circle_of_files_is_found_and_a_re_export_makes_none() {
        let (ground, roof) = (
            "use crate::roof::Tile; pub struct Stone;",
            "use crate::ground::Stone; pub struct Tile;",
        );
        assert_eq!(of_files(&core(ground, roof)).len(), 1);
        let roof = "mod tile; mod thatch; pub use tile::Tile;";
        let children = [
            ("crates/ralph-core/src/ground.rs", "pub struct Stone;"),
            ("crates/ralph-core/src/roof/mod.rs", roof),
            ("crates/ralph-core/src/roof/tile.rs", "pub struct Tile;"),
            ("crates/ralph-core/src/roof/thatch.rs", "use super::Tile;"),
        ];
        assert_eq!(of_files(&planted("ground\nroof\n", &children)), [""; 0]);
        let knotted = (
            "crates/ralph-core/src/roof/mod.rs",
            "mod tile; mod thatch; use thatch::X; pub struct Tile;",
        );
        let children = [
            children[0],
            knotted,
            children[2],
            ("crates/ralph-core/src/roof/thatch.rs", "use super::Tile; pub struct X;"),
        ];
        assert_eq!(of_files(&planted("ground\nroof\n", &children)).len(), 1);
    }

    #[test]
    fn a_module_without_a_layer_and_a_layer_without_a_module_are_found() {
        let files = [
            ("crates/ralph-core/src/ground.rs", "fn f() {}"),
            ("crates/ralph-core/src/roof.rs", "fn f() {}"),
        ];
        assert_eq!(layers_are_complete(&planted("ground\n", &files)).len(), 1);
        assert_eq!(layers_are_complete(&planted("ground\nroof cellar\n", &files)).len(), 1);
    }
}

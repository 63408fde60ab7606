//! A crate's source as modules: what each defines, what it imports, and the paths its code names. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, ItemUse, UseTree, visit::Visit};

use crate::repository::Repository;

/// A module's place in its crate: empty for the root.
pub(crate) type Place = Vec<String>;

/// One module that ships.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) file: String,
    /// Items that are defined here.
    pub(crate) names: BTreeSet<String>,
    /// Names that stand for something elsewhere, with the path they were imported by.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    pub(crate) globs: Vec<Vec<String>>,
    /// Paths of two or more names anywhere in the code, macros included.
    pub(crate) paths: BTreeSet<Vec<String>>,
}

/// All modules of a crate, by their place.
#[derive(Debug, Default)]
pub(crate) struct Modules(pub(crate) BTreeMap<Place, Module>);

impl Modules {
    /// Follows `mod` declarations from the crate's root; a file that is no Rust is an error.
    pub(crate) fn of(repository: &Repository, krate: &str) -> syn::Result<Self> {
        let source = format!("crates/{krate}/src/");
        let root = ["lib.rs", "main.rs"].map(|name| format!("{source}{name}"));
        let mut reader = Reader { repository, source, modules: Self::default() };
        if let Some(root) = root.iter().find(|path| !repository.text(path).is_empty()) {
            reader.file(root, &Vec::new())?;
        }
        Ok(reader.modules)
    }
}

/// What is needed to follow the modules of one crate.
struct Reader<'a> {
    repository: &'a Repository,
    source: String,
    modules: Modules,
}

impl Reader<'_> {
    fn file(&mut self, path: &str, place: &Place) -> syn::Result<()> {
        let items = syn::parse_file(self.repository.text(path))?.items;
        self.items(path, place, items)
    }

    fn items(&mut self, path: &str, place: &Place, items: Vec<Item>) -> syn::Result<()> {
        let mut module = Module { file: path.to_owned(), ..Module::default() };
        for item in items.into_iter().filter(|item| !is_for_tests(item)) {
            let Item::Mod(inner) = item else {
                module.read(&item);
                continue;
            };
            let inside: Place = place.iter().cloned().chain([inner.ident.to_string()]).collect();
            if let Some((_, items)) = inner.content {
                self.items(path, &inside, items)?;
                continue;
            }
            let stem = format!("{}{}", self.source, inside.join("/"));
            let files = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
            if let Some(file) = files.iter().find(|file| !self.repository.text(file).is_empty()) {
                self.file(file, &inside)?;
            }
        }
        self.modules.0.insert(place.clone(), module);
        Ok(())
    }
}

impl Module {
    fn read(&mut self, item: &Item) {
        self.names.extend(name_of(item));
        self.visit_item(item);
        scan(item.to_token_stream(), &mut Vec::new(), &mut self.paths);
    }

    fn import(&mut self, tree: &UseTree, mut before: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, before.clone()));
            }
            UseTree::Glob(_) => self.globs.push(before),
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.import_as(&name, name.clone(), before);
            }
            UseTree::Rename(name) => {
                self.import_as(&name.ident.to_string(), name.rename.to_string(), before);
            }
        }
    }

    fn import_as(&mut self, name: &str, local: String, mut path: Vec<String>) {
        // `use plan::{self}` names the module itself.
        let local = if local == "self" { path.last().cloned().unwrap_or_default() } else { local };
        if name != "self" {
            path.push(name.to_owned());
        }
        self.imports.insert(local, path);
    }
}

impl Visit<'_> for Module {
    fn visit_item_use(&mut self, item: &ItemUse) {
        self.import(&item.tree, Vec::new());
    }
}

fn is_for_tests(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|one| {
        let text = one.to_token_stream().to_string().replace(' ', "");
        text == "#[cfg(test)]" || text.starts_with("#[cfg(all(test,")
    })
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Collects every `a::b::c` of a stream; `open` is the path that is being read.
fn scan(tokens: TokenStream, open: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if colons == 2 && !open.is_empty() => {
                open.push(name.to_string());
            }
            TokenTree::Ident(name) => {
                close(open, found);
                open.push(name.to_string());
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => {
                colons += 1;
                continue;
            }
            TokenTree::Group(group) => {
                close(open, found);
                scan(group.stream(), &mut Vec::new(), found);
            }
            _ => close(open, found),
        }
        colons = 0;
    }
    close(open, found);
}

fn close(open: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let path = std::mem::take(open);
    if path.len() > 1 {
        found.insert(path);
    }
}

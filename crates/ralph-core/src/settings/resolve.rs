//! Layers in, effective settings with origins out. The only way settings come into being.

use std::collections::BTreeMap;

use super::{
    Check, Flag, Format, LayerText, Origin, Settings, aliases, check,
    error::{Fault, SettingsError, Warning},
    json_text,
    node::{Node, Value},
    privilege,
    shape::Shape,
    toml_text, validate, variables,
};

const GUARD_RULES: &str = "guard.rule";

/// The effective settings and where each value came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub settings: Settings,
    /// By path: `limits.max_cost_usd`, `gate`, `gate[0]`, `gate[0].command`.
    pub origins: BTreeMap<String, Origin>,
    pub warnings: Vec<Warning>,
}

/// Reads and merges layers, in the order of [`super::Layer`] however they are given.
///
/// All errors of all layers are told at once, those of `checks` by whoever knows more about some settings among them.
pub fn resolve(layers: Vec<LayerText>, checks: &[Check]) -> Result<Resolved, Vec<SettingsError>> {
    resolve_over(&Settings::default(), layers, checks)
}

/// What a run began with, with what somebody says now on top.
pub fn amended(began: &Settings, flags: &[Flag]) -> Result<Settings, Vec<SettingsError>> {
    Ok(resolve_over(began, vec![LayerText::Flags(flags.to_vec())], &[])?.settings)
}

fn resolve_over(
    base: &Settings,
    mut layers: Vec<LayerText>,
    checks: &[Check],
) -> Result<Resolved, Vec<SettingsError>> {
    layers.sort_by_key(LayerText::layer);
    let mut tree = node_of(base)?;
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for layer in &layers {
        match read(layer, &mut warnings) {
            Ok(mut node) => {
                let before = errors.len();
                check::check(&mut node, Shape::of_settings(), "", &mut errors);
                errors.extend(privilege::check(&node, layer.trust()));
                if errors.len() == before {
                    keep_guard_rules(&tree, &mut node);
                    tree.overlay(node);
                }
            }
            Err(wrong) => errors.extend(wrong),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let settings = typed(&tree)?;
    let errors = validate::check(&settings, &tree, checks);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut origins = BTreeMap::new();
    tree.walk("", &mut |path, origin| {
        origins.insert(path.to_owned(), origin.clone());
    });
    Ok(Resolved { settings, origins, warnings })
}

/// Lists replace lists, but no file may take away another one's guard rules: they add up.
fn keep_guard_rules(tree: &Node, node: &mut Node) {
    let Some(Value::List(earlier)) = tree.find(GUARD_RULES).map(|rules| rules.value.clone()) else {
        return;
    };
    let Some(mut rules) = node.find(GUARD_RULES).cloned() else { return };
    if let Value::List(own) = &mut rules.value {
        own.splice(0..0, earlier);
    }
    let path: Vec<String> = GUARD_RULES.split('.').map(str::to_owned).collect();
    node.insert(&path, rules);
}

fn node_of(base: &Settings) -> Result<Node, Vec<SettingsError>> {
    let json = serde_json::to_value(base).map_err(|error| {
        vec![SettingsError {
            at: Origin::built_in(),
            fault: Fault::Syntax { format: "JSON", why: error.to_string() },
            help: "this is a bug in ralph; please report it".to_owned(),
        }]
    })?;
    Ok(Node::from_json(&json, &Origin::built_in()))
}

fn read(layer: &LayerText, warnings: &mut Vec<Warning>) -> Result<Node, Vec<SettingsError>> {
    match layer {
        LayerText::File(file) => {
            let origin = Origin::named(file.layer, &file.name);
            match file.format {
                Format::Toml => toml_text::parse(&file.text, &origin),
                Format::Json => {
                    let mut node = json_text::parse(&file.text, &origin)?;
                    let errors = aliases::apply(&mut node);
                    if errors.is_empty() { Ok(node) } else { Err(errors) }
                }
            }
        }
        LayerText::Variables(variables) => {
            let (node, odd) = variables::from_env(variables);
            warnings.extend(odd);
            Ok(node)
        }
        LayerText::Flags(flags) => {
            let (node, errors) = variables::from_flags(flags);
            if errors.is_empty() { Ok(node) } else { Err(errors) }
        }
    }
}

/// What the shape check cannot see, such as a gate's timeout with only one of its two times.
fn typed(tree: &Node) -> Result<Settings, Vec<SettingsError>> {
    serde_path_to_error::deserialize(tree.to_json()).map_err(|error| {
        let key = error.path().to_string();
        vec![SettingsError {
            at: tree.origin_of(&key),
            fault: Fault::Senseless { key, why: format!("cannot be used: {}", error.inner()) },
            help: "`ralph config schema` shows what is allowed there".to_owned(),
        }]
    })
}

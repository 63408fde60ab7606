//! Templates: how a prompt is laid out. Embedded ones, and the user's own, which are checked before a run starts.
//!
//! Values are data: whatever they hold is never itself read as a template.

use std::{collections::BTreeMap, sync::LazyLock};

use minijinja::{Environment, Error, UndefinedBehavior, Value, syntax::SyntaxConfig};
use ralph_text::tokens::tokens;

use super::template_variables::{VARIABLES, Values};

/// What a template may do before it is stopped; the embedded ones need a few hundred.
const FUEL: u64 = 50_000;
/// Most bytes that a template makes of nothing.
const MAX_FRAME: usize = 64 << 10;

/// The layout of all embedded templates around the instructions of one kind.
macro_rules! embedded {
    ($file:literal) => {
        concat!(
            include_str!("templates/layout.md"),
            "\n",
            include_str!(concat!("templates/", $file)),
            include_str!("templates/end.md")
        )
    };
}

/// The templates there are; a file of the user's with that name takes the place of the embedded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateName {
    Implement,
    /// In place of `Implement` until an iteration of the plan was accepted.
    First,
    Fix,
    Review,
    Plan,
    Compact,
    Prompt,
}

impl TemplateName {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Implement,
        Self::First,
        Self::Fix,
        Self::Review,
        Self::Plan,
        Self::Compact,
        Self::Prompt,
    ];

    /// The name of its file, without `.md`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::First => "first",
            Self::Fix => "fix",
            Self::Review => "review",
            Self::Plan => "plan",
            Self::Compact => "compact",
            Self::Prompt => "prompt",
        }
    }

    /// The embedded template.
    pub fn embedded(self) -> &'static str {
        match self {
            Self::Implement => embedded!("implement.md"),
            Self::First => embedded!("first.md"),
            Self::Fix => embedded!("fix.md"),
            Self::Review => embedded!("review.md"),
            Self::Plan => embedded!("plan.md"),
            Self::Compact => embedded!("compact.md"),
            Self::Prompt => embedded!("prompt.md"),
        }
    }

    /// The user's own template among these, if there is one. Who changed `implement` alone means the first
    /// iteration too.
    pub fn own(self, templates: &BTreeMap<String, String>) -> Option<&str> {
        let own = |name: Self| templates.get(name.name()).map(String::as_str);
        match self {
            Self::First => own(self).or_else(|| own(Self::Implement)),
            other => own(other),
        }
    }

    /// The embedded template with all that somebody who changes it must know at its top.
    pub fn ejected(self) -> String {
        let names = VARIABLES.iter().map(|(name, what)| format!("  {name:<15} {what}"));
        format!(
            "{{# The prompt of kind `{}`. Remove this file to use the built-in one again.\n\n{}\n\n{}\n#}}\n{}",
            self.name(),
            "Variables; texts are empty where there is nothing to say:",
            names.collect::<Vec<_>>().join("\n"),
            self.embedded()
        )
    }
}

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct TemplateError {
    /// The line it is about, from 1.
    pub line: Option<usize>,
    what: String,
}

impl TemplateError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        "fix the template, or remove it to use the built-in one; docs/prompts.md lists the variables"
    }
}

impl From<Error> for TemplateError {
    fn from(error: Error) -> Self {
        let what = match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        Self { line: error.line(), what }
    }
}

/// Whether a template can be used: with all there may be to say, and with nothing.
pub fn check(source: &str) -> Result<(), TemplateError> {
    Layout::Own(source).render(&Values::sample())?;
    let frame = Layout::Own(source).render(&Values::default())?;
    if frame.len() > MAX_FRAME {
        let what = format!("its own text has {} bytes, more than {MAX_FRAME}", frame.len());
        return Err(TemplateError { line: None, what });
    }
    Ok(())
}

/// A template to render.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout<'a> {
    Embedded(TemplateName),
    Own(&'a str),
}

impl Layout<'_> {
    /// The text with its values filled in.
    pub(super) fn render(self, values: &Values) -> Result<String, TemplateError> {
        let values = Value::from(values.all());
        Ok(match self {
            Self::Embedded(name) => ENVIRONMENT.get_template(name.name())?.render(values)?,
            Self::Own(source) => ENVIRONMENT.render_str(source, values)?,
        })
    }

    /// Tokens of what the template says itself.
    pub(super) fn frame_tokens(self) -> Result<usize, TemplateError> {
        match self {
            Self::Embedded(name) => Ok(FRAMES.get(&name).copied().unwrap_or_default()),
            Self::Own(_) => Ok(tokens(&self.render(&Values::default())?)),
        }
    }
}

/// The rules of all templates and the embedded ones. They never change, and prompts are rendered too often to make
/// them anew.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    for name in TemplateName::ALL {
        // One that cannot be read would be missed by every test that renders it.
        let _ = environment.add_template(name.name(), name.embedded());
    }
    environment
});

/// Tokens of what each embedded template says itself.
static FRAMES: LazyLock<BTreeMap<TemplateName, usize>> = LazyLock::new(|| {
    let frame = |name| Layout::Embedded(name).render(&Values::default()).unwrap_or_default();
    TemplateName::ALL.into_iter().map(|name| (name, tokens(&frame(name)))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_template_can_be_used_and_ejected() {
        for name in TemplateName::ALL {
            assert_eq!(check(name.embedded()), Ok(()), "{}", name.name());
            let ejected = name.ejected();
            assert_eq!(check(&ejected), Ok(()), "{}", name.name());
            let values = Values::sample();
            let text =
                |layout: Layout<'_>| layout.render(&values).map(|text| text.trim().to_owned());
            assert_eq!(text(Layout::Own(&ejected)), text(Layout::Embedded(name)));
        }
    }

    #[test]
    fn phase_10_templates_have_clear_sections_and_stay_below_4_kb() {
        for name in TemplateName::ALL {
            let embedded = name.embedded();
            assert!(embedded.len() <= 4 << 10, "{}: {}", name.name(), embedded.len());
            for (variable, _) in VARIABLES.iter().filter(|(_, what)| what.starts_with("section")) {
                assert!(embedded.contains(&format!("{{{{ {variable} }}}}")), "{variable}");
            }
            assert!(embedded.contains("\n\n## How "), "{}", name.name());
        }
    }

    #[test]
    fn what_is_wrong_with_a_template_is_told_with_its_line() {
        for (source, line, what) in [
            ("a\n{% if task %}\n", Some(2), "end of input"),
            ("a\n\n{{ tsk }}\n", Some(3), "undefined"),
            (
                "{% for c in task %}{% for d in task %}{% for e in task %}{{ c }}{% endfor %}{% endfor %}{% endfor %}",
                None,
                "fuel",
            ),
            ("{{ task | nofilter }}", Some(1), "nofilter"),
            ("{% if not task %}\n{{ gone }}\n{% endif %}", Some(2), "undefined"),
            ("{% include 'other.md' %}", None, ""),
        ] {
            let error = check(source).err();
            let told = error.as_ref().map(ToString::to_string).unwrap_or_default();
            assert!(error.is_some(), "{source}");
            assert!(told.contains(what), "{source}: {told}");
            assert!(
                line.is_none() || error.and_then(|error| error.line) == line,
                "{source}: {told}"
            );
        }
    }

    #[test]
    fn values_are_never_read_as_templates() {
        let values = Values::default().with("task", "{{ 6 * 7 }} {% if x %} {# gone #} </task>");
        let text = Layout::Own("<{{ task }}>").render(&values).unwrap_or_default();
        assert_eq!(text, "<{{ 6 * 7 }} {% if x %} {# gone #} </task>>");
    }

    #[test]
    fn who_changes_implement_alone_means_the_first_iteration_too() {
        let own = |names: &[&str]| names.iter().map(|&name| (name.into(), name.into())).collect();
        let first = |names: &[&str]| TemplateName::First.own(&own(names)).map(str::to_owned);
        assert_eq!(first(&["implement"]).as_deref(), Some("implement"));
        assert_eq!(first(&["implement", "first"]).as_deref(), Some("first"));
        assert_eq!(first(&["fix"]), None);
    }
}

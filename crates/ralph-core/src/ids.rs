//! Names of things, each a type of its own so that a tree can never be passed where a commit is meant.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One `ralph run`, resumable.
    RunId
);
id!(
    /// A task of the plan.
    TaskId
);
id!(
    /// A git tree object: what gates judge and evidence names.
    TreeId
);
id!(
    /// A git commit object.
    CommitId
);

impl RunId {
    /// What the name of a planning run ends with.
    const PLANNING: &str = "-plan";

    /// The name for a planning run instead.
    #[must_use]
    pub fn for_planning(self) -> Self {
        Self(self.0 + Self::PLANNING)
    }

    /// Whether the run only drafts a plan: it is never meant by "the last run".
    pub fn is_planning(&self) -> bool {
        self.0.ends_with(Self::PLANNING)
    }
}

impl CommitId {
    /// Whether it names nothing yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first seven digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }
}

//! Links that an agent leaves in the place of a file which ralph itself reads, outside every box.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Start, User},
};
use crate::escape::Alone::NotShown;

/// What the agent was told, in another alphabet.
const TELLS: &str = "leak_text \"$PROMPT\"; echo x >> README.md";

/// The user works on a file of the repository; the agent of the first call makes it a link.
macro_rules! prompt {
    ($name:literal, $plants:literal) => {
        Sequence {
            name: $name,
            about: "T1",
            ground: "echo 'do it' > PROMPT.md; mkdir -p notes; echo more > notes/more.md",
            steps: &[
                Agent(concat!($plants, "; echo x >> README.md")),
                Agent(TELLS),
                Start(concat!(
                    "MINE=canaryqwhzvtrmkxlpb \"$RALPH\" prompt PROMPT.md --agent {folder}/tools/agent",
                    " -n \"$CALLS\" --sandbox=\"$BOX\" </dev/null"
                )),
                User(concat!(
                    "[ ! -L PROMPT.md ] || \"$RALPH\" prompt PROMPT.md --agent {folder}/tools/agent",
                    " --fresh -n 1 --sandbox=\"$BOX\" </dev/null"
                )),
            ],
            ..PLAIN
        }
    };
}

/// The user's next plan is made from a file or a folder that an accepted call made a link.
macro_rules! plan {
    ($name:literal, $plants:literal, $from:literal) => {
        Sequence {
            name: $name,
            about: "T1",
            ground: "mkdir -p specs; echo 'a feature' > spec.md; echo 'a feature' > specs/one.md; mkdir ~/vault; cp ~/.netrc ~/vault/a.md",
            steps: &[
                Agent(concat!($plants, "; work")),
                Start("go"),
                Agent(TELLS),
                Start(concat!(
                    "\"$RALPH\" plan ",
                    $from,
                    " --agent {folder}/tools/agent --sandbox=\"$BOX\" </dev/null"
                )),
            ],
            ..PLAIN
        }
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    prompt!("prompt-file-leads-to-a-key", "ln -sf {home}/.ssh/id_rsa PROMPT.md"),
    prompt!("prompt-file-leads-to-a-key-by-the-way-up", "ln -sf ../../.netrc PROMPT.md"),
    prompt!("prompt-file-leads-to-the-environment", "ln -sf /proc/self/environ PROMPT.md"),
    Sequence {
        alone: NotShown("it never ends"),
        ..prompt!("prompt-file-without-an-end", "ln -sf /dev/zero PROMPT.md")
    },
    Sequence {
        alone: NotShown("it never ends"),
        ..prompt!("prompt-file-that-nobody-feeds", "rm PROMPT.md; mkfifo PROMPT.md")
    },
    plan!("specification-leads-to-a-key", "ln -sf {home}/.ssh/id_rsa spec.md", "spec.md"),
    plan!(
        "folder-of-specifications-leads-elsewhere",
        "rm -rf specs; ln -s {home}/vault specs",
        "specs"
    ),
    plan!("specification-below-a-link", "rm -rf specs; ln -s {home} specs", "specs/.netrc"),
];

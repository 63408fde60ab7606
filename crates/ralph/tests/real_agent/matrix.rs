//! Every agent in every scenario, each a test of its own, and the row that each writes into the table of
//! `just real-agents`.

use std::{fs, path::PathBuf, time::Instant};

use crate::{Tested, clis::Cli, island::on_island, scenarios::Scenario};

/// Names the folder of the table's cells, where one is wanted.
const TABLE: &str = "RALPH_TEST_TABLE";

/// Which agents must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// CI installs it.
    Required,
    /// The table says it where it is not.
    Optional,
}

fn play(name: &str, cli: &Cli, presence: Presence, scenario: Scenario) -> Tested {
    let cell = Cell::new(cli, name);
    if presence == Presence::Optional && cell.is_wanted() && !cli.is_installed() {
        return cell.write("not installed");
    }
    on_island(&format!("matrix::{}::{name}", cli.name), || {
        cell.write("FAILED")?;
        let began = Instant::now();
        let seen = scenario(cli)?;
        cell.write(&format!("{seen}, {:.0} s", began.elapsed().as_secs_f64()))
    })
}

/// A place in a table.
pub(crate) struct Cell(Option<PathBuf>);

impl Cell {
    fn new(cli: &Cli, scenario: &str) -> Self {
        Self::named(&format!("{}.{scenario}", cli.name))
    }

    /// The place of this name.
    pub(crate) fn named(name: &str) -> Self {
        Self(std::env::var_os(TABLE).map(|folder| PathBuf::from(folder).join(name)))
    }

    fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn write(&self, text: &str) -> Tested {
        if let Some(path) = &self.0 {
            fs::write(path, text)?;
        }
        Ok(())
    }
}

/// One agent's tests.
macro_rules! scenarios {
    ($agent:ident, $cli:ident, $presence:ident) => {
        mod $agent {
            use super::{Presence, play};
            use crate::{Tested, clis, scenarios};

            scenarios!(
                $cli, $presence =>
                text edit sandbox handoff limit long_limit overload login overflow termination
            );
        }
    };
    ($cli:ident, $presence:ident => $($scenario:ident)+) => {
        $(
            #[test]
            fn $scenario() -> Tested {
                play(stringify!($scenario), &clis::$cli, Presence::$presence, scenarios::$scenario)
            }
        )+
    };
}

scenarios!(claude, CLAUDE, Required);
scenarios!(codex, CODEX, Required);

// Played by `just real-agents` only: `.config/nextest.toml` leaves them out of everything else.
scenarios!(gemini, GEMINI, Optional);
scenarios!(qwen, QWEN, Optional);
scenarios!(opencode, OPENCODE, Optional);
scenarios!(copilot, COPILOT, Optional);
scenarios!(cline, CLINE, Optional);

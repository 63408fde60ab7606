//! What the box costs at each start, against bubblewrap alone with the same binds. Prints its figures.
use std::{
    error::Error,
    ffi::OsString,
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use ralph_core::{
    ids::RunId, network::NetworkRules, settings::Sandbox as SandboxSettings,
    vocabulary::NetworkPreset,
};
use ralph_engine::{
    process::{Flow, Listener, Nobody, ProcessEnd, ProcessSpec, Stream, Supervisor},
    sandbox::{BUBBLEWRAP, Enclosure, Machine, SandboxRequest, Stay},
    sink::RedactedFiles,
};
use ralph_text::redact::Redactor;

/// Pairs of starts, and the most that ralph's way may cost in bare ones. The two ways alternate, so that a busy machine
/// is busy for both; but ralph's has more processes that wait for their turn, so that only `just sandbox-overhead`, on
/// a machine that has nothing else to do, can ask for what is promised.
fn measure_of_the_day() -> (usize, f64) {
    match std::env::var("RALPH_SANDBOX_OVERHEAD") {
        Ok(all) if all == "full" => (50, 3.0),
        _ => (20, 6.0),
    }
}

struct Ear;

impl Listener for Ear {
    fn output(&mut self, _stream: Stream, _bytes: &[u8]) -> Flow {
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn tick(&mut self, _now: Instant) -> Flow {
        Flow::Continue
    }
}

#[test]
fn a_start_in_the_box_costs_at_most_three_bare_ones() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for name in ["home/.cargo/registry", "work/.git", "work/.ralph", "cache"] {
        fs::create_dir_all(folder.path().join(name))?;
    }
    let work = folder.path().join("work");
    let ralph = PathBuf::from(env!("CARGO_BIN_EXE_ralph"));
    let machine = Machine {
        home: folder.path().join("home"),
        ralph: ralph.clone(),
        cache: folder.path().join("cache"),
        environment: std::env::vars_os().collect(),
        git_settings: String::new(),
        shut_out: vec![work.clone()],
    };
    let enclosure = Enclosure::new(&BUBBLEWRAP, machine, SandboxSettings::default());
    let spec = ProcessSpec {
        program: "/bin/true".into(),
        args: Vec::new(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: work.clone(),
        stdin: Vec::new(),
        merge_stderr: false,
        run: RunId::from("overhead"),
        enclosed: None,
    };
    // With the network as agents have it: a gateway opens for each box.
    let stay = || Stay {
        sandbox_request: SandboxRequest::work(&work, &work.join(".git"), &work.join(".ralph")),
        rules: NetworkRules { preset: NetworkPreset::Model, ..NetworkRules::none() },
        log: (
            RedactedFiles::new(folder.path(), Redactor::default()),
            folder.path().join("network.jsonl"),
        ),
    };
    let bare = bare(&enclosure.enclose(spec.clone(), stay())?.0)?;
    let supervisor = Supervisor { shim: ralph, ..Supervisor::default() };
    let (rounds, most) = measure_of_the_day();
    let (mut boxed, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begin = Instant::now();
        let (mut enclosed, visit) = enclosure.enclose(spec.clone(), stay())?;
        // What lays the caches is ralph itself, which this process is not.
        for word in enclosed.enclosed.iter_mut().filter_map(|it| it.wrapping.before.first_mut()) {
            if word == "/proc/self/exe" {
                *word = supervisor.shim.clone().into();
            }
        }
        let finished = supervisor.supervise(&enclosed, &mut Ear, &mut Nobody)?;
        visit.end();
        boxed.push(begin.elapsed());
        assert_eq!(finished.end, ProcessEnd::Exited { code: 0 });
        let begin = Instant::now();
        let mut command = Command::new(&bare[0]);
        let status = command.args(&bare[1..]).arg("/bin/true").stdin(Stdio::null()).status()?;
        alone.push(begin.elapsed());
        assert!(status.success(), "{status}");
    }
    let (boxed, alone) = (median(boxed), median(alone));
    let ratio = boxed.as_secs_f64() / alone.as_secs_f64();
    println!("in the box {boxed:.1?}, bubblewrap alone {alone:.1?}: {ratio:.2} times");
    assert!(ratio <= most, "{ratio:.2}");
    Ok(())
}

/// The same box without ralph: bubblewrap makes all mounts itself.
fn bare(spec: &ProcessSpec) -> Result<Vec<OsString>, Box<dyn Error>> {
    let enclosed = spec.enclosed.as_ref().ok_or("there is no box")?;
    let line = &enclosed.wrapping.before;
    let begin = line.iter().position(|word| word.to_string_lossy().ends_with("/bwrap"));
    let begin = begin.ok_or("bubblewrap is not in the command line")?;
    let root = line.iter().position(|word| word == "--bind").ok_or("no root is given")?;
    let order = line.get(2).ok_or("nothing is laid")?.to_string_lossy().into_owned();
    let order: serde_json::Value = serde_json::from_str(&order)?;
    let laid = order["laid"].as_array().cloned().unwrap_or_default();
    let mounts = laid.iter().filter_map(|one| mount(one.as_object()?.iter().next()?)).flatten();
    let mounts = mounts.map(OsString::from);
    Ok(line[begin..root].iter().cloned().chain(mounts).chain(line[root + 3..].to_vec()).collect())
}

/// How bubblewrap makes a mount that the stage would lay.
fn mount((how, laid): (&String, &serde_json::Value)) -> Option<Vec<String>> {
    let place = laid["at"].as_str().filter(|at| !at.is_empty())?;
    let at = format!("/{place}");
    let from = |way: &str, path: String| Some(vec![way.to_owned(), path, at.clone()]);
    let spot =
        || Some(format!("{}/{}", laid["from"]["root"].as_str()?, laid["from"]["below"].as_str()?));
    match how.as_str() {
        "shown" | "veiled" => from("--ro-bind", spot()?.trim_end_matches('/').to_owned()),
        "lent" => from("--bind", spot()?.trim_end_matches('/').to_owned()),
        "layered" => from("--bind", laid["below"].as_array()?.last()?.as_str()?.to_owned()),
        "ourselves" => from("--ro-bind", env!("CARGO_BIN_EXE_ralph").to_owned()),
        "link" => from("--symlink", laid["to"].as_str()?.to_owned()),
        _ => Some(vec!["--tmpfs".to_owned(), at]),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

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

/// The box's own command line, without what ralph puts before and behind it.
fn bare(spec: &ProcessSpec) -> Result<Vec<OsString>, Box<dyn Error>> {
    let enclosed = spec.enclosed.as_ref().ok_or("there is no box")?;
    let line = &enclosed.wrapping.before;
    let begin = line.iter().position(|word| word.to_string_lossy().ends_with("/bwrap"));
    let ralph = OsString::from(env!("CARGO_BIN_EXE_ralph"));
    // Ralph's own program is named by ralph when it becomes bubblewrap.
    let named = |word: &OsString| if word == "@ralph" { ralph.clone() } else { word.clone() };
    let begin = begin.ok_or("bubblewrap is not in the command line")?;
    let mut bare: Vec<OsString> = line[begin..].iter().map(named).collect();
    let end = bare.pop();
    for (number, from) in laid(&line[..begin])?.into_iter().enumerate() {
        bare.extend(["--ro-bind".into(), from, format!("/tmp/{number}").into()]);
    }
    bare.extend(end);
    Ok(bare)
}

/// What ralph mounts before bubblewrap does: the same number of mounts, made by bubblewrap, is a fair measure.
fn laid(before: &[OsString]) -> Result<Vec<OsString>, Box<dyn Error>> {
    let order = before.get(2).ok_or("nothing is laid")?.to_string_lossy().into_owned();
    let order: serde_json::Value = serde_json::from_str(&order)?;
    let all = order["laid"].as_array().cloned().unwrap_or_default();
    let sources = all.iter().filter_map(|one| {
        let from = one.as_object()?.values().next()?.get("from")?;
        let path = PathBuf::from(from["root"].as_str()?).join(from["below"].as_str()?);
        path.exists().then(|| path.into_os_string())
    });
    Ok(sources.collect())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

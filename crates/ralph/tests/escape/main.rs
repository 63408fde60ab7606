//! The escape suite: real attempts to get out of the box, made by an agent and a gate of the real binary, as root and
//! as an ordinary user, on an empty network. The binary of this test is also the agent that makes them.
#![cfg_attr(
    target_os = "linux",
    expect(clippy::print_stdout, reason = "whoever runs tests asks for their names here")
)]

#[cfg(target_os = "linux")]
mod ears;
#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
mod island;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod sequences;
#[cfg(target_os = "linux")]
mod suite;
#[cfg(target_os = "linux")]
mod table;

#[cfg(target_os = "linux")]
type Tested = Result<(), Box<dyn std::error::Error>>;

/// Answers as a test harness does: lists, runs what is named, or everything.
#[cfg(target_os = "linux")]
fn main() -> Tested {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.contains(&"--list") {
        if !args.contains(&"--ignored") {
            for (name, _) in suite::TESTS {
                println!("{name}: test");
            }
        }
        return Ok(());
    }
    match args.as_slice() {
        [island::ARRIVED, name, rest @ ..] => suite::begin(name, rest),
        ["table", path] => table::write(path.as_ref()),
        ["try" | "linger" | "gate" | "call", ..] => testkit::escape::perform(&args),
        _ if std::path::Path::new("escape/world").exists() => testkit::escape::perform(&args),
        _ => suite::cross(&args),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}

//! What a user meets: the binary in real repositories, one file or folder for each part of it.

mod agent_access;
mod archive;
mod beside;
mod clean;
mod console;
mod custom_agent;
mod done_before;
mod faces;
mod gate_feedback;
mod gate_reruns;
#[cfg(target_os = "linux")]
mod gates_setup;
mod git_room;
mod guard;
mod held_flags;
#[cfg(target_os = "linux")]
mod init_gates;
mod next_steps;
mod notes;
mod notify;
mod numbers;
mod plan_check;
mod plan_commit;
mod plan_formats;
mod plan_size;
mod planning;
mod plugin;
mod prompts;
mod refused_calls;
mod report;
mod review_loop;
mod run_loop;
#[cfg(target_os = "linux")]
mod sandbox_build;
#[cfg(target_os = "linux")]
mod sandbox_faces;
#[cfg(target_os = "linux")]
mod sandbox_keys;
#[cfg(target_os = "linux")]
mod sandbox_overhead;
#[cfg(target_os = "linux")]
mod sandbox_projects;
#[cfg(target_os = "linux")]
mod sandbox_registries;
mod secrets;
#[cfg(unix)]
mod shim;
mod signing;
mod steering;
mod stint;
mod stuck_files;
mod tasks;
mod trust;
mod typed_text;
mod unusable_gates;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod watch_look;
#[cfg(target_os = "linux")]
mod watch_wishes;
#[cfg(target_os = "linux")]
mod wizard;

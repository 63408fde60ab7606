//! Containers: the host's files and sockets inside them, and everybody's containers.

use super::{
    super::{call::Call, marks::FOUND, paths::Zone, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "container-host",
        reason: "the container gets the host's files, devices or sockets",
        instead: "mount only the worktree, without --privileged",
        check: host,
        denies: &[
            "docker run --privileged alpine",
            "docker run -v /:/h alpine",
            "docker run -v /var/run/docker.sock:/s x",
            "podman run -v ~:/h x",
            "docker run --pid=host x",
        ],
        allows: &[
            "docker run --rm app npm test",
            "docker run -v $PWD:/w app",
            "docker build -t app .",
        ],
    },
    Rule {
        name: "container-image",
        reason: "it runs an image from an unknown registry with the worktree inside",
        instead: "use an image of a registry that the project already names",
        check: image,
        denies: &["docker run -v $PWD:/w x.example/img"],
        allows: &[
            "docker run -v $PWD:/w node:22",
            "docker run -v $PWD:/w ghcr.io/a/b",
            "docker run -v $PWD:/w localhost:5000/x",
        ],
    },
    Rule {
        name: "container-wipe",
        reason: "it deletes containers, images or volumes that may belong to others",
        instead: "remove by name what you made",
        check: wipe,
        denies: &[
            "docker system prune -af",
            "docker rm -f $(docker ps -aq)",
            "docker compose down -v",
            "docker volume rm data",
            "docker volume prune",
        ],
        allows: &[
            "docker compose down",
            "docker rm app-test",
            "docker compose ps",
            "docker stop app-test",
        ],
    },
    Rule {
        name: "container-remote",
        reason: "it talks to another machine's containers or logs in to a registry",
        instead: "use the local daemon",
        check: remote,
        denies: &[
            "DOCKER_HOST=ssh://prod docker ps",
            "docker login -u x",
            "docker push o/a",
            "docker context use prod",
            "docker -H tcp://x ps",
        ],
        allows: &["docker pull node:22", "docker context ls"],
    },
];

fn is_engine(call: &Call) -> bool {
    call.is(&["docker", "podman", "nerdctl", "docker-compose", "finch", "ctr", "buildah"])
}

fn host(call: &Call, frame: &Frame) -> bool {
    if !is_engine(call) {
        return false;
    }
    if call.args.iter().any(|arg| {
        arg == "--privileged"
            || arg == "--privileged=true"
            || arg.starts_with("--cap-add")
            || arg.starts_with("--device")
            || arg.contains("seccomp=unconfined")
            || arg.contains("apparmor=unconfined")
    }) {
        return true;
    }
    let spaces = call
        .values(&["--pid", "--network", "--net", "--ipc", "--userns", "--uts"])
        .any(|value| value == "host");
    let is_run = call.has_word(&["run", "create", "exec"]);
    let volumes = call.values(&["-v", "--volume"]).filter_map(|volume| volume.split(':').next());
    let mounts = call
        .values(&["--mount"])
        .flat_map(|mount| mount.split(','))
        .filter_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
    let mut sources = volumes.chain(mounts).filter(|source| source.starts_with(['/', '.']));
    let pid_or_ipc = spaces && !call.values(&["--network", "--net"]).any(|value| value == "host")
        || call.values(&["--pid"]).any(|value| value == "host");
    is_run
        && (pid_or_ipc
            || sources.any(|source| {
                matches!(
                    frame.zone(source),
                    Zone::Home | Zone::System | Zone::Outside | Zone::Device | Zone::Git
                )
            }))
}

fn image(call: &Call, _: &Frame) -> bool {
    if !is_engine(call)
        || !call.has_word(&["run", "create"])
        || call.value(&["-v", "--volume", "--mount"]).is_none()
    {
        return false;
    }
    let operands = call.operands(&[
        "-v",
        "--volume",
        "--mount",
        "-w",
        "--workdir",
        "-e",
        "--env",
        "-p",
        "--name",
        "-u",
        "--user",
        "--network",
        "--entrypoint",
        "--platform",
        "--env-file",
    ]);
    let image = operands
        .iter()
        .skip_while(|word| !["run", "create"].contains(*word))
        .nth(1)
        .copied()
        .unwrap_or_default();
    let host = image.split_once('/').map_or("", |(host, _)| host);
    let known = [
        "docker.io",
        "ghcr.io",
        "quay.io",
        "gcr.io",
        "registry.k8s.io",
        "mcr.microsoft.com",
        "public.ecr.aws",
        "registry.gitlab.com",
    ];
    host.contains('.') && !known.contains(&host) && !host.starts_with("localhost")
}

/// Clusters on this machine, all at once.
fn wipes_clusters(call: &Call) -> bool {
    call.is(&["kind", "k3d", "minikube", "microk8s", "colima", "k0s"])
        && call.has_word(&["delete", "reset", "rm"])
        && (call.has(&["-a", "-A", "--all", "--purge"]) || call.has_word(&["clusters"]))
}

fn wipe(call: &Call, _: &Frame) -> bool {
    if wipes_clusters(call) {
        return true;
    }
    if !is_engine(call) {
        return false;
    }
    let has = |any: &[&str]| call.has_word(any);
    let all = call.args.iter().any(|arg| arg.contains(FOUND));
    let prunes =
        has(&["prune"]) && (has(&["system", "volume", "image", "container", "network", "builder"]));
    let composes = (call.is(&["docker-compose"]) || has(&["compose"]))
        && has(&["down", "rm"])
        && (call.has(&["-v", "--volumes"]) || call.has(&["--rmi"]));
    let volumes = has(&["volume", "stack", "service", "secret"]) && has(&["rm", "remove"]);
    let all = all
        || (call.is(&["podman", "nerdctl"])
            && has(&["rm", "rmi", "stop", "kill"])
            && !has(&["run", "exec"])
            && call.has(&["-a", "--all"]));
    let resets = has(&["system"]) && has(&["reset"]);
    let leaves = has(&["swarm"]) && has(&["leave"]);
    (has(&["rm", "rmi", "stop", "kill", "restart", "pause"]) && all)
        || prunes
        || composes
        || volumes
        || resets
        || leaves
}

/// Tools that copy images between registries.
fn writes_registry(call: &Call) -> bool {
    let words = call.words();
    let writes = [
        "push", "copy", "cp", "delete", "tag", "append", "mutate", "rebase", "sync", "attach",
        "import", "put", "login", "sign", "attest",
    ];
    let verb = words.iter().take(2).any(|word| writes.contains(word));
    let target = words.last().copied().unwrap_or_default();
    let is_near = target.contains("localhost") || target.contains("127.0.0.1");
    match call.name.as_str() {
        "skopeo" => {
            verb && (target.starts_with("docker://") || words.first() == Some(&"login")) && !is_near
        }
        "crane" | "gcrane" | "oras" | "regctl" | "cosign" | "imgpkg" => verb && !is_near,
        _ => false,
    }
}

/// The socket of a daemon that does whatever is asked.
fn opens_socket(call: &Call) -> bool {
    let sockets = ["docker.sock", "containerd.sock", "podman.sock", "crio.sock"];
    call.is(&["socat", "nc", "ncat", "netcat"])
        && call.args.iter().any(|arg| sockets.iter().any(|socket| arg.contains(socket)))
}

fn remote(call: &Call, _: &Frame) -> bool {
    if !call.is_rehearsal() && (writes_registry(call) || opens_socket(call)) {
        return true;
    }
    if !is_engine(call) {
        return false;
    }
    let far = call.env.iter().any(|(name, value)| {
        (name == "DOCKER_HOST" || name == "CONTAINER_HOST") && !value.starts_with("unix:")
    });
    let words = call.operands(&["-H", "--host", "-c", "--context", "--config", "-f"]);
    let verb = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    far || call.args.first().is_some_and(|arg| {
        arg.starts_with("-H") || arg.starts_with("--host") || arg.starts_with("--context")
    }) || ["push", "login", "logout"].contains(&verb)
        || (["image", "compose", "manifest"].contains(&verb) && second == "push")
        || (verb == "context" && ["use", "create", "update"].contains(&second))
        || (call.has_word(&["buildx", "build"]) && call.has_word(&["--push"]))
}

//! What a container is given of the host, and whose image it is.

use crate::{
    call::{Call, host_of, one_of},
    frame::Frame,
    paths::Zone,
};

const VALUED: &str = "-v --volume --mount -w --workdir -e --env -p --publish --name -u --user --network --net \
    --entrypoint --platform --env-file -l --label -m --memory --cpus -h --hostname --gpus --add-host";

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    if !call.is("docker podman nerdctl docker-compose finch ctr buildah") {
        return None;
    }
    let is_far = |(name, value): &(String, String)| {
        one_of("DOCKER_HOST CONTAINER_HOST", name) && !value.starts_with("unix:")
    };
    if call.env.iter().any(is_far) {
        return Some("container-remote");
    }
    if !call.has_word("run create exec") {
        return None;
    }
    let volumes = call.values("-v --volume").filter_map(|volume| volume.split(':').next());
    let mounts = call.values("--mount").flat_map(|mount| mount.split(','));
    let sources =
        mounts.filter_map(|part| part.strip_prefix("source=").or(part.strip_prefix("src=")));
    let mut paths = volumes.chain(sources).filter(|path| path.starts_with(['/', '.', '~']));
    let is_host = |path: &str| matches!(frame.zone(path), Zone::Outside | Zone::Device | Zone::Git);
    if paths.any(is_host) || call.values("--pid --ipc --userns").any(|space| space == "host") {
        return Some("container-host");
    }
    (call.value("-v --volume --mount").is_some() && is_unknown_image(call))
        .then_some("container-image")
}

fn is_unknown_image(call: &Call) -> bool {
    let words = call.operands(VALUED);
    let image = words.iter().skip_while(|word| !one_of("run create", word)).nth(1).copied();
    let Some((host, _)) = image.and_then(|image| image.split_once('/')) else { return false };
    let known = "docker.io ghcr.io quay.io gcr.io registry.k8s.io mcr.microsoft.com public.ecr.aws registry.gitlab.com localhost";
    host.contains('.') && !one_of(known, &host_of(host))
}

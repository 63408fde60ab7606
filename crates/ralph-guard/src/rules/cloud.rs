//! Machines, services and repositories in the cloud.

use super::{
    super::{call::Call, walk::Frame},
    Rule,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "cloud-destroy",
        reason: "it deletes or stops something in the cloud",
        instead: "look only (list, get, describe, plan), and let a person do it",
        check: destroy,
        denies: &[
            "aws s3 rm s3://b --recursive",
            "gcloud projects delete p",
            "kubectl delete ns prod",
            "terraform destroy",
            "heroku apps:destroy a",
            "aws ec2 terminate-instances --instance-ids i",
        ],
        allows: &[
            "aws s3 ls",
            "kubectl get pods",
            "terraform plan",
            "terraform plan -destroy",
            "kubectl delete pod x --dry-run=client",
            "gcloud projects list",
        ],
    },
    Rule {
        name: "cloud-change",
        reason: "it changes what runs in the cloud",
        instead: "check the files (validate, plan, template, --dry-run), and let a person deploy",
        check: change,
        denies: &[
            "terraform apply",
            "kubectl apply -f x.yaml",
            "helm upgrade r c",
            "vercel --prod",
            "netlify deploy --prod",
            "fly deploy",
            "ansible-playbook -i prod site.yml",
            "pulumi up",
        ],
        allows: &[
            "terraform validate",
            "kubectl apply --dry-run=client -f x.yaml",
            "helm template ./c",
            "helm lint ./c",
            "pulumi preview",
        ],
    },
    Rule {
        name: "forge-change",
        reason: "it deletes, merges, releases or changes settings on the code host",
        instead: "open a pull request, and let a person do the rest",
        check: forge,
        denies: &[
            "gh repo delete o/r",
            "gh pr merge 1 --admin",
            "gh api -X DELETE repos/o/r",
            "gh workflow run deploy.yml",
            "gh secret set A",
            "gh release delete v1",
        ],
        allows: &[
            "gh pr create --fill",
            "gh run list",
            "gh api repos/o/r/pulls",
            "gh issue view 1",
            "gh pr view",
        ],
    },
];

/// Command lines of clouds and what runs in them.
const CLOUDS: [&str; 46] = [
    "aws",
    "gcloud",
    "az",
    "gsutil",
    "bq",
    "doctl",
    "fly",
    "flyctl",
    "heroku",
    "oci",
    "linode-cli",
    "hcloud",
    "ibmcloud",
    "scw",
    "civo",
    "eksctl",
    "kubectl",
    "oc",
    "k3s",
    "helm",
    "helmfile",
    "terraform",
    "tofu",
    "terragrunt",
    "pulumi",
    "cdk",
    "sam",
    "serverless",
    "sls",
    "vercel",
    "netlify",
    "wrangler",
    "firebase",
    "railway",
    "render",
    "supabase",
    "nomad",
    "consul",
    "argocd",
    "flux",
    "rancher",
    "vagrant",
    "packer",
    "eb",
    "copilot",
    "planetscale",
];

const DESTROYS: [&str; 27] = [
    "delete",
    "destroy",
    "terminate",
    "remove",
    "rm",
    "rb",
    "purge",
    "drain",
    "drop",
    "wipe",
    "deregister",
    "revoke",
    "uninstall",
    "undeploy",
    "del",
    "teardown",
    "prune",
    "stop",
    "evict",
    "cordon",
    "taint",
    "untaint",
    "disable",
    "cancel",
    "detach",
    "reset",
    "down",
];

const CHANGES: [&str; 33] = [
    "apply",
    "deploy",
    "up",
    "upgrade",
    "install",
    "replace",
    "patch",
    "scale",
    "rollout",
    "edit",
    "create",
    "update",
    "put",
    "promote",
    "rollback",
    "set",
    "run-instances",
    "sync",
    "exec",
    "publish",
    "import",
    "attach",
    "modify",
    "start",
    "restart",
    "reboot",
    "migrate",
    "rotate",
    "push",
    "invoke",
    "label",
    "annotate",
    "send",
];

const LOOKS: [&str; 24] = [
    "list", "ls", "get", "describe", "show", "plan", "validate", "fmt", "version", "help", "diff",
    "lint", "template", "preview", "synth", "logs", "status", "output", "init", "explain", "dev",
    "build", "status:", "search",
];

/// The verbs of a command line: words in front of its first argument, split where tools join them.
fn verbs(call: &Call) -> Vec<String> {
    let valued = [
        "--context",
        "-n",
        "--namespace",
        "--profile",
        "--region",
        "--project",
        "-p",
        "-f",
        "--kubeconfig",
        "-a",
        "--app",
        "--subscription",
        "-chdir",
        "--cluster",
        "-s",
        "--stack",
    ];
    call.operands(&valued).iter().take(4).map(|word| (*word).to_owned()).collect()
}

/// Whether one of the words stands in a verb, alone or joined by signs.
fn says(verb: &str, any: &[&str]) -> bool {
    any.contains(&verb)
        || verb.split(['-', ':', '_']).next().is_some_and(|first| any.contains(&first))
        || verb.split(':').any(|part| any.contains(&part))
}

fn is_cloud(call: &Call) -> bool {
    CLOUDS.contains(&call.name.as_str()) && !call.is_rehearsal()
}

/// The position of the deciding verb: the first for some tools, the last of the first words for others.
fn deciding(call: &Call) -> Vec<String> {
    let verbs = verbs(call);
    let most = match call.name.as_str() {
        "kubectl" | "oc" | "terraform" | "tofu" | "helm" | "helmfile" | "pulumi" | "cdk"
        | "sam" | "vercel" | "netlify" | "heroku" | "serverless" | "sls" | "vagrant" | "eb"
        | "terragrunt" | "gsutil" | "packer" => 1,
        "gcloud" | "az" | "doctl" | "oci" | "ibmcloud" | "scw" => 4,
        _ => 2,
    };
    let mut words: Vec<String> = verbs.iter().take(most).cloned().collect();
    let nested = [
        "state",
        "workspace",
        "stack",
        "env",
        "config",
        "rollout",
        "repo",
        "secret",
        "sites",
        "stacks",
        "run-all",
        "run",
        "release",
        "releases",
        "apps",
        "project",
        "domains",
    ];
    if most == 1 && words.first().is_some_and(|word| nested.contains(&word.as_str())) {
        words.extend(verbs.get(1).cloned());
    }
    words
}

/// `rclone` with an address of a remote.
fn empties_remote(call: &Call) -> bool {
    let words = call.words();
    let empties = ["purge", "delete", "deletefile", "rmdirs", "sync", "cleanup", "bisync"];
    call.is(&["rclone"])
        && !call.is_rehearsal()
        && words.first().is_some_and(|verb| empties.contains(verb))
        && words.last().is_some_and(|target| target.contains(':'))
}

fn destroy(call: &Call, _: &Frame) -> bool {
    if empties_remote(call) {
        return true;
    }
    if !is_cloud(call) {
        return false;
    }
    let words = deciding(call);
    let local = call.is(&["supabase", "vagrant", "helm"])
        && words.iter().any(|word| ["stop", "repo", "prune"].contains(&word.as_str()));
    let config = call.is(&["kubectl"])
        && words.first().is_some_and(|word| word == "config")
        && !call.has_word(&["delete-context", "delete-cluster", "unset"]);
    !local
        && !config
        && (words.iter().any(|word| says(word, &DESTROYS))
            || (call.has_exact(&["-destroy", "--delete"])
                && !words.first().is_some_and(|word| says(word, &LOOKS))))
}

fn change(call: &Call, _: &Frame) -> bool {
    if call.is(&["ansible-playbook", "ansible"]) {
        return !call.has(&[
            "--check",
            "--syntax-check",
            "--list-hosts",
            "--list-tasks",
            "--version",
            "-C",
        ]);
    }
    if call.is(&["cap", "fab", "kamal", "dokku", "chef-client", "puppet", "salt", "knife"]) {
        return call.words().iter().any(|word| says(word, &["deploy", "apply", "setup", "agent"]))
            && !call.is_rehearsal();
    }
    if !is_cloud(call) {
        return false;
    }
    let words = deciding(call);
    if call.has_exact(&["--prod", "--production"])
        || (call.is(&["vercel"]) && words.is_empty() && call.has(&["--yes"]))
    {
        return true;
    }
    if words.first().is_some_and(|word| says(word, &LOOKS)) && !call.is(&["aws", "gcloud", "az"]) {
        return false;
    }
    if call.is(&["kubectl", "oc"]) && words.first().is_some_and(|word| word == "rollout") {
        return call.has_word(&["restart", "undo", "pause"]);
    }
    if call.is(&["aws"]) {
        let op = words.get(1).map_or("", String::as_str);
        return says(
            op,
            &[
                "put",
                "create",
                "update",
                "run",
                "modify",
                "attach",
                "authorize",
                "start",
                "reboot",
                "invoke",
                "deploy",
                "send",
                "publish",
            ],
        ) && words.first().is_some_and(|word| word != "configure");
    }
    let harmless_set =
        call.is(&["gcloud", "az", "kubectl"]) && words.first().is_some_and(|word| word == "config");
    let local = call.is(&["supabase", "vagrant", "firebase", "wrangler"])
        && words.first().is_some_and(|word| {
            ["start", "up", "emulators", "init", "migration", "gen"].contains(&word.as_str())
        });
    let repo = call.is(&["helm"])
        && words.first().is_some_and(|word| {
            ["repo", "dependency", "create", "package"].contains(&word.as_str())
        });
    !harmless_set && !local && !repo && words.iter().any(|word| says(word, &CHANGES))
}

fn forge(call: &Call, _: &Frame) -> bool {
    if !call.is(&["gh", "glab", "hub", "tea"]) || call.is_rehearsal() {
        return false;
    }
    let words = call.operands(&[
        "-R", "--repo", "-f", "-F", "-H", "--jq", "-q", "--method", "-X", "-t", "--title", "-b",
        "--body",
    ]);
    let group = words.first().copied().unwrap_or_default();
    let verb = words.get(1).copied().unwrap_or_default();
    if group == "api" {
        let method = call.value(&["-X", "--method"]).unwrap_or_default().to_uppercase();
        let writes = !method.is_empty() && method != "GET" && method != "HEAD";
        let fields = method.is_empty()
            && call.args.iter().any(|arg| {
                ["-f", "-F", "--field", "--raw-field", "--input"].contains(&arg.as_str())
            });
        let query = verb == "graphql" && !call.line().contains("mutation");
        return (writes || fields) && !query;
    }
    let deletes =
        ["delete", "remove", "archive", "transfer", "rename", "unpin", "delete-asset", "disable"]
            .contains(&verb);
    match group {
        "repo" => deletes || ["edit", "sync", "deploy-key", "create"].contains(&verb),
        "pr" | "mr" => verb == "merge" && !call.has(&["--help"]),
        "release" => deletes || ["create", "upload", "edit"].contains(&verb),
        "workflow" => ["run", "enable", "disable"].contains(&verb),
        "run" => ["rerun", "delete", "cancel"].contains(&verb),
        "secret" | "variable" | "ssh-key" | "gpg-key" => !["list", "get", ""].contains(&verb),
        "auth" => ["login", "logout", "refresh", "setup-git", "switch"].contains(&verb),
        "extension" => ["install", "upgrade"].contains(&verb),
        "cache" | "codespace" | "issue" | "gist" | "label" | "project" => deletes,
        "alias" | "config" => verb == "set",
        _ => false,
    }
}

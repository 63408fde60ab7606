//! Which files of common ecosystems run on somebody's machine or change the rules, known by their paths.

use super::Exposure;

/// How the paths of a class look, in lower case; each list is separated by spaces.
struct Class {
    exposure: Exposure,
    /// Folders anywhere above the file.
    folders: &'static str,
    /// Whole names.
    names: &'static str,
    /// How names begin.
    starts: &'static str,
    /// How names end.
    ends: &'static str,
}

/// What weighs more comes first: a path is of the first class that it fits.
const CLASSES: [Class; 7] = [
    Class {
        exposure: Exposure::GitHook,
        folders: ".husky .githooks .git-hooks githooks git-hooks .lefthook",
        names: ".gitattributes .gitmodules .gitconfig .overcommit.yml captainhook.json",
        starts: "lefthook.y lefthook.t lefthook.j lefthook-local. .lefthook .pre-commit- .lintstagedrc lint-staged.",
        ends: "",
    },
    Class {
        exposure: Exposure::AgentConfig,
        folders: ".agents .amp .claude .claude-plugin .cline .clinerules .codex .continue .cursor .gemini .kiro \
                  .copilot .opencode .qwen .roo .windsurf .github/agents .github/copilot .github/hooks \
                  .github/instructions .github/prompts .github/skills",
        names: "agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md skill.md .mcp.json \
                mcp.json .cursorrules .clinerules .windsurfrules .roorules copilot-instructions.md",
        starts: ".aider opencode.json",
        ends: "",
    },
    Class {
        exposure: Exposure::EditorTask,
        folders: ".vscode .idea .devcontainer .zed .fleet .nvim",
        names: ".devcontainer.json .dir-locals.el .exrc .nvimrc .nvim.lua .lvimrc .tool-versions .python-version \
                .ruby-version .node-version .nvmrc .autoenv.zsh .gitpod.yml .replit mise.toml",
        starts: ".envrc mise.local. .mise.",
        ends: ".code-workspace",
    },
    Class {
        exposure: Exposure::Ci,
        folders: ".azure-pipelines .buildkite .circleci .concourse .forgejo .gitea .github .gitlab .teamcity \
                  .woodpecker",
        names: ".travis.yml .drone.yml .drone.star .woodpecker.yml .cirrus.yml .cirrus.star .appveyor.yml \
                appveyor.yml bitbucket-pipelines.yml buildspec.yml cloudbuild.yaml cloudbuild.yml codeowners \
                action.yml action.yaml codecov.yml .codecov.yml",
        starts: ".gitlab-ci azure-pipelines jenkinsfile renovate.json .renovaterc",
        ends: "",
    },
    Class {
        exposure: Exposure::PackageScript,
        folders: ".yarn",
        names: "package.json npm-shrinkwrap.json .npmrc pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc \
                setup.py setup.cfg pyproject.toml pipfile pip.conf environment.yml cargo.toml go.mod go.sum \
                go.work go.work.sum gemfile composer.json mix.exs rebar.config pubspec.yaml package.swift \
                package.resolved podfile cartfile nuget.config packages.config directory.packages.props \
                stack.yaml conanfile.py conanfile.txt vcpkg.json project.clj deps.edn requirements.txt \
                requirements.in constraints.txt",
        starts: ".pnpmfile .yarnrc requirements- requirements_",
        ends: ".lock .lockb .lockfile .lock.json -lock.json -lock.yaml .gemspec .podspec .csproj .fsproj .vbproj \
               .cabal .nix",
    },
    Class {
        exposure: Exposure::BuildScript,
        folders: ".cargo .mvn gradle/wrapper",
        names: "build.rs makefile gnumakefile justfile .justfile cmakelists.txt cmakepresets.json gradlew \
                gradlew.bat gradle.properties mvnw mvnw.cmd pom.xml build.xml dockerfile containerfile \
                compose.yml compose.yaml meson.build build.zig build.zig.zon build.ninja sconstruct sconscript \
                wscript build workspace .bazelrc configure configure.ac vagrantfile procfile tiltfile earthfile \
                skaffold.yaml noxfile.py tox.ini fabfile.py sitecustomize.py usercustomize.py binding.gyp",
        starts: "dockerfile. containerfile. docker-compose gruntfile. gulpfile. rakefile taskfile. .eslintrc \
                 .babelrc rust-toolchain babel.config. eslint.config. next.config. nuxt.config. postcss.config. \
                 rollup.config. tailwind.config. vite.config. webpack.",
        ends: ".mk .mak .cmake .gradle .gradle.kts .just .dockerfile .bzl .bazel .sbt .targets .props .pth",
    },
    Class {
        exposure: Exposure::Test,
        folders: "test tests __tests__ __mocks__ __snapshots__ spec e2e cypress testdata fixtures",
        names: "pytest.ini nextest.toml",
        starts: "test. tests. test_ conftest. jest.config. vitest.config. vitest.workspace. playwright.config. \
                 cypress.config. karma.conf. .mocharc phpunit.xml .rspec .coveragerc",
        ends: ".snap .bats",
    },
];

/// What a path is, if it is anything special. The case of letters does not matter: some disks ignore it.
pub(super) fn class(path: &str) -> Option<Exposure> {
    let low = path.to_ascii_lowercase();
    let (folders, name) = low.rsplit_once('/').unwrap_or(("", &low));
    let folders = format!("/{folders}/");
    let fits = |class: &&Class| {
        words(class.names).any(|whole| whole == name)
            || words(class.starts).any(|start| name.starts_with(start))
            || words(class.ends).any(|end| name.ends_with(end))
            || words(class.folders).any(|folder| is_in(&folders, folder))
            || (class.exposure == Exposure::Test && (is_test_file(name) || is_test_class(path)))
    };
    CLASSES.iter().find(fits).map(|class| class.exposure.clone())
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

/// Whether `/a/b/` holds a folder, which may be several names long.
fn is_in(folders: &str, folder: &str) -> bool {
    folders.match_indices(folder).any(|(at, _)| {
        folders[..at].ends_with('/') && folders[at + folder.len()..].starts_with('/')
    })
}

/// `a_test.go`, `a.spec.ts`.
fn is_test_file(name: &str) -> bool {
    let (stem, _) = name.split_once('.').unwrap_or((name, ""));
    ["_test", "_tests", "_spec"].iter().any(|end| stem.ends_with(end))
        || [".test.", ".spec.", ".cy.", ".e2e."].iter().any(|inner| name.contains(inner))
}

/// `FooTest.java`, but not `latest.java`: here the case of letters tells.
fn is_test_class(path: &str) -> bool {
    let (stem, ending) = path.rsplit_once('.').unwrap_or((path, ""));
    let is_class = ["Test", "Tests", "Spec", "IT"].iter().any(|end| stem.ends_with(end));
    is_class && matches!(ending, "java" | "kt" | "cs" | "php" | "swift" | "scala" | "groovy")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_on_somebodys_machine_is_known_by_its_path() {
        use Exposure::{AgentConfig, BuildScript, Ci, EditorTask, GitHook, PackageScript, Test};
        let table = [
            (
                GitHook,
                ".husky/pre-commit web/.husky/_/husky.sh .git-hooks/x .githooks/pre-push lefthook.yml \
                 .lefthook.toml .pre-commit-config.yaml .gitattributes sub/.gitmodules",
            ),
            (
                AgentConfig,
                ".claude/settings.json pkg/.claude/hooks/a.sh CLAUDE.md claude.local.md docs/AGENTS.md .mcp.json \
                 .codex/config.toml .gemini/settings.json .cursor/rules/a.mdc .cursorrules \
                 .github/copilot-instructions.md .github/prompts/x.md .Claude/settings.json",
            ),
            (EditorTask, ".vscode/tasks.json .idea/a.xml .envrc .devcontainer/x mise.toml"),
            (
                Ci,
                ".github/workflows/test.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile .github/CODEOWNERS \
                 azure-pipelines.yml",
            ),
            (
                PackageScript,
                "package.json web/package.json .npmrc setup.py pyproject.toml Cargo.lock package-lock.json \
                 pnpm-lock.yaml yarn.lock bun.lockb go.sum requirements-dev.txt tests/package.json",
            ),
            (
                BuildScript,
                "build.rs Makefile justfile lib/CMakeLists.txt app/build.gradle build.gradle.kts Dockerfile \
                 Dockerfile.dev .cargo/config.toml webpack.config.js BUILD.bazel \
                 gradle/wrapper/gradle-wrapper.properties",
            ),
            (
                Test,
                "tests/a.rs pkg/x_test.go src/a.test.ts src/a.spec.tsx test_a.py a_test.py conftest.py \
                 src/__tests__/a.js spec/a_spec.rb src/tests.rs src/FooTest.java jest.config.js \
                 a/__snapshots__/x.snap",
            ),
        ];
        for (exposure, paths) in table {
            for path in words(paths) {
                assert_eq!(class(path).as_ref(), Some(&exposure), "{path}");
            }
        }
    }

    #[test]
    fn ordinary_work_is_nothing_special() {
        let paths = "src/lib.rs README.md docs/testing.md src/attestation.rs src/latest.ts contest.py \
                     src/makefile_parser.rs lib/agents.rs src/builder.rs package.rs specs/plan.md \
                     src/claude/mod.rs a/husky/x src/config.rs claude.rs requirements.md src/latest.java \
                     lefthook.rs app/tasks.py x/my.claude/a gradle/wrapper-notes/a";
        for path in words(paths).chain([""]) {
            assert_eq!(class(path), None, "{path}");
        }
    }
}

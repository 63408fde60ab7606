//! What is known by its path, and what is not.

use super::*;

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

#[test]
fn every_line_of_the_table_is_understood() {
    for (class, how, words) in entries() {
        assert!(class == "harmless" || exposure(class).is_some(), "{class}");
        assert!(["folder", "name", "begins", "ends", "looks"].contains(&how), "{class} {how}");
        assert!(words.count() > 0, "{class} {how}");
    }
}

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

/// Files that tools load by themselves, of every kind that there is: each must be seen, whatever else it is called.
const LOADED: &str = ".pnp.cjs .pnp.loader.mjs .pylintrc pylintrc .prettierrc .prettierrc.js .prettierrc.cjs .Rprofile \
    .Renviron tools/bazel cdk.json docs/conf.py hooks/pre-commit hooks/post-checkout setup.py setup.cfg conftest.py \
    sitecustomize.py usercustomize.py lib/evil.pth .envrc .env .env.local Makefile GNUmakefile Justfile .justfile \
    build.rs .cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml clippy.toml .rustfmt.toml .npmrc .yarnrc \
    .yarnrc.yml .yarn/releases/yarn.cjs .yarn/plugins/x.cjs .pnpmfile.cjs pnpm-workspace.yaml Gemfile Gemfile.local \
    Rakefile lib/tasks/a.rake .irbrc .pryrc .rubocop.yml .rspec Podfile Vagrantfile Dockerfile Dockerfile.dev \
    docker-compose.yml docker-compose.override.yml compose.yaml build.gradle settings.gradle.kts gradle.properties \
    gradle/wrapper/gradle-wrapper.properties gradlew pom.xml .mvn/extensions.xml .mvn/jvm.config mvnw a.sln a.csproj \
    Directory.Build.props Directory.Build.targets nuget.config global.json CMakeLists.txt CMakePresets.json cmake/x.cmake \
    meson.build BUILD BUILD.bazel WORKSPACE MODULE.bazel defs.bzl .bazelrc .buckconfig flake.nix shell.nix default.nix \
    .devcontainer/devcontainer.json .devcontainer.json .vscode/tasks.json .vscode/settings.json .idea/workspace.xml \
    .zed/tasks.json a.code-workspace .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml .travis.yml \
    Jenkinsfile azure-pipelines.yml .buildkite/pipeline.yml .drone.yml bitbucket-pipelines.yml appveyor.yml \
    package.json .babelrc babel.config.js eslint.config.mjs .eslintrc.js .eslintrc.cjs .stylelintrc.js vite.config.ts \
    vitest.config.ts jest.config.js webpack.config.js rollup.config.mjs next.config.js nuxt.config.ts svelte.config.js \
    astro.config.mjs tailwind.config.js postcss.config.cjs tsup.config.ts playwright.config.ts cypress.config.js \
    karma.conf.js metro.config.js commitlint.config.js .commitlintrc.js .lintstagedrc.js .huskyrc.js .husky/pre-commit \
    .githooks/pre-push lefthook.yml .pre-commit-config.yaml .overcommit.yml gulpfile.js Gruntfile.js .storybook/main.js \
    .mocharc.js .nycrc .swcrc .babelrc.json .browserslistrc tsconfig.json tsconfig.build.json deno.json bunfig.toml \
    turbo.json nx.json lerna.json angular.json pyproject.toml tox.ini noxfile.py pytest.ini .flake8 mypy.ini .coveragerc \
    ruff.toml Pipfile requirements-dev.txt mkdocs.yml .ipython/profile_default/startup/x.py jupyter_notebook_config.py \
    go.mod .golangci.yml magefile.go .air.toml mix.exs .formatter.exs .iex.exs .credo.exs rebar.config composer.json \
    phpstan.neon .php-cs-fixer.php rector.php phpunit.xml .user.ini .htaccess Package.swift .swiftlint.yml Fastfile \
    project.clj deps.edn bb.edn shadow-cljs.edn build.sbt .scalafmt.conf build.sc build.zig premake5.lua xmake.lua \
    SConstruct wscript configure configure.ac autogen.sh .dir-locals.el .exrc .vimrc .nvim.lua .lvimrc .gdbinit .lldbinit \
    .bashrc .zshenv .profile .tmux.conf .inputrc .curlrc .wgetrc .netrc .psqlrc .tool-versions .nvmrc mise.toml \
    .python-version .ruby-version .sdkmanrc Procfile Tiltfile Earthfile skaffold.yaml main.tf terraform.tfvars \
    .terraformrc Pulumi.yaml serverless.yml netlify.toml vercel.json fly.toml ansible.cfg Chart.yaml kustomization.yaml \
    .claude/settings.json CLAUDE.md AGENTS.md .mcp.json .codex/config.toml .gemini/settings.json .cursor/rules/a.mdc \
    .cursorrules .opencode/a.ts .aider.conf.yml .gitattributes .gitmodules .gitconfig binding.gyp .clang-tidy .clangd \
    .ghci Setup.hs stack.yaml cabal.project dune-project Brewfile PKGBUILD debian/rules x.service a.command run.bat x.ps1 \
    native.node lib.so a.dll x.jar a.whl .config/nextest.toml .unknown .unknown/file deep/.folder/x.txt";

#[test]
fn files_that_tools_load_by_themselves_are_known() {
    assert!(words(LOADED).count() > 250);
    let missed: Vec<&str> = words(LOADED).filter(|path| class(path).is_none()).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let deep = words(LOADED).map(|path| format!("some/where/{path}"));
    let missed: Vec<String> = deep.filter(|path| class(path).is_none()).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn dotfiles_that_only_list_something_are_nothing_special() {
    for path in words(".gitignore src/.gitkeep .editorconfig .dockerignore") {
        assert_eq!(class(path), None, "{path}");
    }
    assert_eq!(class(".secret/.gitignore"), Some(Exposure::Dotfile));
}

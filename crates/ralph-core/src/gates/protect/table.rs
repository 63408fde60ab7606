//! The files that tools run or load by themselves, as data: one entry for each kind of reason, wide on purpose.
//!
//! A file that is named here and harmless costs a person a glance; one that is missing may cost the machine.

use super::Exposure;

/// How the paths of a class look, in lower case; each list is separated by spaces.
pub(super) struct Class {
    pub(super) exposure: Exposure,
    /// Folders anywhere above the file, which may be several names long.
    pub(super) folders: &'static str,
    /// Whole names; with a `/` the end of a path.
    pub(super) names: &'static str,
    /// How names begin.
    pub(super) starts: &'static str,
    /// How names end.
    pub(super) ends: &'static str,
}

/// Dotfiles that only list or describe something.
pub(super) const HARMLESS: &str = ".gitignore .gitkeep .keep .ignore .rgignore .fdignore .hgignore .dockerignore .containerignore .npmignore \
     .eslintignore .prettierignore .stylelintignore .markdownlintignore .gcloudignore .vercelignore .helmignore \
     .nojekyll .mailmap .editorconfig .git-blame-ignore-revs .gitmessage .all-contributorsrc .htmlhintrc .jsbeautifyrc \
     .placeholder .empty";

/// What weighs more comes first: a path is of the first class that it fits.
pub(super) const CLASSES: [Class; 9] = [
    Class {
        exposure: Exposure::GitHook,
        folders: ".husky .githooks .git-hooks githooks git-hooks .hooks .lefthook .overcommit .git .hg .jj",
        names: ".gitattributes .gitmodules .gitconfig .gitpatches .overcommit.yml captainhook.json .hgrc \
                hooks/applypatch-msg hooks/commit-msg hooks/fsmonitor-watchman hooks/post-applypatch \
                hooks/post-checkout hooks/post-commit hooks/post-index-change hooks/post-merge hooks/post-receive \
                hooks/post-rewrite hooks/post-update hooks/pre-applypatch hooks/pre-auto-gc hooks/pre-commit \
                hooks/pre-merge-commit hooks/pre-push hooks/pre-rebase hooks/pre-receive hooks/prepare-commit-msg \
                hooks/proc-receive hooks/push-to-checkout hooks/reference-transaction hooks/sendemail-validate \
                hooks/update .huskyrc .rusty-hook.toml .git-hooks.yaml",
        starts: "lefthook.y lefthook.t lefthook.j lefthook-local. .lefthook .pre-commit- .lintstagedrc \
                lint-staged. .huskyrc. .simple-git-hooks. simple-git-hooks. .commitlintrc commitlint.config. \
                .czrc .cz. .release-it. .releaserc release.config.",
        ends: "",
    },
    Class {
        exposure: Exposure::AgentConfig,
        folders: ".agents .amp .claude .claude-plugin .cline .clinerules .codex .continue .cursor .gemini .kiro \
                .copilot .opencode .qwen .roo .windsurf .aider .goose .junie .augment .crush .factory \
                .github/agents .github/copilot .github/hooks .github/instructions .github/prompts .github/skills \
                .github/chatmodes",
        names: "agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md warp.md \
                crush.md skill.md .mcp.json mcp.json .cursorrules .clinerules .windsurfrules .roorules .roomodes \
                .goosehints .rules conventions.md copilot-instructions.md .cursorignore .geminiignore llms.txt",
        starts: ".aider opencode.json .crush. crush.json .mcp. .mcp-",
        ends: ".mdc",
    },
    Class {
        exposure: Exposure::EditorTask,
        folders: ".vscode .idea .devcontainer .zed .fleet .nvim .vim .emacs.d .settings .vs .sublime .helix .kak \
                .eclipse .devenv .flox .mise .direnv nbproject .run",
        names: ".devcontainer.json .dir-locals.el .dir-locals-2.el .exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc \
                .local.vimrc .emacs .projectile .ycm_extra_conf.py .tool-versions .python-version .ruby-version \
                .node-version .nvmrc .java-version .go-version .terraform-version .autoenv .autoenv.zsh .in .out \
                .gitpod.yml .gitpod.dockerfile .replit replit.nix devbox.json mise.toml .mise.toml .sdkmanrc \
                .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .logout .zshrc \
                .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .inputrc .tmux.conf .screenrc .wgetrc \
                .curlrc .netrc .psqlrc .sqliterc .my.cnf .gdbinit .lldbinit .irbrc .pryrc .rprofile .renviron \
                .pythonrc .pythonrc.py .ipython .perltidyrc .ackrc .ripgreprc config.fish .nanorc .lesskey \
                .project .classpath .env .flaskenv .dmypy.json .ideavimrc .theia .gitpod .code-workspace \
                .terraformrc terraform.rc .ssh/config .config/fish/config.fish .config/nvim/init.lua .profile.ps1 \
                profile.ps1 .zlogin.zsh .lldbinit-xcode",
        starts: ".envrc mise.local. .mise. .env. .gdbinit. .exrc.",
        ends: ".code-workspace .sublime-project .sublime-workspace .sublime-build .iml .desktop .command \
                .vscodeignore",
    },
    Class {
        exposure: Exposure::Ci,
        folders: ".azure-pipelines .buildkite .circleci .concourse .forgejo .gitea .github .gitlab .teamcity \
                .woodpecker .drone .semaphore .tekton .builds .evergreen .codesandbox .harness .zuul.d zuul.d \
                .jenkins .pipelines .bitrise",
        names: ".travis.yml .drone.yml .drone.star .drone.jsonnet .woodpecker.yml .woodpecker.yaml .cirrus.yml \
                .cirrus.star .appveyor.yml appveyor.yml bitbucket-pipelines.yml buildspec.yml buildspec.yaml \
                cloudbuild.yaml cloudbuild.yml codeowners action.yml action.yaml codecov.yml .codecov.yml \
                .build.yml .zuul.yaml zuul.yaml bitrise.yml codemagic.yaml wercker.yml shippable.yml \
                .semaphore.yml .scrutinizer.yml .mergify.yml .kodiak.toml bors.toml .pullapprove.yml netlify.toml \
                vercel.json now.json app.yaml fly.toml render.yaml railway.json railway.toml heroku.yml \
                amplify.yml cdk.json serverless.yml serverless.yaml serverless.ts samconfig.toml pulumi.yaml \
                main.tf .readthedocs.yml .readthedocs.yaml readthedocs.yml .goreleaser.yml .goreleaser.yaml \
                goreleaser.yml .releaserc .dagger dagger.json sonar-project.properties .sonarcloud.properties \
                firebase.json wrangler.toml wrangler.json wrangler.jsonc dependabot.yml renovate.json",
        starts: ".gitlab-ci azure-pipelines jenkinsfile renovate. .renovaterc .pipeline pulumi. .drone.",
        ends: ".tf .tfvars .tf.json .gitlab-ci.yml .pkr.hcl",
    },
    Class {
        exposure: Exposure::PackageScript,
        folders: ".yarn .pnpm .pdm-build .bundle .npm .cargo-vendor .pip node_modules vendor/bundle site-packages \
                .venv venv .poetry",
        names: "package.json package.json5 package.yaml npm-shrinkwrap.json .npmrc .pnp.cjs .pnp.js \
                .pnp.loader.mjs .pnp.data.json .yarnrc .pnpmrc pnpm-workspace.yaml bunfig.toml .bunfig.toml \
                deno.json deno.jsonc jsr.json bower.json .bowerrc lerna.json nx.json rush.json turbo.json \
                workspace.json project.json setup.py setup.cfg pyproject.toml pipfile pip.conf pip.ini .pypirc \
                environment.yml environment.yaml uv.toml pdm.toml poetry.toml hatch.toml hatch_build.py \
                build_hook.py cargo.toml go.mod go.sum go.work go.work.sum gemfile gems.rb .gemrc composer.json \
                mix.exs rebar.config rebar.config.script pubspec.yaml package.swift package.resolved podfile \
                cartfile mintfile nuget.config packages.config directory.packages.props paket.dependencies \
                stack.yaml cabal.project conanfile.py conanfile.txt vcpkg.json project.clj deps.edn bb.edn \
                shadow-cljs.edn build.boot requirements.txt requirements.in constraints.txt makefile.pl build.pl \
                cpanfile dist.ini opam dune-project renv.lock .renvignore configure.win brewfile .brewfile \
                spack.yaml shard.yml nimble.lock elm.json dub.json dub.sdl foundry.toml hardhat.config.js \
                remappings.txt move.toml anchor.toml sbom.json libman.json global.json dotnet-tools.json \
                .config/dotnet-tools.json choco.config",
        starts: ".pnpmfile .yarnrc requirements- requirements_ gemfile. .npmrc. pnpm-workspace. .syncpackrc",
        ends: ".lock .lockb .lockfile .lock.json -lock.json -lock.yaml .gemspec .podspec .csproj .fsproj .vbproj \
                .vcxproj .wixproj .sqlproj .shproj .nuspec .sln .slnx .slnf .cabal .nix .opam .rockspec .nimble \
                .ipkg .asd .pth .egg-link .rnproj",
    },
    Class {
        exposure: Exposure::BuildScript,
        folders: ".cargo .mvn gradle/wrapper buildsrc build-logic .gradle tools/bazel.d .buck .meson .xmake",
        names: "build.rs makefile gnumakefile bsdmakefile justfile .justfile cmakelists.txt cmakepresets.json \
                cmakeuserpresets.json conanfile.py gradlew gradlew.bat gradle.properties local.properties mvnw \
                mvnw.cmd pom.xml build.xml ivy.xml dockerfile containerfile compose.yml compose.yaml meson.build \
                meson.options meson_options.txt build.zig build.zig.zon build.ninja sconstruct sconscript wscript \
                waf build workspace workspace.bzlmod module.bazel .bazelrc .bazelversion .bazeliskrc tools/bazel \
                tools/bazel.bat buck .buckconfig .buckroot pants pants.toml build.pants configure configure.ac \
                configure.in autogen.sh bootstrap.sh acinclude.m4 aclocal.m4 vagrantfile procfile procfile.dev \
                tiltfile earthfile skaffold.yaml skaffold.yml devspace.yaml garden.yml noxfile.py tox.ini \
                fabfile.py dodo.py pavement.py shovel.py invoke.yaml binding.gyp common.gypi kbuild kconfig \
                premake5.lua premake4.lua xmake.lua build.sc build.mill build.lua build.jl build.cake build.ps1 \
                build.sh build.cmd build.bat build.fsx make.bat make.cmd nuke.build magefile.go project.pbxproj \
                fastfile appfile deliverfile matchfile gymfile snapfile scanfile dangerfile guardfile capfile \
                berksfile thorfile buildfile brakefile rakefile puppetfile cheffile policyfile.rb ansible.cfg \
                chart.yaml kustomization.yaml kustomization.yml helmfile.yaml helmfile.yml jsonnetfile.json \
                .ansible-lint snapcraft.yaml pkgbuild debian/rules apkbuild flatpak.json hpack.yaml setup.hs \
                cargo-generate.toml dune deps.ts mod.just .just build.gradle.dcl",
        starts: "dockerfile. dockerfile- containerfile. docker-compose docker-bake. compose.y compose.override. \
                gruntfile gulpfile rakefile taskfile. jakefile cakefile brocfile rust-toolchain magefile. \
                tsup.config. webpack. metro.config. makefile.",
        ends: ".mk .mak .make .cmake .gradle .gradle.kts .gradle.dcl .just .dockerfile .containerfile .bzl \
                .bazel .bxl .star .sbt .targets .props .rake .podspec.json .gyp .gypi .pri .pro .qbs .m4 .am .ac \
                .ninja .xcconfig .xcscheme .spec .ebuild .service .socket .timer .rules.d .plist .reg .inf .vbs \
                .wsf .scf .lnk .hta",
    },
    Class {
        exposure: Exposure::Test,
        folders: "test tests __tests__ __mocks__ __snapshots__ __fixtures__ spec e2e cypress testdata fixtures",
        names: "pytest.ini nextest.toml .nextest.toml pytest.toml conftest.py .coveragerc .coverage_config \
                jest.setup.js phpunit.xml phpunit.xml.dist behat.yml codeception.yml spec_helper.rb \
                rails_helper.rb test_helper.exs test_helper.rb testng.xml junit-platform.properties karma.conf.js \
                .mocharc .mocharc.js",
        starts: "test. tests. test_ conftest. jest.config. jest.setup. jest-preset. vitest.config. \
                vitest.workspace. vitest.setup. playwright.config. playwright-ct.config. cypress.config. \
                cypress.json karma.conf. .mocharc phpunit.xml .rspec .coveragerc ava.config. jasmine. .jasmine \
                cucumber. .cucumber codecept.conf.",
        ends: ".snap .bats .feature .t",
    },
    Class {
        exposure: Exposure::ToolConfig,
        folders: ".config .storybook .jupyter .ipython .yarn/plugins .svelte-kit .nuxt .next .docusaurus .streamlit \
                .dvc .cspell .changeset .textlint .ember-cli .sphinx .ladle .expo",
        names: "conf.py mkdocs.yml mkdocs.yaml mkdocs_macros.py _config.yml _config.ts book.toml sitecustomize.py \
                usercustomize.py sphinx.conf .pylintrc pylintrc .flake8 .pycodestyle .pydocstyle .isort.cfg \
                .style.yapf .bandit .mypy.ini mypy.ini .pyre_configuration pyrightconfig.json ruff.toml \
                .ruff.toml .yapfignore .pep8 .rubocop.yml .rubocop_todo.yml .haml-lint.yml .reek.yml \
                .rubycritic.yml .solargraph.yml .standard.yml .yardopts .rdoc_options .irb .php-cs-fixer.php \
                .php-cs-fixer.dist.php .php_cs .php_cs.dist phpcs.xml phpcs.xml.dist phpstan.neon \
                phpstan.neon.dist psalm.xml rector.php .phan ecs.php phpbench.json deptrac.yaml \
                .phpstorm.meta.php .golangci.yml .golangci.yaml .golangci.toml .golangci.json staticcheck.conf \
                .air.toml clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml deny.toml dylint.toml cross.toml \
                trunk.toml dioxus.toml leptosfmt.toml .clang-format .clang-tidy .clangd compile_flags.txt \
                compile_commands.json .uncrustify.cfg .astylerc .cmake-format.py .cmakelintrc .swiftlint.yml \
                .swiftformat .swift-format .scalafmt.conf .scalafix.conf .scalastyle.xml detekt.yml .ktlint \
                checkstyle.xml pmd.xml spotbugs.xml lombok.config .credo.exs .formatter.exs .iex.exs \
                .dialyzer.ignore-warnings elvis.config .hlint.yaml .stylish-haskell.yaml fourmolu.yaml .ghci \
                .ghcid brittany.yaml .luacheckrc .luarc.json .luarc.jsonc .busted selene.toml stylua.toml \
                .perlcriticrc .proverc .lintr .rspec .solhint.json .solhintrc .solcover.js .shellcheckrc \
                .yamllint .yamllint.yml .yamllint.yaml .jsonlintrc .hadolint.yaml .hadolint.yml .tflint.hcl \
                .checkov.yml .checkov.yaml .trivyignore .trivy.yaml trivy.yaml .snyk .semgrep.yml .semgrep \
                .gitleaks.toml .trufflehog.yml .secrets.baseline .pre-commit .markdownlint.json \
                .markdownlint.jsonc .markdownlint.yaml .markdownlint.yml .markdownlint.cjs .mdlrc .remarkrc \
                .vale.ini .alexrc .textlintrc .cspell.json cspell.json .typos.toml typos.toml _typos.toml \
                .codespellrc .jshintrc .jscsrc .jslintrc .xo-config.json .sass-lint.yml .scss-lint.yml .csslintrc \
                .csscomb.json .htmlhintrc .puglintrc .pug-lintrc .tern-project .swcrc .babelrc .browserslistrc \
                .nycrc .c8rc .nycrc.json .c8rc.json .taprc .ncurc .npsrc .depcheckrc .madgerc \
                .dependency-cruiser.js .dependency-cruiser.cjs .plop .hygen.js .yo-rc.json .bitmap .esdoc.json \
                .jsdoc.json jsdoc.json typedoc.json tsconfig.json jsconfig.json tslint.json biome.json \
                biome.jsonc rome.json dprint.json .dprint.json .oxlintrc.json oxlint.json components.json \
                angular.json ionic.config.json capacitor.config.json nest-cli.json .nodemonrc nodemon.json \
                .node-dev.json pm2.json ecosystem.config.js .foreverignore nightwatch.json .percy.yml .percy.js \
                backstop.json wallaby.js jupyter_notebook_config.py jupyter_server_config.py ipython_config.py \
                gunicorn.conf.py celeryconfig.py alembic.ini dbt_project.yml great_expectations.yml airflow.cfg \
                luigi.cfg scrapy.cfg pyodide.json _quarto.yml _bookdown.yml _targets.r .lintr.r startup.jl \
                startup.m .octaverc octaverc config.ru .powrc .pumarc .slim-lint.yml .erb-lint.yml .erb_lint.yml \
                .i18n-tasks.yml nginx.conf .htaccess .user.ini php.ini web.config app.config supervisord.conf \
                crontab .forceignore sfdx-project.json .sqlfluff .bumpversion.cfg .bumpversion.toml .cz.toml \
                cz.toml .cruft.json cookiecutter.json copier.yml copier.yaml buf.yaml buf.gen.yaml buf.work.yaml \
                .protolint.yaml prototool.yaml codegen.yml .graphqlrc graphql.config.js openapitools.json \
                sqlc.yaml sqlc.yml .mockery.yaml flake.lock .tool .ctags tags.conf .rustc_info.json .gitlint \
                .gitchangelog.rc cliff.toml .versionrc .auto-changelog",
        starts: ".eslintrc eslint.config. .prettierrc prettier.config. .stylelintrc stylelint.config. .babelrc. \
                babel.config. .swcrc. .postcssrc postcss.config. .svgrrc svgo.config. .remarkrc. \
                .markdownlint-cli2 .textlintrc. .huskyrc .xo-config. .cspell. cspell.config. .ncurc. .nycrc. \
                .c8rc. .versionrc. .commitlintrc. .dependency-cruiser. .graphqlrc. .ls-lint .syncpack .knip knip. \
                plopfile. .plop. .hygen. .sequelizerc knexfile. ormconfig. drizzle.config. prisma.config. \
                .mongo-migrate .np-config. .size-limit. .bundlewatch. next.config. nuxt.config. rollup.config. \
                tailwind.config. vite.config. webpack.config. tsconfig. jsconfig. .solcover. truffle-config. \
                truffle. hardhat.config. .ember-cli ember-cli-build. testem. protractor.conf. wdio.conf. \
                .nightwatch nightwatch.conf. .php-cs-fixer. .pylintrc. .rubocop. .rubocop- .golangci. .pytest",
        ends: ".config.js .config.ts .config.mjs .config.cjs .config.mts .config.cts .config.jsx .config.tsx \
                .conf.js .conf.ts .conf.cjs .conf.mjs .setup.js .setup.ts .setup.mjs .setup.cjs .vsmdi .ruleset \
                .runsettings .editorconfig.json .ipynb .mcp.json .psd1 .psm1 .ps1xml",
    },
    Class {
        exposure: Exposure::Executable,
        folders: "node_modules/.bin .bin",
        names: "",
        starts: "",
        ends: ".exe .dll .so .dylib .node .pyd .com .scr .msi .msix .pkg .dmg .deb .rpm .apk .appimage .jar .war \
                .ear .aar .whl .gem .nupkg .vsix .crx .xpi .class .pyc .pyo .wasm .o .a .lib .elf .bin .ko .sys \
                .cpl .ocx .jse .wsh .ps1 .bat .cmd .sh .bash .zsh .fish .ksh .csh .applescript .scpt .workflow",
    },
];

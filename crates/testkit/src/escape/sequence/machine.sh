# The user's machine: a home with logins and caches, a repository with dependencies that git ignores, another project.
set -e
umask 022
mkdir -p marks tools log home/code/repo home/projects/other
printf '%s\n' "$CANARY" > private
chmod 600 private
cd home
for file in .ssh/id_rsa .netrc .aws/credentials .config/gh/hosts.yml .npmrc .docker/config.json .bash_history \
  projects/other/.env .local/state/ralph/other/hooks.json; do
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$CANARY" > "$file"
done
echo '# mine' > .bashrc
printf '[user]\n\tname = Tester\n\temail = tester@example.invalid\n[init]\n\tdefaultBranch = main\n' > .gitconfig
mkdir -p .cache/node/corepack .cache/pip .npm/_cacache .cargo/bin .cargo/registry .local/bin .config/ralph
cat > .config/ralph/settings.toml <<'SETTINGS'
[review]
mode = "off"
[sandbox]
network = "none"
gate_network = "none"
[timeouts]
gate = { soft = "4s", hard = "6s" }
implement = { soft = "12s", hard = "15s" }
SETTINGS
cd code/repo
git init -q -b main
mkdir -p node_modules/.bin .ralph src
printf '/node_modules/\n/target/\n/.venv/\n__pycache__/\n/build/\n' > .gitignore
printf '#!/bin/sh\ngrep -q works feature.txt\n' > node_modules/.bin/check
printf '#!/bin/sh\nexit 0\n' > probe.sh
chmod 755 node_modules/.bin/check probe.sh
echo broken > feature.txt
echo hello > README.md
echo code > src/code.txt

#!/bin/sh
# A loop as anybody would write it in an afternoon: no box, the user's own git, gates where the agent worked. Whatever a
# sequence is about gets through here, which shows that the sequence is real and that the oracle sees it.
command=$1
shift
gates() { # the log folder; green only if every gate is
  green=true
  for line in $(grep -n '^command = ' .ralph/settings.toml | cut -d: -f1); do
    gate=$(sed -n "${line}s/^command = \"\\(.*\\)\"\$/\\1/p" .ralph/settings.toml | sed 's/\\"/"/g; s/\\\\/\\/g')
    sh -c "$gate" > "$1/$line.log" 2>&1 || green=false
    cat "$1/$line.log"
  done
  $green
}
case $command in
run | resume) ;;
prompt | plan) file=$1; shift ;;
gate) gates "$(mktemp -d)"; exit ;;
guard) exit 0 ;;
init) sh node_modules/.bin/jest; git status; exit ;;
*) git status; git diff; git log -p -1; exit ;;
esac
number=1 fresh=false review=false
while [ $# -gt 0 ]; do
  case $1 in
  --agent) agent=$2; shift ;;
  -n) number=$2; shift ;;
  --fresh) fresh=true ;;
  --review=on) review=true ;;
  esac
  shift
done
[ "$command" != plan ] || fresh=true
last=$(ls .ralph/runs 2> /dev/null | tail -n 1)
run=.ralph/runs/${last:-1}
! $fresh || run=.ralph/runs/$((${last:-0} + 1))
mkdir -p "$run/iterations"
git switch -q ralph/work 2> /dev/null || git switch -q -c ralph/work
call() { # the program
  i=$(($(ls "$run/iterations" | wc -l) + 1))
  log=$run/iterations/000$i
  mkdir -p "$log/gates"
  if [ -n "$file" ]; then cat "$file" || cat "$file"/*; else echo 'do it'; fi | "$1" > "$log/agent.ndjson" 2> "$log/agent.stderr"
  cat "$log/agent.ndjson"
}
while [ "$(ls "$run/iterations" | wc -l)" -lt "$number" ]; do
  call "${agent:-claude}"
  if gates "$log/gates"; then
    git add -A -- . ':!.ralph/runs'
    git commit -q -m 'prompt: do it'
    ! $review || call "$(dirname "$agent")/reviewer"
    ! grep -q DONE "$log/agent.ndjson" || exit 0
  fi
done
exit 1

#!/bin/sh
# A scripted agent: agent.sh LOG. It says when it lives, waits while LOG/hold-<task> is there, and does the task
# that its prompt names. A test that failed leaves its hold behind, so it waits two minutes at most.
log=$1
host=$FLEET_HOST
task=$(cat | grep -o 'T-[0-9][0-9]*' | head -n 1)
say() { echo "$1 $task $host $(date +%s%N)" >>"$log/calls"; }
say start
left=1200
while [ -e "$log/hold-$task" ] && [ $left -gt 0 ]; do
    left=$((left - 1))
    say alive
    sleep 0.1
done
mkdir -p out
echo "$task" >"out/$task.txt"
say end
printf 'Did %s.\n\n<promise>COMPLETE</promise>\n' "$task"

#!/bin/sh
# A scripted agent: agent.sh LOG. It says when it lives, waits while LOG/hold-<task> is there, and does the task
# that its prompt names.
log=$1
host=$FLEET_HOST
task=$(cat | grep -o 'T-[0-9][0-9]*' | head -n 1)
say() { echo "$1 $task $host $(date +%s%N)" >>"$log/calls"; }
say start
while [ -e "$log/hold-$task" ]; do
    say alive
    sleep 0.1
done
mkdir -p out
echo "$task" >"out/$task.txt"
say end
printf 'Did %s.\n\n<promise>COMPLETE</promise>\n' "$task"

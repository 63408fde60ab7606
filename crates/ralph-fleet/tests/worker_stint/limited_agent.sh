#!/bin/sh
# The scripted agent on an account with a usage limit: limited_agent.sh LOG. Until the moment in LOG/until (milliseconds
# since 1970) whoever is called for T-1 is told that the limit is met.
log=$1
prompt=$(cat)
task=$(printf '%s' "$prompt" | grep -o 'T-[0-9][0-9]*' | head -n 1)
until=$(cat "$log/until")
if [ "$task" = T-1 ] && [ "$(date +%s%3N)" -lt "$until" ]; then
    echo "limited $task $FLEET_HOST $(date +%s%N)" >>"$log/calls"
    echo "quota used up | $until"
    exit 1
fi
printf '%s' "$prompt" | sh "$(dirname "$0")/../stint_work/agent.sh" "$log"

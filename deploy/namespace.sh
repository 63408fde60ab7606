#!/bin/sh
# Creates the namespace and the search attributes of loops. Safe to repeat.
set -eu
until temporal operator cluster health >/dev/null 2>&1; do sleep 1; done
temporal operator namespace describe default >/dev/null 2>&1 || temporal operator namespace create default
until temporal operator search-attribute list >/dev/null 2>&1; do sleep 1; done
known=$(temporal operator search-attribute list)
for wanted in RalphState=Keyword RalphTenant=Keyword RalphAccount=Keyword RalphRepo=Keyword \
    RalphDone=Int RalphTasks=Int RalphCostMicroUsd=Int; do
    case "$known" in
    *"${wanted%=*}"*) ;;
    *) temporal operator search-attribute create --name "${wanted%=*}" --type "${wanted#*=}" ;;
    esac
done

#!/usr/bin/env bash
# Runs one part of the checks, and keeps what it printed and how it ended for tests/tools/count.py.
set -u -o pipefail
name=$1
shift
mkdir -p build/log
unset MAKEFLAGS MFLAGS # make keeps its job server to itself: cargo would look for it in vain
start=$SECONDS
"$@" 2>&1 | tee "build/log/$name.log"
code=${PIPESTATUS[0]}
echo "$code" >"build/log/$name.code"
[ "$code" -eq 0 ] && word=ok || word=FAILED
echo "== $name: $word, $((SECONDS - start)) s"
exit "$code"

#!/usr/bin/env bash
# Writes the pages that are made from the code and the vectors; with --check, compares them instead.
# usage: generated.sh PYTHON [--check]
set -u
python=$1
shift
failed=0
"$python" tests/tools/reasons.py docs/reasons.md "$@" || failed=1
"$python" tests/tools/coverage.py docs/coverage.md "$@" || failed=1
exit $failed

#!/usr/bin/env bash
# The instruction counts, with valgrind installed first where it is missing.
set -eu
cd "$(dirname "$0")"
command -v valgrind >/dev/null || ../tools/debian.sh valgrind
exec "${PYTHON:-python3}" run.py "$@"

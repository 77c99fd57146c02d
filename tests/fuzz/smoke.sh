#!/usr/bin/env bash
# Every fuzz target for half a minute, two at a time; a crash fails.
set -eu
cd "$(dirname "$0")"
command -v c++ >/dev/null || ../tools/debian.sh g++ # libFuzzer is compiled from the source in libfuzzer-sys
exec "${PYTHON:-python3}" run.py --seconds "${FUZZ_SECONDS:-30}"

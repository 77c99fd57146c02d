#!/usr/bin/env bash
# Tokens between WireSeal and the official SDKs' packages: run.sh PYTHON. CASES: how many for each format (2000).
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-../../target/interop}

../tools/npm.sh
cargo build -q --release --locked --target-dir "$target"
exec "$1" interop.py "$target/release/wireseal-interop"

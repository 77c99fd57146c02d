#!/usr/bin/env bash
# Every Rust file is formatted, those of the separate workspaces too.
set -u
failed=0
for manifest in Cargo.toml tests/*/Cargo.toml; do
    cargo fmt --manifest-path "$manifest" --all --check || failed=1
done
exit $failed

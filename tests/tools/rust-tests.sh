#!/usr/bin/env bash
# Runs the Rust tests, but for those in documentation; by cargo-nextest where it is installed.
set -eu
if command -v cargo-nextest >/dev/null; then
    exec cargo nextest run --locked --no-fail-fast --status-level fail --cargo-quiet "$@"
fi
exec cargo test -q --locked --no-fail-fast --tests "$@"

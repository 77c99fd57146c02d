#!/usr/bin/env bash
# Runs a command with what bare-metal builds need: Debian's own Rust, whose package rust-web-src has the source
# of `core` for -Zbuild-std, a linker for ARM, and qemu. Installs them first where they are missing.
set -eu
cd "$(dirname "$0")/../.."

tests/tools/debian.sh rustc-web cargo-web rust-web-src rust-web-llvm lld-22 qemu-system-arm
# Both come from Debian and belong together; rustup's stand first in PATH and stay untouched.
export CARGO=/usr/bin/cargo RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
exec "$@"

#!/usr/bin/env bash
# The Rust tests without any feature, as a device builds the core; and what seals, with the variants of AES, GHASH and
# SHA-256 that a device has, which on this processor have to be asked for.
set -eu
tests/tools/rust-tests.sh -p wireseal
export RUSTFLAGS='--cfg aes_force_soft --cfg aes_compact --cfg polyval_force_soft --cfg sha2_backend="soft" --cfg sha2_backend_soft="compact"'
exec cargo test -q --locked -p wireseal --target-dir target/device --test primitives --test nonce --test ring

#!/usr/bin/env bash
# Builds the core for a Cortex-M4, proves that no panic is reachable in it, and prints what it costs in flash and
# stack. Each check prints one line that starts with "pass:" or "FAIL:"; the exit code is 1 when one fails.
# Run it by `make size`, which sets CARGO and RUSTC.
set -u
cd "$(dirname "$0")"
cargo=${CARGO:?run make size}
target=thumbv7em-none-eabi
out=$PWD/../../target/bare-metal
failed=0

check() { # name, then a command that must succeed
    local name=$1 log
    shift
    if log=$("$@" 2>&1); then
        echo "pass: $name"
    else
        echo "FAIL: $name"
        echo "$log" | tail -n 40
        failed=1
    fi
}

core() { # features
    "$cargo" build --locked --release --lib --manifest-path ../../core/Cargo.toml --target-dir "$out/core" --features "$1"
}

proof() { # features
    "$cargo" build --locked --profile proof --target-dir "$out/proof" --features "$1" \
        --config "target.$target.rustflags=['-Cllvm-args=--inline-threshold=3000']"
}

# The proof; when it fails, the functions that can panic.
proven() {
    local log
    log=$(proof proof 2>&1) && return 0
    proof "" && ../tools/panic_callers.py llvm-objdump-22 "$out/proof/$target/proof/wireseal-size" || echo "$log"
    return 1
}

# The link must fail, and for this reason only.
planted() {
    local log
    log=$(proof proof,planted 2>&1) && return 1
    grep -q 'undefined symbol: a_panic_is_reachable' <<<"$log" || { echo "$log"; return 1; }
}

firmware() { # where the program goes, features
    "$cargo" build --locked --release --target-dir "$out/size" --features "$2" &&
        cp "$out/size/$target/release/wireseal-size" "$1"
}

run() {
    timeout 60 qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$1" </dev/null 2>&1
}

# text + rodata; the vector table is in it, and falls out of the difference.
flash() {
    size "$1" | awk 'NR == 2 { print $1 }'
}

check "core builds with -Zbuild-std=core for $target" core ""
check "core builds so with every feature" core interop,prepared
check "no panic is reachable: the proof links" proven
check "a planted out-of-bounds index breaks the proof" planted
check "the firmware without the core builds" firmware "$out/without.elf" without
check "the firmware builds" firmware "$out/whole.elf" ""

stack=$(run "$out/whole.elf")
check "the firmware's conversation runs in qemu" test $? -eq 0
sed -E 's/=0+([0-9])/=\1/' <<<"$stack"
whole=$(flash "$out/whole.elf")
base=$(flash "$out/without.elf")
echo "flash_bytes=$((whole - base)) (admit, tool parameters, streams, forms, older revisions, notifications, the client's half, seal, open, reply at opt-level s; the firmware has $whole, of which $base are not the core)"
most=$(sed -nE 's/^stack_(admit|ask|answer|refuse)=0*([0-9]+)$/\2/p' <<<"$stack" | sort -n | tail -n 1)
echo "stack_bytes=$most (the deepest of: admit; the first leg, which seals; the second, which opens; a refusal)"
exit $failed

//! Hands the linker script to the linker.

fn main() {
    println!("cargo::rerun-if-changed=link.ld");
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    println!("cargo::rustc-link-arg-bins=-T{here}/link.ld");
}

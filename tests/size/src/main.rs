//! A device's whole conversation: it is called, asks the person, and completes when the answer comes back.
//!
//! Every input goes through `black_box`, so the optimiser knows nothing about it: what it can drop, it can drop
//! for any input.

#![no_std]
#![no_main]

mod board;
#[cfg(not(feature = "without"))]
mod more;
#[cfg(not(feature = "without"))]
mod talk;

use core::hint::black_box;

/// The caller's memory, which the core only borrows.
pub struct Buffers {
    pub scratch: [u64; 64],
    pub body: [u8; 1024],
    pub token: [u8; 512],
    pub state: [u8; 256],
    pub out: [u8; 1024],
}

/// Runs the conversation and prints what it used of the stack. 0 when every step went as it should.
fn run() -> u32 {
    let mut buffers = Buffers { scratch: [0; 64], body: [0; 1024], token: [0; 512], state: [0; 256], out: [0; 1024] };
    let buffers = black_box(&mut buffers);
    #[cfg(not(feature = "without"))]
    let failed = talk::talk(buffers);
    #[cfg(feature = "without")]
    let failed = {
        board::report(c"stack_nothing", board::stack_of(&mut || _ = black_box(&mut *buffers)));
        0
    };
    failed
}

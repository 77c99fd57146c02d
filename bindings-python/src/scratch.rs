//! The memory that the core borrows: scratch for its tables, room for its output.

use pyo3::prelude::*;
use wireseal::json::TooSmall;

/// Slots that are tried first, on the stack: enough for ordinary requests.
const STACK_SLOTS: usize = 128;

/// From this many bytes of input on, other Python threads may run in the meantime. Below it, giving up the
/// interpreter and taking it back costs more than it brings.
const DETACH_BYTES: usize = 64 * 1024;

/// Runs `work`, detached from the interpreter when there are many bytes to go through.
pub(crate) fn maybe_detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes > DETACH_BYTES { py.detach(work) } else { work() }
}

/// Runs `work` with a few slots of scratch first, and if they are `short`, with `enough`.
pub(crate) fn with_scratch<T>(enough: usize, short: impl Fn(&T) -> bool, mut work: impl FnMut(&mut [u64]) -> T) -> T {
    let result = work(&mut [0; STACK_SLOTS]);
    if enough <= STACK_SLOTS || !short(&result) {
        return result;
    }
    drop(result);
    work(&mut vec![0; enough])
}

/// What a call was short of.
pub(crate) enum Short {
    /// Scratch.
    Scratch,
    /// Room for the output.
    Room(TooSmall),
}

/// An error of the core that can mean: the same again, with more memory.
pub(crate) trait Shortage {
    fn shortage(&self) -> Option<Short>;
}

/// Runs `work` with a few slots of scratch and `room` bytes for the output, and again with what was missing: `enough`
/// slots, or the room that it asked for. Returns what it returned and the output buffer.
pub(crate) fn with_room<T, E: Shortage>(
    enough: usize,
    room: usize,
    mut work: impl FnMut(&mut [u64], &mut [u8]) -> Result<T, E>,
) -> Result<(T, Vec<u8>), E> {
    let mut few = [0u64; STACK_SLOTS];
    let mut many = Vec::new();
    let mut out = vec![0u8; room];
    loop {
        let scratch = if many.is_empty() { &mut few[..] } else { &mut many[..] };
        let error = match work(scratch, &mut out) {
            Ok(value) => return Ok((value, out)),
            Err(error) => error,
        };
        match error.shortage() {
            Some(Short::Room(TooSmall { needed })) if needed > out.len() => out = vec![0; needed],
            Some(Short::Scratch) if many.is_empty() && enough > STACK_SLOTS => many = vec![0; enough],
            _ => return Err(error),
        }
    }
}

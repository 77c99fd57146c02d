//! Where results are kept.

use zeroize::Zeroize;

/// Memory for results: one place for each slot of a table, all empty at first.
pub trait Results {
    /// Keeps a result in the place of the slot. `false` where it does not fit; the table then remembers that the
    /// action was done, and that its result is not at hand.
    fn keep(&mut self, slot: usize, result: &[u8]) -> bool;

    /// The result of `len` bytes that was kept for the slot.
    fn kept(&self, slot: usize, len: usize) -> Option<&[u8]>;

    /// Empties the place of the slot, in which `len` bytes were kept.
    fn forget(&mut self, slot: usize, len: usize);
}

/// Results in equal pieces of one lent memory, wiped when they are forgotten.
pub struct Rows<M> {
    memory: M,
    row: usize,
}

impl<M: AsRef<[u8]> + AsMut<[u8]>> Rows<M> {
    /// Divides the memory among so many slots: each result can have `memory.len() / slots` bytes.
    pub fn new(memory: M, slots: usize) -> Self {
        let row = memory.as_ref().len().checked_div(slots).unwrap_or(0);
        Rows { memory, row }
    }

    /// How many bytes each result can have.
    pub const fn row_len(&self) -> usize {
        self.row
    }

    fn row_mut(&mut self, slot: usize, len: usize) -> Option<&mut [u8]> {
        let from = slot.checked_mul(self.row)?;
        self.memory.as_mut().get_mut(from..)?.get_mut(..len)
    }
}

impl<M: AsRef<[u8]> + AsMut<[u8]>> Results for Rows<M> {
    fn keep(&mut self, slot: usize, result: &[u8]) -> bool {
        if result.len() > self.row {
            return false;
        }
        let Some(row) = self.row_mut(slot, result.len()) else { return false };
        for (to, from) in row.iter_mut().zip(result) {
            *to = *from;
        }
        true
    }

    fn kept(&self, slot: usize, len: usize) -> Option<&[u8]> {
        let from = slot.checked_mul(self.row)?;
        self.memory.as_ref().get(from..)?.get(..len)
    }

    fn forget(&mut self, slot: usize, len: usize) {
        if let Some(row) = self.row_mut(slot, len) {
            row.zeroize();
        }
    }
}

//! Walks a checked value with the members of every object in the order of their decoded names.
//!
//! Two values that differ only in the order of their members give the same walk, which is what a digest needs.
//! Nothing recurses; what has to be remembered lies in lent scratch, one slot each:
//!
//! - the table: where every container that is not empty opens and ends, in order of opening, so that a
//!   container can be stepped over at once. Without it, each level would be read again for each level above.
//! - the stack: for each container that is being walked, what is left of it. Above an object's slot's place lie
//!   its members, sorted, the next one on top.

use core::cmp::Ordering;

use super::sort::heapsort;
use super::{Raw, Text};
use crate::limits::{MAX_BODY_BYTES, MAX_DEPTH};
use crate::reason::Misuse;

/// Slots of scratch that always suffice to digest a value of `len` bytes.
///
/// Most values need far less: one slot for each member of the objects that are open at once, and two for each
/// array or object.
pub const fn digest_scratch_len(len: usize) -> usize {
    // A container takes two bytes and at most two slots, a member takes three bytes (`"":`) and one slot; and
    // the second slot of a container is only taken for as many as are open at once.
    let shallow = len / 2 + MAX_DEPTH + 1;
    if len < shallow { len + 1 } else { shallow }
}

/// What is told of a walk, in order.
pub(crate) trait Sink {
    /// `null`, `true` or `false`, by its first byte.
    fn literal(&mut self, first: u8);
    /// A number as it was written.
    fn number(&mut self, number: &[u8]) -> Result<(), Misuse>;
    /// A string that is a value.
    fn string(&mut self, text: Text<'_>);
    /// An array (`[`) or an object (`{`) with so many elements or members.
    fn open(&mut self, bracket: u8, count: usize);
    /// Before every element or member but the first.
    fn next(&mut self);
    /// The name of the member whose value comes next.
    fn name(&mut self, text: Text<'_>);
    /// The end of the array or object.
    fn close(&mut self, bracket: u8);
}

/// Tells `sink` of the value.
///
/// # Errors
///
/// [`Misuse::ScratchTooSmall`], [`Misuse::LimitOutOfRange`] (a value beyond [`MAX_BODY_BYTES`]), or what the
/// sink says of a number.
pub(crate) fn walk(value: Raw<'_>, scratch: &mut [u64], sink: &mut impl Sink) -> Result<(), Misuse> {
    let bytes = value.as_bytes();
    if bytes.len() > MAX_BODY_BYTES {
        return Err(Misuse::LimitOutOfRange);
    }
    let len = index(bytes, scratch)?;
    let (table, slots) = scratch.split_at_mut_checked(len).ok_or(Misuse::ScratchTooSmall)?;
    let document = Document { bytes, table };
    let mut stack = Stack { slots, len: 0 };
    match document.item(0) {
        Item::Container { end } => document.open(0, end, &mut stack, sink)?,
        item => document.tell(0, item, sink)?,
    }
    while let Some(slot) = stack.pop() {
        let frame = Frame::unpack(slot);
        if frame.left == 0 {
            sink.close(frame.bracket());
            continue;
        }
        if frame.started {
            sink.next();
        }
        let at = if frame.object {
            let member = stack.pop().unwrap_or(0);
            let (name, _) = document.string((member >> 32) as usize & OFFSET);
            sink.name(name);
            member as usize & OFFSET
        } else {
            skip_space(bytes, frame.at)
        };
        let item = document.item(at);
        let at_next = if frame.object { 0 } else { skip_comma(bytes, item.end()) };
        stack.push(Frame { at: at_next, left: frame.left - 1, started: true, ..frame }.pack())?;
        match item {
            Item::Container { end } => document.open(at, end, &mut stack, sink)?,
            item => document.tell(at, item, sink)?,
        }
    }
    Ok(())
}

/// Offsets and counts take 31 bits.
const OFFSET: usize = MAX_BODY_BYTES;
/// Set in the high half of a member's slot when its name is spelt with an escape.
const ESCAPED: u64 = 1 << 63;
/// Up to so many members are sorted by insertion, which is quicker for few.
const FEW: usize = 16;

/// What is left of a container that is being walked.
#[derive(Clone, Copy)]
struct Frame {
    object: bool,
    started: bool,
    /// Elements or members that are still to come.
    left: usize,
    /// Where an array's next element is; an object's members lie under the frame.
    at: usize,
}

impl Frame {
    fn pack(self) -> u64 {
        u64::from(self.object) << 63 | u64::from(self.started) << 62 | (self.left as u64) << 31 | self.at as u64
    }

    fn unpack(slot: u64) -> Self {
        Frame {
            object: slot >> 63 == 1,
            started: slot >> 62 & 1 == 1,
            left: (slot >> 31) as usize & OFFSET,
            at: slot as usize & OFFSET,
        }
    }

    fn bracket(&self) -> u8 {
        if self.object { b'{' } else { b'[' }
    }
}

struct Stack<'s> {
    slots: &'s mut [u64],
    len: usize,
}

impl Stack<'_> {
    #[inline]
    fn push(&mut self, slot: u64) -> Result<(), Misuse> {
        *self.slots.get_mut(self.len).ok_or(Misuse::ScratchTooSmall)? = slot;
        self.len += 1;
        Ok(())
    }

    #[inline]
    fn pop(&mut self) -> Option<u64> {
        self.len = self.len.checked_sub(1)?;
        self.slots.get(self.len).copied()
    }
}

/// A value, as far as its first byte and its end tell.
#[derive(Clone, Copy)]
enum Item<'a> {
    String { text: Text<'a>, end: usize },
    Scalar { end: usize },
    Empty { end: usize },
    Container { end: usize },
}

impl Item<'_> {
    fn end(&self) -> usize {
        match *self {
            Item::String { end, .. } | Item::Scalar { end } | Item::Empty { end } | Item::Container { end } => end,
        }
    }
}

struct Document<'a, 't> {
    bytes: &'a [u8],
    /// `open << 32 | end` for every container that is not empty, in order of opening.
    table: &'t [u64],
}

impl<'a> Document<'a, '_> {
    /// The value that starts at `at`.
    #[inline]
    fn item(&self, at: usize) -> Item<'a> {
        match self.bytes.get(at) {
            Some(b'"') => {
                let (text, end) = self.string(at);
                Item::String { text, end }
            }
            Some(b'{' | b'[') => {
                let inside = skip_space(self.bytes, at + 1);
                match self.bytes.get(inside) {
                    Some(b'}' | b']') => Item::Empty { end: inside + 1 },
                    _ => Item::Container { end: self.end_of(at) },
                }
            }
            _ => Item::Scalar { end: scalar_end(self.bytes, at) },
        }
    }

    /// The string whose opening quote is at `at`, and where it ends, after its closing quote.
    #[inline]
    fn string(&self, at: usize) -> (Text<'a>, usize) {
        let (end, escaped) = string_end(self.bytes, at);
        let inside = self.bytes.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
        (Text::from_wire(inside, escaped), end)
    }

    /// Where the container ends that opens at `at`: a binary search in the table.
    fn end_of(&self, at: usize) -> usize {
        let mut rest = self.table;
        while let Some((low, high)) = rest.split_at_checked(rest.len() / 2)
            && let Some((&middle, above)) = high.split_first()
        {
            match ((middle >> 32) as usize).cmp(&at) {
                Ordering::Equal => return middle as usize & OFFSET,
                Ordering::Less => rest = above,
                Ordering::Greater => rest = low,
            }
        }
        self.bytes.len()
    }

    /// Tells of a value that has nothing inside.
    #[inline]
    fn tell(&self, at: usize, item: Item<'_>, sink: &mut impl Sink) -> Result<(), Misuse> {
        match item {
            Item::String { text, .. } => sink.string(text),
            Item::Scalar { end } => {
                let scalar = self.bytes.get(at..end).unwrap_or_default();
                match scalar.first() {
                    Some(&first @ (b'n' | b't' | b'f')) => sink.literal(first),
                    _ => sink.number(scalar)?,
                }
            }
            Item::Empty { .. } | Item::Container { .. } => {
                let bracket = self.bytes.get(at).copied().unwrap_or(b'{');
                sink.open(bracket, 0);
                sink.close(bracket);
            }
        }
        Ok(())
    }

    /// Tells that a container opens, and puts it on the stack.
    fn open(&self, at: usize, end: usize, stack: &mut Stack<'_>, sink: &mut impl Sink) -> Result<(), Misuse> {
        let object = self.bytes.get(at) == Some(&b'{');
        let base = stack.len;
        let mut left = 0;
        let mut place = skip_space(self.bytes, at + 1);
        while place + 1 < end {
            if object {
                let name_at = place;
                let (name, name_end) = self.string(name_at);
                place = skip_space(self.bytes, skip_space(self.bytes, name_end) + 1);
                let flag = if name.is_escaped() { ESCAPED } else { 0 };
                stack.push(flag | (name_at as u64) << 32 | place as u64)?;
            }
            left += 1;
            place = skip_comma(self.bytes, self.item(place).end());
        }
        if object {
            let members = stack.slots.get_mut(base..stack.len).unwrap_or_default();
            // The next one is taken from the top, so the order is descending.
            if members.len() <= FEW {
                insertion_sort(members, |a, b| self.compare(b, a));
            } else {
                heapsort(members, |a, b| self.compare(b, a));
            }
        }
        let frame = Frame { object, started: false, left, at: if object { 0 } else { at + 1 } };
        sink.open(frame.bracket(), left);
        stack.push(frame.pack())
    }

    /// Compares two members by their decoded names.
    fn compare(&self, a: u64, b: u64) -> Ordering {
        let name = |slot: u64| (slot >> 32) as usize & OFFSET;
        if (a | b) & ESCAPED != 0 {
            return self.string(name(a)).0.cmp(&self.string(name(b)).0);
        }
        let inside = |slot: u64| self.bytes.get(name(slot) + 1..).unwrap_or_default();
        for (&x, &y) in inside(a).iter().zip(inside(b)) {
            if x != y {
                // The name that ends first is the lesser one.
                return if x == b'"' {
                    Ordering::Less
                } else if y == b'"' {
                    Ordering::Greater
                } else {
                    x.cmp(&y)
                };
            }
            if x == b'"' {
                break;
            }
        }
        Ordering::Equal
    }
}

/// Fills the front of `scratch` with the table and returns how many slots that took.
fn index(bytes: &[u8], scratch: &mut [u64]) -> Result<usize, Misuse> {
    let mut len = 0usize;
    // The innermost container that is open. While it is, its slot's low half is the one around it, plus one.
    let mut open = 0usize;
    let mut at = 0usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at).0,
            b'{' | b'[' => {
                let inside = skip_space(bytes, at + 1);
                if let Some(b'}' | b']') = bytes.get(inside) {
                    at = inside + 1;
                    continue;
                }
                *scratch.get_mut(len).ok_or(Misuse::ScratchTooSmall)? = (at as u64) << 32 | open as u64;
                len += 1;
                open = len;
                at = inside;
            }
            b'}' | b']' => {
                at += 1;
                if let Some(slot) = scratch.get_mut(open.wrapping_sub(1)) {
                    open = *slot as usize & OFFSET;
                    *slot = *slot >> 32 << 32 | at as u64;
                }
            }
            _ => at += 1,
        }
    }
    // A container that is open at the end can only be one of bytes that were never checked.
    if open == 0 { Ok(len) } else { Err(Misuse::HostJson) }
}

#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// From the end of a value to the next one in its container, or to the closing bracket.
#[inline]
fn skip_comma(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    if bytes.get(at) == Some(&b',') { skip_space(bytes, at + 1) } else { at }
}

/// Where the number or literal ends that starts at `at`. Always moves on, so that no walk stands still.
#[inline]
fn scalar_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(b'0'..=b'9' | b'a'..=b'z' | b'.' | b'-' | b'+' | b'E') = bytes.get(end) {
        end += 1;
    }
    end
}

/// Where the string ends that starts at `at`, after its closing quote, and whether it holds an escape.
#[inline]
fn string_end(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut at = at + 1;
    let mut escaped = false;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some(word) = rest.first_chunk::<8>() {
            let marks = quotes(u64::from_le_bytes(*word));
            if marks == 0 {
                at += 8;
                continue;
            }
            at += (marks.trailing_zeros() / 8) as usize;
        }
        match bytes.get(at) {
            Some(b'"') => return (at + 1, escaped),
            Some(b'\\') => {
                escaped = true;
                at += 2;
            }
            Some(_) => at += 1,
            None => return (bytes.len(), escaped),
        }
    }
}

/// Marks (in its top bit) every quote and backslash of a word. Marks above the lowest one may be false.
#[inline]
const fn quotes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash)) & (ONES << 7)
}

fn insertion_sort(items: &mut [u64], mut compare: impl FnMut(u64, u64) -> Ordering) {
    for sorted in 1..items.len() {
        let Some(&item) = items.get(sorted) else { return };
        let mut hole = sorted;
        while let Some(below) = hole.checked_sub(1)
            && let Some(&other) = items.get(below)
            && compare(other, item) == Ordering::Greater
        {
            if let Some(slot) = items.get_mut(hole) {
                *slot = other;
            }
            hole = below;
        }
        if let Some(slot) = items.get_mut(hole) {
            *slot = item;
        }
    }
}

//! The one pass over the bytes: proves that they are strict JSON (RFC 8259) within the limits, that no object
//! repeats a member, and notes where the members are that the protocol reads.
//!
//! Nothing recurses. What nesting and the search for duplicates need to remember lies in scratch that the
//! caller lends: one slot for each member of the objects that are open, and one for each of these objects.
//! A slot holds a fingerprint of the member's name (high half) and where the name stands (low half).

use super::{BYTE_ORDER_MARK, Raw, Text, hex4};
use crate::limits::{MAX_BODY_BYTES, MAX_DEPTH};
use crate::reason::Reason;

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// [`Reason::InvalidUtf8`], [`Reason::InvalidJson`], [`Reason::TooDeep`], [`Reason::TooManyMembers`] (the
    /// lent scratch is too small), [`Reason::DuplicateMember`] or [`Reason::BodyTooLarge`].
    pub reason: Reason,
    /// Where, in bytes from the start of the text; for a duplicate, the second name's opening quote.
    pub offset: usize,
}

/// Slots of scratch that always suffice for a text of `len` bytes: a member takes at least four bytes
/// (`{"":` or `,"":`), and an open object one slot more.
pub const fn scratch_len(len: usize) -> usize {
    len / 4 + MAX_DEPTH + 1
}

/// Checks one JSON text; white space around the value and one byte order mark before it are allowed.
///
/// # Errors
///
/// [`JsonError`]. A text that is no JSON is reported as such even where it repeats a member as well.
pub fn check<'a>(bytes: &'a [u8], max_depth: usize, scratch: &mut [u64]) -> Result<Raw<'a>, JsonError> {
    let mut fields = Fields::new();
    scan(bytes, max_depth, scratch, &mut fields)?;
    Ok(Raw::from_checked(fields.top.of(bytes)))
}

/// Set beside an offset, which has 31 bits, for a string that is spelt with an escape.
const ESCAPED: u32 = 1 << 31;

/// A span of the input. No member's value starts at offset 0, so that stands for "absent".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// The members that the protocol reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Meta,
    Name,
    Uri,
    Arguments,
    RequestState,
    InputResponses,
    /// `params.protocolVersion`, which only `initialize` has.
    InitializeVersion,
    MetaVersion,
    ClientInfo,
    ClientName,
    ClientVersion,
    Capabilities,
    LogLevel,
    ProgressToken,
    SubscriptionId,
    Traceparent,
    Tracestate,
    Baggage,
}

const FIELDS: usize = Field::Baggage as usize + 1;

/// Names in the top object, in `params` and in `params._meta`.
const TOP: &[(&str, Field)] = &[
    ("jsonrpc", Field::Jsonrpc),
    ("id", Field::Id),
    ("method", Field::Method),
    ("params", Field::Params),
    ("result", Field::Result),
    ("error", Field::Error),
];
const PARAMS: &[(&str, Field)] = &[
    ("_meta", Field::Meta),
    ("name", Field::Name),
    ("uri", Field::Uri),
    ("arguments", Field::Arguments),
    ("requestState", Field::RequestState),
    ("inputResponses", Field::InputResponses),
    ("protocolVersion", Field::InitializeVersion),
];
const META: &[(&str, Field)] = &[
    ("io.modelcontextprotocol/protocolVersion", Field::MetaVersion),
    ("io.modelcontextprotocol/clientInfo", Field::ClientInfo),
    ("io.modelcontextprotocol/clientCapabilities", Field::Capabilities),
    ("io.modelcontextprotocol/logLevel", Field::LogLevel),
    ("progressToken", Field::ProgressToken),
    ("io.modelcontextprotocol/subscriptionId", Field::SubscriptionId),
    ("traceparent", Field::Traceparent),
    ("tracestate", Field::Tracestate),
    ("baggage", Field::Baggage),
];

const CLIENT_INFO: &[(&str, Field)] = &[("name", Field::ClientName), ("version", Field::ClientVersion)];

/// Where the members are that the protocol reads. Offsets only, so that it outlives the borrow of the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) top: Span,
    spans: [Span; FIELDS],
    /// `id` came more than once, so that nobody can say which one is meant.
    pub(crate) id_repeated: bool,
}

impl Fields {
    pub(crate) const fn new() -> Self {
        Fields { top: Span { start: 0, end: 0 }, spans: [Span { start: 0, end: 0 }; FIELDS], id_repeated: false }
    }

    /// The value of a member; `None` when it is absent, or was not read to its end.
    #[inline]
    pub(crate) fn get<'a>(&self, field: Field, bytes: &'a [u8]) -> Option<Raw<'a>> {
        let span = self.spans.get(field as usize)?;
        let whole = Span { start: span.start, end: span.end & !ESCAPED };
        if whole.end <= whole.start { None } else { Some(Raw::from_checked(whole.of(bytes))) }
    }

    /// The text of a member; `None` when it is absent or no string.
    #[inline]
    pub(crate) fn text<'a>(&self, field: Field, bytes: &'a [u8]) -> Option<Text<'a>> {
        let escaped = self.spans.get(field as usize)?.end & ESCAPED != 0;
        match self.get(field, bytes)?.as_bytes() {
            [b'"', inside @ .., b'"'] => Some(Text::from_wire(inside, escaped)),
            _ => None,
        }
    }

    /// Whether the member's value was begun, be it that the scan stopped inside.
    pub(crate) fn seen(&self, field: Field) -> bool {
        self.spans.get(field as usize).is_some_and(|span| span.start != 0)
    }

    #[inline]
    fn open(&mut self, field: Field, at: usize) {
        if let Some(span) = self.spans.get_mut(field as usize) {
            self.id_repeated |= span.start != 0 && field == Field::Id;
            *span = Span { start: at as u32, end: 0 };
        }
    }

    /// Notes the end of a value, and of a string whether it holds an escape.
    #[inline]
    fn close(&mut self, field: Field, at: usize, escaped: bool) {
        if let Some(span) = self.spans.get_mut(field as usize) {
            span.end = at as u32 | if escaped { ESCAPED } else { 0 };
        }
    }
}

/// How many levels have members that the protocol reads: the message, `params`, `_meta`, the client's identity.
const WATCHED: usize = 4;

/// One of the watched levels.
#[derive(Clone, Copy)]
struct Level {
    names: &'static [(&'static str, Field)],
    /// The watched member whose value is being read.
    member: Option<Field>,
}

/// What comes next.
#[derive(Clone, Copy)]
enum Expect {
    Value,
    Key,
    /// A value has just ended.
    After,
}

/// Scans the text. On an error `fields` holds what was read to its end before.
pub(crate) fn scan(bytes: &[u8], max_depth: usize, scratch: &mut [u64], fields: &mut Fields) -> Result<(), JsonError> {
    if bytes.len() > MAX_BODY_BYTES {
        return Err(JsonError { reason: Reason::BodyTooLarge, offset: MAX_BODY_BYTES });
    }
    let max_depth = if max_depth < MAX_DEPTH { max_depth } else { MAX_DEPTH };
    let mut at = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut objects = [0u32; MAX_DEPTH / 32]; // one bit for each open container: is it an object?
    let mut depth = 0usize;
    let mut members = Members { slots: scratch, base: 0, used: 0, duplicate: None };
    let mut levels = [Level { names: &[], member: None }; WATCHED];
    at = skip_space(bytes, at);
    fields.top.start = at as u32;
    let mut expect = Expect::Value;
    let mut escaped = false; // of the value just read, which only a string can be
    loop {
        match expect {
            Expect::Value => match bytes.get(at) {
                Some(b'"') => {
                    (at, escaped) = string(bytes, at)?;
                    expect = Expect::After;
                }
                Some(b'{') => {
                    if depth >= max_depth {
                        return Err(JsonError { reason: Reason::TooDeep, offset: at });
                    }
                    members.open(at)?;
                    set_kind(&mut objects, depth, true);
                    watch(&mut levels, depth);
                    depth += 1;
                    at = skip_space(bytes, at + 1);
                    expect = Expect::Key;
                    if bytes.get(at) == Some(&b'}') {
                        members.close(bytes);
                        depth -= 1;
                        at += 1;
                        expect = Expect::After;
                    }
                }
                Some(b'[') => {
                    if depth >= max_depth {
                        return Err(JsonError { reason: Reason::TooDeep, offset: at });
                    }
                    set_kind(&mut objects, depth, false);
                    if let Some(level) = levels.get_mut(depth) {
                        level.names = &[];
                    }
                    depth += 1;
                    at = skip_space(bytes, at + 1);
                    if bytes.get(at) == Some(&b']') {
                        depth -= 1;
                        at += 1;
                        expect = Expect::After;
                    }
                }
                Some(b'-' | b'0'..=b'9') => {
                    at = number(bytes, at)?;
                    expect = Expect::After;
                }
                Some(b't') => {
                    at = literal(bytes, at, b"true")?;
                    expect = Expect::After;
                }
                Some(b'f') => {
                    at = literal(bytes, at, b"false")?;
                    expect = Expect::After;
                }
                Some(b'n') => {
                    at = literal(bytes, at, b"null")?;
                    expect = Expect::After;
                }
                _ => return Err(syntax(bytes, at)),
            },
            Expect::Key => {
                if bytes.get(at) != Some(&b'"') {
                    return Err(syntax(bytes, at));
                }
                let (end, spelt) = string(bytes, at)?;
                let key = Text::from_wire(bytes.get(at + 1..end - 1).unwrap_or_default(), spelt);
                members.push(key, at)?;
                at = skip_space(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    return Err(syntax(bytes, at));
                }
                at = skip_space(bytes, at + 1);
                if let Some(level) = levels.get_mut(depth.wrapping_sub(1)) {
                    level.member = find(level.names, key);
                    if let Some(field) = level.member {
                        fields.open(field, at);
                    }
                }
                expect = Expect::Value;
            }
            Expect::After => {
                if depth == 0 {
                    break;
                }
                if let Some(level) = levels.get_mut(depth - 1)
                    && let Some(field) = level.member.take()
                {
                    fields.close(field, at, escaped);
                }
                escaped = false;
                let object = is_object(&objects, depth - 1);
                at = skip_space(bytes, at);
                match bytes.get(at) {
                    Some(b',') => {
                        at = skip_space(bytes, at + 1);
                        expect = if object { Expect::Key } else { Expect::Value };
                    }
                    Some(b'}') if object => {
                        members.close(bytes);
                        depth -= 1;
                        at += 1;
                    }
                    Some(b']') if !object => {
                        depth -= 1;
                        at += 1;
                    }
                    _ => return Err(syntax(bytes, at)),
                }
            }
        }
    }
    fields.top.end = at as u32;
    at = skip_space(bytes, at);
    if at != bytes.len() {
        return Err(syntax(bytes, at));
    }
    match members.duplicate {
        Some(offset) => Err(JsonError { reason: Reason::DuplicateMember, offset: offset as usize }),
        None => Ok(()),
    }
}

/// Says which members to look for in the object that opens at this depth.
#[inline]
fn watch(levels: &mut [Level; WATCHED], depth: usize) {
    let parent = depth.checked_sub(1).and_then(|above| levels.get(above)).and_then(|level| level.member);
    if let Some(level) = levels.get_mut(depth) {
        level.member = None;
        level.names = match (depth, parent) {
            (0, _) => TOP,
            (1, Some(Field::Params)) => PARAMS,
            (2, Some(Field::Meta)) => META,
            (3, Some(Field::ClientInfo)) => CLIENT_INFO,
            _ => &[],
        };
    }
}

#[inline]
fn find(names: &[(&str, Field)], key: Text<'_>) -> Option<Field> {
    // An escape only makes a name longer, so most names of other lengths need no second look.
    let len = key.raw().len();
    let alike = |name: &str| if key.is_escaped() { len > name.len() } else { len == name.len() };
    names.iter().find(|(name, _)| alike(name) && key == **name).map(|&(_, field)| field)
}

#[inline]
fn set_kind(objects: &mut [u32; MAX_DEPTH / 32], depth: usize, object: bool) {
    if let Some(word) = objects.get_mut(depth / 32) {
        let bit = 1u32 << (depth % 32);
        if object { *word |= bit } else { *word &= !bit }
    }
}

#[inline]
fn is_object(objects: &[u32; MAX_DEPTH / 32], depth: usize) -> bool {
    objects.get(depth / 32).is_some_and(|word| word >> (depth % 32) & 1 == 1)
}

#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The error for a byte that cannot stand here, or for the end of the text.
#[cold]
fn syntax(bytes: &[u8], at: usize) -> JsonError {
    let rest = bytes.get(at..).unwrap_or_default();
    let broken = rest.first().is_some_and(|&byte| byte >= 0x80) && sequence_len(rest).is_none();
    JsonError { reason: if broken { Reason::InvalidUtf8 } else { Reason::InvalidJson }, offset: at }
}

#[inline]
fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, JsonError> {
    let mut end = at;
    for byte in word {
        if bytes.get(end) != Some(byte) {
            return Err(syntax(bytes, end));
        }
        end += 1;
    }
    Ok(end)
}

/// RFC 8259, section 6. Returns where the number ends.
#[inline]
fn number(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let mut end = if bytes.get(at) == Some(&b'-') { at + 1 } else { at };
    end = match bytes.get(end) {
        Some(b'0') => end + 1,
        Some(b'1'..=b'9') => digits(bytes, end),
        _ => return Err(syntax(bytes, end)),
    };
    if bytes.get(end) == Some(&b'.') {
        end = some_digits(bytes, end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        end += 1;
        if let Some(b'+' | b'-') = bytes.get(end) {
            end += 1;
        }
        end = some_digits(bytes, end)?;
    }
    Ok(end)
}

#[inline]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

#[inline]
fn some_digits(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    let end = digits(bytes, at);
    if end == at { Err(syntax(bytes, at)) } else { Ok(end) }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Marks (in its top bit) every byte of a word that ends a run of plain characters: a quote, a backslash, a
/// control character or anything that is not ASCII. Marks above the lowest one may be false.
#[inline]
const fn specials(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | control | word) & HIGHS
}

/// Bytes that a long run is looked at together; the compiler makes vector code of it.
const WIDE: usize = 32;

#[inline]
fn all_plain(chunk: &[u8; WIDE]) -> bool {
    let mut special = 0u8;
    for &byte in chunk {
        special |= u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20) | byte >> 7;
    }
    special == 0
}

/// RFC 8259, section 7, and RFC 3629. Returns where the string that starts at `at` ends, after its closing
/// quote, and whether it holds an escape.
#[inline]
fn string(bytes: &[u8], at: usize) -> Result<(usize, bool), JsonError> {
    let mut at = at + 1;
    let mut escaped = false;
    let mut run = 0usize; // plain words in a row
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some(word) = rest.first_chunk::<8>() {
            let marks = specials(u64::from_le_bytes(*word));
            if marks == 0 {
                at += 8;
                run += 1;
                if run > 4 {
                    at = skip_plain(bytes, at);
                }
                continue;
            }
            at += (marks.trailing_zeros() / 8) as usize;
        }
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = escape(bytes, at)?;
            }
            Some(0x20..0x80) => at += 1, // only within eight bytes of the end of the text
            Some(0x80..) => match sequence_len(bytes.get(at..).unwrap_or_default()) {
                Some(len) => at += len,
                None => return Err(JsonError { reason: Reason::InvalidUtf8, offset: at }),
            },
            _ => return Err(JsonError { reason: Reason::InvalidJson, offset: at }),
        }
    }
}

/// Skips what is certainly plain, a wide chunk at a time.
fn skip_plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).unwrap_or_default().first_chunk::<WIDE>() {
        if !all_plain(chunk) {
            break;
        }
        at += WIDE;
    }
    at
}

fn escape(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match bytes.get(at + 2..at + 6).and_then(hex4) {
            Some(_) => Ok(at + 6),
            None => {
                let bad = |offset: &usize| !bytes.get(*offset).is_some_and(u8::is_ascii_hexdigit);
                Err(syntax(bytes, (at + 2..at + 6).find(bad).unwrap_or(at)))
            }
        },
        _ => Err(syntax(bytes, at + 1)),
    }
}

/// How long the well-formed UTF-8 sequence is that starts at the first byte (RFC 3629, section 4).
fn sequence_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0..=0x7F, ..] => Some(1),
        [0xC2..=0xDF, 0x80..=0xBF, ..] => Some(2),
        [0xE0, 0xA0..=0xBF, 0x80..=0xBF, ..]
        | [0xE1..=0xEC | 0xEE..=0xEF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xED, 0x80..=0x9F, 0x80..=0xBF, ..] => Some(3),
        [0xF0, 0x90..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF1..=0xF3, 0x80..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF4, 0x80..=0x8F, 0x80..=0xBF, 0x80..=0xBF, ..] => Some(4),
        _ => None,
    }
}

/// The members of the objects that are open, innermost last.
struct Members<'s> {
    slots: &'s mut [u64],
    /// Where the innermost object's members begin.
    base: usize,
    used: usize,
    /// The first duplicate that was found.
    duplicate: Option<u32>,
}

/// Up to so many members are compared each with each; more are sorted.
const FEW: usize = 16;

impl Members<'_> {
    #[inline]
    fn put(&mut self, slot: u64, at: usize) -> Result<(), JsonError> {
        match self.slots.get_mut(self.used) {
            Some(free) => *free = slot,
            None => return Err(JsonError { reason: Reason::TooManyMembers, offset: at }),
        }
        self.used += 1;
        Ok(())
    }

    #[inline]
    fn open(&mut self, at: usize) -> Result<(), JsonError> {
        self.put(self.base as u64, at)?;
        self.base = self.used;
        Ok(())
    }

    #[inline]
    fn push(&mut self, key: Text<'_>, at: usize) -> Result<(), JsonError> {
        let flag = if key.is_escaped() { ESCAPED } else { 0 };
        let print = if key.is_escaped() { print_decoded(key) } else { print(key.raw()) };
        self.put(u64::from(print) << 32 | u64::from(at as u32 | flag), at)
    }

    /// Looks for duplicates in the innermost object, and forgets it.
    #[inline]
    fn close(&mut self, bytes: &[u8]) {
        let own = self.slots.get_mut(self.base..self.used).unwrap_or_default();
        let found = if own.len() <= FEW { duplicate_of_few(own, bytes) } else { duplicate_of_many(own, bytes) };
        if let Some(offset) = found
            && self.duplicate.is_none_or(|earlier| offset < earlier)
        {
            self.duplicate = Some(offset);
        }
        self.used = self.base.saturating_sub(1);
        self.base = self.slots.get(self.used).map_or(0, |&base| base as usize);
    }
}

fn duplicate_of_few(slots: &[u64], bytes: &[u8]) -> Option<u32> {
    let mut rest = slots;
    let mut found: Option<u32> = None;
    while let Some((&slot, tail)) = rest.split_first() {
        for &other in tail {
            if (slot ^ other) >> 32 == 0 && name(slot, bytes) == name(other, bytes) {
                let offset = other as u32 & !ESCAPED;
                found = Some(found.map_or(offset, |earlier| earlier.min(offset)));
            }
        }
        rest = tail;
    }
    found
}

/// Sorts by fingerprint, then by name, then by place, in n log n whatever the names are; equal ones are then
/// neighbours.
#[cold]
fn duplicate_of_many(slots: &mut [u64], bytes: &[u8]) -> Option<u32> {
    super::sort::heapsort(slots, |a, b| {
        let prints = (a >> 32).cmp(&(b >> 32));
        prints.then_with(|| name(a, bytes).cmp(&name(b, bytes))).then_with(|| offset(a).cmp(&offset(b)))
    });
    let mut found: Option<u32> = None;
    let mut rest: &[u64] = slots;
    while let [a, tail @ ..] = rest {
        if let Some(b) = tail.first()
            && (a ^ b) >> 32 == 0
            && name(*a, bytes) == name(*b, bytes)
        {
            found = Some(found.map_or(offset(*b), |earlier| earlier.min(offset(*b))));
        }
        rest = tail;
    }
    found
}

fn offset(slot: u64) -> u32 {
    slot as u32 & !ESCAPED
}

/// The name that a slot stands for.
fn name(slot: u64, bytes: &[u8]) -> Text<'_> {
    let rest = bytes.get(offset(slot) as usize + 1..).unwrap_or_default();
    let escaped = slot as u32 & ESCAPED != 0;
    let len = if escaped {
        super::raw::inside_len(rest)
    } else {
        rest.iter().position(|&byte| byte == b'"').unwrap_or_default()
    };
    Text::from_wire(rest.get(..len).unwrap_or_default(), escaped)
}

/// A fingerprint of a name: equal names have equal ones. Names that were made to collide cost a comparison
/// each, no more.
#[inline]
fn print(name: &[u8]) -> u32 {
    let mut hash = Print::new();
    let mut rest = name;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        hash.word(*word);
        rest = tail;
    }
    hash.last(rest);
    hash.finish(name.len())
}

/// The same fingerprint for a name that is spelt with escapes.
#[cold]
fn print_decoded(key: Text<'_>) -> u32 {
    let mut hash = Print::new();
    let mut word = [0u8; 8];
    let mut len = 0usize;
    for byte in key.bytes() {
        if let Some(slot) = word.get_mut(len % 8) {
            *slot = byte;
        }
        len += 1;
        if len.is_multiple_of(8) {
            hash.word(word);
        }
    }
    hash.last(word.get(..len % 8).unwrap_or_default());
    hash.finish(len)
}

struct Print(u64);

impl Print {
    const fn new() -> Self {
        Print(0)
    }

    #[inline]
    fn word(&mut self, word: [u8; 8]) {
        self.0 = (self.0.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    /// Takes in the up to seven bytes after the last whole word.
    #[inline]
    fn last(&mut self, rest: &[u8]) {
        let [a, b, c, d, e, f, g, h] = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
            (Some([a, b, c, d]), Some([e, f, g, h])) => [*a, *b, *c, *d, *e, *f, *g, *h],
            _ => {
                let middle = rest.get(rest.len() / 2).copied().unwrap_or_default();
                let (first, last) = (rest.first().copied(), rest.last().copied());
                [first.unwrap_or_default(), middle, last.unwrap_or_default(), 0, 0, 0, 0, 0]
            }
        };
        self.word([a, b, c, d, e, f, g, h]);
    }

    #[inline]
    const fn finish(&self, len: usize) -> u32 {
        ((self.0 ^ len as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
    }
}

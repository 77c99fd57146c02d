//! Batches, which 2025-03-26 alone has (LEG-14 to LEG-17).

use heapless::Vec;

use crate::http::Headers;
use crate::json::{BYTE_ORDER_MARK, Raw, TooSmall, ValueKind, Writer, check};
use crate::ladder::{Context, admit, check_http, error_form};
use crate::limits::{MAX_BATCH, MAX_DEPTH};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::reject::Rejected;
use crate::wire::{Admitted, Era, Id, Kind, Version};

/// Judges a batch: what every entry is, in order, is told to `each`. One bad entry does not hurt the next.
///
/// [`emit_batch`] puts its answer together. What is refused as a whole later on is refused by
/// [`Rejected::of_batch`].
///
/// `scratch` as for [`admit`].
///
/// # Errors
///
/// [`Rejected`] for the batch as a whole, and then no entry has been judged: what [`admit`] refuses before it looks at
/// members; [`Reason::NotABatch`]; [`Reason::Batch`] where the sender does not speak 2025-03-26, or this server does not
/// serve it; [`Reason::EmptyBatch`]; [`Reason::BatchTooLong`] beyond [`MAX_BATCH`] entries; [`Reason::MixedBatch`], since
/// answers cannot be answered.
pub fn admit_batch<'a, S: AsRef<str>>(
    body: &'a [u8],
    context: &Context<'_>,
    policy: &Policy<'_, S>,
    scratch: &mut [u64],
    mut each: impl FnMut(Result<Admitted<'a>, Rejected<'a>>),
) -> Result<(), Rejected<'a>> {
    let form = error_form(context.headers, context.legacy_version, policy.legacy);
    let refuse = |reason| Rejected::new(reason).answered(form);
    check_http(body, context, policy).map_err(refuse)?;
    // The array itself is one level more than its entries may have.
    let depth = policy.max_depth.saturating_add(1).min(MAX_DEPTH);
    match check(body, depth, scratch) {
        Ok(_) => {}
        // Sound JSON all the same; the entry that repeats a member is refused below.
        Err(error) if error.reason == Reason::DuplicateMember => {}
        Err(error) => return Err(refuse(error.reason).at(error.offset)),
    }
    if let Some(reason) = context.headers.and_then(headers_fault) {
        return Err(refuse(reason));
    }
    let text = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body).trim_ascii();
    let batch = Raw::from_checked(text);
    if batch.kind() != ValueKind::Array {
        return Err(refuse(Reason::NotABatch));
    }
    if !speaks_batches(context, policy) {
        return Err(refuse(Reason::Batch));
    }
    let (mut count, mut calls, mut answers) = (0usize, false, false);
    for entry in batch.elements() {
        count = count.saturating_add(1);
        let call = entry.get("method").is_some();
        calls |= call;
        answers |= !call && (entry.get("result").is_some() || entry.get("error").is_some());
    }
    if count == 0 {
        return Err(refuse(Reason::EmptyBatch));
    }
    if count > MAX_BATCH {
        return Err(refuse(Reason::BatchTooLong));
    }
    if calls && answers {
        return Err(refuse(Reason::MixedBatch));
    }
    let context = Context { legacy_version: Some(Version::V2025_03_26), ..context.clone() };
    let mut ids: Vec<Id<'a>, MAX_BATCH> = Vec::new();
    for entry in batch.elements() {
        let start = (entry.as_bytes().as_ptr() as usize).wrapping_sub(body.as_ptr() as usize);
        each(match admit(entry.as_bytes(), &context, policy, scratch) {
            Ok(message) => judge(message, &mut ids),
            Err(refused) => Err(refused.moved(start)),
        });
    }
    Ok(())
}

/// Writes the answer to a batch: an array of `answers`, the answers to its requests and the refusals of its entries, in any
/// order; empty ones, of which nothing is sent, are left out. `refused`: whether an entry was refused without an answer, as a
/// notification is. Returns the HTTP status and the length (2025-03-26, basic/transports, Sending Messages to the Server): 200 with
/// an answer; without one the length is 0 and the status 202, or 400 where something was `refused`.
///
/// # Errors
///
/// [`TooSmall`] with the size that `out` needs.
pub fn emit_batch<'r>(
    answers: impl IntoIterator<Item = &'r [u8]>,
    refused: bool,
    out: &mut [u8],
) -> Result<(u16, usize), TooSmall> {
    let mut w = Writer::new(out);
    let mut separator: &[u8] = b"[";
    for answer in answers.into_iter().filter(|answer| !answer.is_empty()) {
        w.raw(separator);
        w.raw(answer);
        separator = b",";
    }
    if separator == b"[" {
        return Ok((if refused { 400 } else { 202 }, 0));
    }
    w.raw(b"]");
    Ok((200, w.finish()?))
}

/// Whether sender and server both speak 2025-03-26: by the header and by the session, which must agree where both say
/// something (LEG-08); where neither does, on HTTP by assumption (LEG-28).
fn speaks_batches<S: AsRef<str>>(context: &Context<'_>, policy: &Policy<'_, S>) -> bool {
    const BATCHES: Version = Version::V2025_03_26;
    let named = context.headers.and_then(|headers| headers.version);
    let by_header = named.is_none_or(|named| Version::parse(named) == Some(BATCHES));
    let by_session = context.legacy_version.is_none_or(|version| version == BATCHES);
    let known = context.headers.is_some() || context.legacy_version.is_some();
    known && by_header && by_session && policy.legacy.contains(BATCHES)
}

fn headers_fault(headers: &Headers<'_>) -> Option<Reason> {
    match (headers.repeated, headers.too_many_params) {
        (true, _) => Some(Reason::DuplicateHeader),
        (false, true) => Some(Reason::TooManyParamHeaders),
        (false, false) => None,
    }
}

/// What holds inside a batch alone.
fn judge<'a>(message: Admitted<'a>, ids: &mut Vec<Id<'a>, MAX_BATCH>) -> Result<Admitted<'a>, Rejected<'a>> {
    let refuse = |reason| Err(Rejected::after_admission(Some(&message), reason));
    if message.era() == Era::Modern {
        return refuse(Reason::Batch);
    }
    if message.kind() != Kind::Request {
        return Ok(message);
    }
    if message.method().is_some_and(|method| method == "initialize") {
        return refuse(Reason::InitializeInBatch);
    }
    let Some(id) = message.id() else { return Ok(message) };
    if ids.iter().any(|other| id.is_same(other)) {
        return refuse(Reason::DuplicateId);
    }
    // As many ids as entries fit.
    let _ = ids.push(id);
    Ok(message)
}

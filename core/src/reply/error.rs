//! The answer to a request that failed.

use super::{ReplyError, host_json, write_head};
use crate::json::{Raw, ValueKind, Writer};
use crate::reason::Misuse;
use crate::wire::{Admitted, Era, Kind};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const HEADER_MISMATCH: i32 = -32020;
const MISSING_CAPABILITY: i32 = -32021;
const UNSUPPORTED_VERSION: i32 = -32022;
/// What the revisions before 2026-07-28 say of an unknown resource.
const LEGACY_RESOURCE_NOT_FOUND: i32 = -32002;

/// Writes an error response to `to`, or one without an id where there is no message to answer to. `message` is one
/// short sentence; `data` is any JSON text. Returns the HTTP status and the length. The status holds until a stream
/// has begun; an error in a stream has none.
///
/// The status follows the code: 404 for -32601; 400 for -32700, -32600, -32602, -32020, -32021 and -32022; else 200.
/// A legacy request is always answered with 200, where 404 would mean that its session is gone.
///
/// Nothing is written, and the length is 0, for a message that is not a request. The status is then never 200: a
/// notification that was not accepted is refused by its status alone (streamable-http, sending messages).
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for `data` suffice.
///
/// # Errors
///
/// - [`Misuse::ReservedCode`]: a code from -32099 to -32000 that 2026-07-28 does not define, such as the retired -32002
///   (for that, see [`resource_not_found`]).
///   The revisions before it had their own use for some of these, so a legacy request may be answered with them. Codes
///   of the host's own are best taken from outside -32768 to -32000.
/// - [`Misuse::ErrorData`]: -32021 without `{"requiredCapabilities":{...}}`, or -32022 without
///   `{"supported":[...],"requested":"..."}`.
/// - [`Misuse::HostJson`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn error<'a>(
    to: Option<&Admitted<'a>>,
    code: i32,
    message: &str,
    data: Option<&[u8]>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<(u16, usize), ReplyError<'a>> {
    if !is_legacy(to) && is_reserved(code) {
        return Err(Misuse::ReservedCode.into());
    }
    let data = data.map(|data| host_json(data, scratch)).transpose()?;
    if !fits(code, data) {
        return Err(Misuse::ErrorData.into());
    }
    write_error(to, code, message, out, |w| {
        if let Some(data) = data {
            w.raw(b",\"data\":");
            w.minified(data);
        }
    })
}

/// Writes the error response to a request for a resource that there is not (server/resources, "Error Handling"): -32602
/// in 2026-07-28, -32002 in the revisions before, with the request's `uri` in its data (ERR-16, LEG-37). Returns the
/// HTTP status and the length, as [`error`] does.
///
/// # Errors
///
/// [`TooSmall`](crate::json::TooSmall).
pub fn resource_not_found<'a>(to: &Admitted<'a>, out: &mut [u8]) -> Result<(u16, usize), ReplyError<'a>> {
    let code = if is_legacy(Some(to)) { LEGACY_RESOURCE_NOT_FOUND } else { INVALID_PARAMS };
    let uri = to.params().and_then(|params| params.get("uri")).filter(|uri| uri.kind() == ValueKind::String);
    write_error(Some(to), code, "Resource not found", out, |w| {
        if let Some(uri) = uri {
            w.raw(b",\"data\":{\"uri\":");
            w.minified(uri);
            w.raw(b"}");
        }
    })
}

fn is_legacy(to: Option<&Admitted<'_>>) -> bool {
    to.is_some_and(|message| message.era() == Era::Legacy)
}

/// Writes the error response, with the `data` member that `data` writes.
fn write_error<'a>(
    to: Option<&Admitted<'_>>,
    code: i32,
    message: &str,
    out: &mut [u8],
    data: impl FnOnce(&mut Writer<'_>),
) -> Result<(u16, usize), ReplyError<'a>> {
    if to.is_some_and(|message| message.kind() != Kind::Request) {
        return Ok((status(code).max(400), 0));
    }
    let mut w = Writer::new(out);
    write_head(&mut w, to.and_then(|message| message.id()));
    w.raw(b"\"error\":{\"code\":");
    w.integer(i64::from(code));
    w.raw(b",\"message\":");
    w.string(message);
    data(&mut w);
    w.raw(b"}}");
    Ok((if is_legacy(to) { 200 } else { status(code) }, w.finish()?))
}

/// The HTTP status towards a modern peer (ERR-03, ERR-18; 400 for a handler's -32602 as for the ladder's).
const fn status(code: i32) -> u16 {
    match code {
        METHOD_NOT_FOUND => 404,
        PARSE_ERROR | INVALID_REQUEST | INVALID_PARAMS => 400,
        HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION => 400,
        _ => 200,
    }
}

/// ERR-09 to ERR-11.
const fn is_reserved(code: i32) -> bool {
    matches!(code, -32099..=-32000) && !matches!(code, HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION)
}

/// Whether the data has the shape that its code defines (ERR-07, ERR-08).
fn fits(code: i32, data: Option<Raw<'_>>) -> bool {
    let is_object = |value: Raw<'_>| value.kind() == ValueKind::Object;
    match (code, data) {
        (MISSING_CAPABILITY, Some(data)) => data
            .get("requiredCapabilities")
            .is_some_and(|required| is_object(required) && required.members().all(|(_, one)| is_object(one))),
        (UNSUPPORTED_VERSION, Some(data)) => {
            let is_string = |version: Raw<'_>| version.kind() == ValueKind::String;
            let supported = data.get("supported");
            supported.is_some_and(|all| all.kind() == ValueKind::Array && all.elements().all(is_string))
                && data.has_string("requested")
        }
        (MISSING_CAPABILITY | UNSUPPORTED_VERSION, None) => false,
        _ => true,
    }
}

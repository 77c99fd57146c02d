//! What is sent, written into the caller's buffer as one line of JSON without a line end.

mod complete;
mod elicit;
mod error;
mod input_required;
mod notification;
mod sampling;
mod subscription;

pub use complete::{CacheScope, CompleteOptions, complete};
pub(crate) use elicit::Embedded;
pub use elicit::{LIST_ROOTS, elicit, elicit_url, sample};
pub use error::{error, resource_not_found};
pub use input_required::{Question, input_required};
pub use notification::{Progressing, log, notification};
pub use subscription::{Change, Offered, Subscription, Subscriptions};

use crate::json::{self, Raw, Text, TooSmall, ValueKind, Writer};
use crate::limits::MAX_DEPTH;
use crate::reason::{Misuse, Reason};
use crate::reject::Rejected;
use crate::wire::{Admitted, Id, Kind, SERVER_INFO, is_written_implementation};

/// Why no answer was written. What the buffer holds then is of no use.
#[derive(Clone, Debug)]
pub enum ReplyError<'a> {
    /// The host gave something that cannot be sent.
    Misuse(Misuse),
    /// The buffer is too small.
    TooSmall(TooSmall),
    /// The request cannot be answered in this way; send this refusal instead.
    Rejected(Rejected<'a>),
}

impl From<Misuse> for ReplyError<'_> {
    fn from(misuse: Misuse) -> Self {
        ReplyError::Misuse(misuse)
    }
}

impl From<TooSmall> for ReplyError<'_> {
    fn from(too_small: TooSmall) -> Self {
        ReplyError::TooSmall(too_small)
    }
}

impl<'a> From<Rejected<'a>> for ReplyError<'a> {
    fn from(rejected: Rejected<'a>) -> Self {
        ReplyError::Rejected(rejected)
    }
}

/// The id to answer to.
pub(crate) fn request_id<'a>(to: &Admitted<'a>) -> Result<Id<'a>, Misuse> {
    let id = if to.kind() == Kind::Request { to.id() } else { None };
    id.ok_or(Misuse::NotARequest)
}

/// Checks one JSON value that the host gave.
pub(crate) fn host_json<'h>(bytes: &'h [u8], scratch: &mut [u64]) -> Result<Raw<'h>, Misuse> {
    json::check(bytes, MAX_DEPTH, scratch).map_err(|error| match error.reason {
        Reason::TooManyMembers => Misuse::ScratchTooSmall,
        _ => Misuse::HostJson,
    })
}

/// Checks a server's identity before it is put into answers: a JSON object with the strings `name` and `version`, whose
/// strings have no unpaired surrogate.
///
/// # Errors
///
/// [`Misuse::HostJson`], [`Misuse::HostJsonNotObject`], [`Misuse::ServerInfo`], [`Misuse::ScratchTooSmall`].
pub fn check_server_info(info: &[u8], scratch: &mut [u64]) -> Result<(), Misuse> {
    let object = host_json(info, scratch)?.kind() == ValueKind::Object;
    if !object {
        return Err(Misuse::HostJsonNotObject);
    }
    host_server_info(Some(info), scratch).map(|_| ())
}

/// Checks the server's name and version that the host gave.
fn host_server_info<'h>(bytes: Option<&'h [u8]>, scratch: &mut [u64]) -> Result<Option<Raw<'h>>, Misuse> {
    let info = bytes.map(|bytes| host_json(bytes, scratch)).transpose()?;
    if info.is_none_or(is_written_implementation) { Ok(info) } else { Err(Misuse::ServerInfo) }
}

fn is_object(value: Raw<'_>) -> bool {
    value.kind() == ValueKind::Object
}

/// Opens the envelope of an answer: everything before the `result` or `error` member.
pub(crate) fn write_head(w: &mut Writer<'_>, id: Option<Id<'_>>) {
    w.raw(b"{\"jsonrpc\":\"2.0\",");
    if let Some(id) = id {
        w.raw(b"\"id\":");
        w.raw(id.raw());
        w.raw(b",");
    }
}

/// Writes members into an object that is `empty` so far; says whether it still is.
pub(crate) fn write_members<'m>(
    w: &mut Writer<'_>,
    members: impl Iterator<Item = (Text<'m>, Raw<'m>)>,
    mut empty: bool,
) -> bool {
    for (name, value) in members {
        w.raw(if empty { b"\"" } else { b",\"" });
        w.raw(name.raw());
        w.raw(b"\":");
        w.minified(value);
        empty = false;
    }
    empty
}

/// Writes the `_meta` of a result after its other members: what the host put there, and who the server is unless
/// the host has said that itself.
fn write_meta(w: &mut Writer<'_>, host: Option<Raw<'_>>, server_info: Option<Raw<'_>>) {
    if host.is_none() && server_info.is_none() {
        return;
    }
    w.raw(b",\"_meta\":{");
    let empty = write_members(w, host.iter().flat_map(Raw::members), true);
    let named = host.is_some_and(|meta| meta.get(SERVER_INFO).is_some());
    if let Some(info) = server_info
        && !named
    {
        write_members(w, core::iter::once((Text::plain(SERVER_INFO), info)), empty);
    }
    w.raw(b"}");
}

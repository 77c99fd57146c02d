//! Notifications that a server sends: what nobody answers (basic/index, "Notifications").

use heapless::Vec;

use super::{ReplyError, host_json, write_members};
use crate::json::number::Decimal;
use crate::json::{Raw, Text, ValueKind, Writer, check};
use crate::limits::MAX_PROGRESS_BYTES;
use crate::reason::Misuse;
use crate::wire::{Admitted, Id, Kind, LogLevel, Method, SUBSCRIPTION_ID, Version, is_written_key};

/// Writes a notification: `params` is the JSON text of an object, `subscription` the id of the `subscriptions/listen` request
/// whose stream it is sent on. Returns the length.
///
/// Those that this crate knows are held to what their receiver needs: `notifications/progress` and `notifications/message`
/// belong to a request, never to a subscription (SUB-12, LOG-03; better made by [`Progressing`] and [`log`]);
/// `notifications/cancelled` names a request (CANC-03), `notifications/resources/updated` a resource (SUB-10), and
/// `notifications/subscriptions/acknowledged` what is watched (SUB-03, SUB-04; better made by
/// [`Subscription`](super::Subscription)).
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for `params` suffice.
///
/// # Errors
///
/// - [`Misuse::NotANotification`]: the method is empty, or that of a request.
/// - [`Misuse::NotificationParams`]: the params lack what the method needs, or the subscription does not belong there.
/// - [`Misuse::MetaKey`]: a key of the `_meta` that no sender may write, or the subscription's id beside `subscription`.
/// - [`Misuse::HostJson`], [`Misuse::HostJsonNotObject`], [`Misuse::ScratchTooSmall`],
///   [`TooSmall`](crate::json::TooSmall).
pub fn notification(
    method: &str,
    params: Option<&[u8]>,
    subscription: Option<Id<'_>>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'static>> {
    if method.is_empty() || Method::find(Text::plain(method)).is_some() {
        return Err(Misuse::NotANotification.into());
    }
    let params = params.map(|params| host_json(params, scratch)).transpose()?;
    if params.is_some_and(|params| params.kind() != ValueKind::Object) {
        return Err(Misuse::HostJsonNotObject.into());
    }
    let meta = params.and_then(|params| params.get("_meta"));
    check_meta(meta, subscription)?;
    if !is_known_shape(method, params, subscription) {
        return Err(Misuse::NotificationParams.into());
    }
    let mut w = Writer::new(out);
    write_start(&mut w, method);
    if params.is_some() || subscription.is_some() {
        let payload = params.iter().flat_map(Raw::members).filter(|(name, _)| *name != *"_meta");
        w.raw(b",\"params\":{");
        let empty = write_members(&mut w, payload, true);
        write_meta(&mut w, meta, subscription, empty);
        w.raw(b"}");
    }
    w.raw(b"}");
    Ok(w.finish()?)
}

fn check_meta(meta: Option<Raw<'_>>, subscription: Option<Id<'_>>) -> Result<(), Misuse> {
    let Some(meta) = meta else { return Ok(()) };
    if meta.kind() != ValueKind::Object {
        return Err(Misuse::HostJsonNotObject);
    }
    let twice = subscription.is_some() && meta.get(SUBSCRIPTION_ID).is_some();
    if twice || !meta.members().all(|(name, _)| is_written_key(name)) { Err(Misuse::MetaKey) } else { Ok(()) }
}

/// Whether a notification that this crate knows has what its receiver needs; others are the host's own.
fn is_known_shape(method: &str, params: Option<Raw<'_>>, subscription: Option<Id<'_>>) -> bool {
    let member = |name: &str| params.and_then(|params| params.get(name));
    let is_id = |name: &str| member(name).is_some_and(|id| Id::parse(id).is_ok());
    let is_string = |name: &str| params.is_some_and(|params| params.has_string(name));
    match method {
        "notifications/progress" => {
            subscription.is_none() && is_id("progressToken") && member("progress").is_some_and(is_number)
        }
        "notifications/message" => {
            let level = member("level").and_then(|level| level.text()).and_then(LogLevel::of);
            subscription.is_none() && level.is_some() && member("data").is_some()
        }
        "notifications/cancelled" => is_id("requestId"),
        "notifications/resources/updated" => is_string("uri"),
        "notifications/elicitation/complete" => is_string("elicitationId"),
        "notifications/subscriptions/acknowledged" => {
            let watched = member("notifications").is_some_and(|all| all.kind() == ValueKind::Object);
            subscription.is_some() && watched
        }
        _ => true,
    }
}

fn is_number(value: Raw<'_>) -> bool {
    value.kind() == ValueKind::Number
}

/// The envelope of a notification up to its method.
pub(super) fn write_start(w: &mut Writer<'_>, method: &str) {
    w.raw(b"{\"jsonrpc\":\"2.0\",\"method\":");
    w.string(method);
}

/// Writes the `_meta` of a notification after members that are `empty` so far: the host's, and the subscription's id with
/// its JSON type (SUB-07).
pub(super) fn write_meta(w: &mut Writer<'_>, host: Option<Raw<'_>>, subscription: Option<Id<'_>>, empty: bool) {
    if host.is_none() && subscription.is_none() {
        return;
    }
    w.raw(if empty { b"\"_meta\":{" } else { b",\"_meta\":{" });
    let empty = write_members(w, host.iter().flat_map(Raw::members), true);
    if let Some(id) = subscription {
        w.raw(if empty { b"\"" } else { b",\"" });
        w.raw(SUBSCRIPTION_ID.as_bytes());
        w.raw(b"\":");
        w.raw(id.raw());
    }
    w.raw(b"}");
}

/// How far one request has come: writes its `notifications/progress`, each further than the one before (PROG-03).
///
/// One value belongs to one request. Nothing is sent for a request that did not ask for it (PROG-01), and nothing may be sent
/// once it was answered (PROG-05); both go on the request's own stream, before its answer (PROG-08).
#[derive(Clone, Debug, Default)]
pub struct Progressing {
    /// The last `progress` as it was written; empty before the first.
    last: Vec<u8, MAX_PROGRESS_BYTES>,
}

impl Progressing {
    /// Nothing said so far.
    pub const fn new() -> Self {
        Progressing { last: Vec::new() }
    }

    /// Writes how far the request `to` has come. `progress` and `total` are JSON numbers, sent as they are written (PROG-04);
    /// `message` is for a person, and stays away from clients of 2024-11-05, who do not know it (LEG-36). Returns the length, 0
    /// where the request did not ask for progress.
    ///
    /// # Errors
    ///
    /// - [`Misuse::NotARequest`].
    /// - [`Misuse::ProgressNumber`]: not a JSON number, longer than [`MAX_PROGRESS_BYTES`], or beyond
    ///   [`MAX_EXPONENT`](crate::limits::MAX_EXPONENT).
    /// - [`Misuse::ProgressNotRising`]: no further than the last one.
    /// - [`TooSmall`](crate::json::TooSmall). After any error the value is as it was.
    pub fn emit(
        &mut self,
        to: &Admitted<'_>,
        progress: &[u8],
        total: Option<&[u8]>,
        message: Option<&str>,
        out: &mut [u8],
    ) -> Result<usize, ReplyError<'static>> {
        if to.kind() != Kind::Request {
            return Err(Misuse::NotARequest.into());
        }
        let now = number(progress)?;
        if let Some(total) = total {
            number(total)?;
        }
        if Decimal::read(&self.last).filter(|_| !self.last.is_empty()).is_some_and(|last| now <= last) {
            return Err(Misuse::ProgressNotRising.into());
        }
        let Some(token) = to.progress_token() else { return Ok(0) };
        let mut w = Writer::new(out);
        write_start(&mut w, "notifications/progress");
        w.raw(b",\"params\":{\"progressToken\":");
        w.raw(token.as_bytes());
        w.raw(b",\"progress\":");
        w.raw(progress);
        if let Some(total) = total {
            w.raw(b",\"total\":");
            w.raw(total);
        }
        if let Some(message) = message
            && to.version() != Some(Version::V2024_11_05)
        {
            w.raw(b",\"message\":");
            w.string(message);
        }
        w.raw(b"}}");
        let len = w.finish()?;
        self.last = Vec::from_slice(progress).map_err(|_| Misuse::ProgressNumber)?;
        Ok(len)
    }
}

/// The value of a host's number.
fn number(text: &[u8]) -> Result<Decimal<'_>, Misuse> {
    let sound = text.len() <= MAX_PROGRESS_BYTES
        && check(text, 1, &mut []).is_ok_and(|value| is_number(value) && value.as_bytes().len() == text.len());
    if sound { Decimal::read(text).ok_or(Misuse::ProgressNumber) } else { Err(Misuse::ProgressNumber) }
}

/// Writes a `notifications/message` that helps to serve the request `to`, for its own stream, before its answer (LOG-02,
/// LOG-03): `data` is any JSON text, `logger` the part of the server that speaks. Returns the length.
///
/// Towards a modern client (2026-07-28) nothing is written, and the length is 0, unless the request set a level and `level` is
/// at or above it (LOG-01). In the revisions before, the level is the session's (`logging/setLevel`), which the host keeps.
///
/// No secrets, personal data or internals belong in it (LOG-08).
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for `data` suffice.
///
/// # Errors
///
/// [`Misuse::NotARequest`], [`Misuse::HostJson`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn log(
    to: &Admitted<'_>,
    level: LogLevel,
    data: &[u8],
    logger: Option<&str>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'static>> {
    if to.kind() != Kind::Request {
        return Err(Misuse::NotARequest.into());
    }
    let data = host_json(data, scratch)?;
    if !to.wants_log(level) {
        return Ok(0);
    }
    let mut w = Writer::new(out);
    write_start(&mut w, "notifications/message");
    w.raw(b",\"params\":{\"level\":");
    w.string(level.as_str());
    if let Some(logger) = logger {
        w.raw(b",\"logger\":");
        w.string(logger);
    }
    w.raw(b",\"data\":");
    w.minified(data);
    w.raw(b"}}");
    Ok(w.finish()?)
}

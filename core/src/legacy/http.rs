//! Sessions and streams of Streamable HTTP before 2026-07-28 (2025-11-25, basic/transports).

use crate::http::{Headers, is_field_text};
use crate::ladder::check_origin;
use crate::limits::MAX_SESSION_ID_BYTES;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::reject::Rejected;
use crate::wire::{Version, VersionSet};

/// Whether a text can be a session id: 1 to [`MAX_SESSION_ID_BYTES`] characters of visible ASCII (LEG-20). One that a server
/// gives out must also be beyond guessing: 128 random bits at least.
#[must_use]
pub fn is_session_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_SESSION_ID_BYTES && id.bytes().all(|byte| (0x21..=0x7E).contains(&byte))
}

/// The session id that a request brings, for a server that gave one out. That the session is alive is for the host to find
/// out; where it is not, the reason is [`Reason::SessionNotFound`].
///
/// # Errors
///
/// [`Reason::SessionMissing`] (LEG-21), [`Reason::SessionId`] where it is not one, [`Reason::DuplicateHeader`].
pub fn session_id<'h>(headers: &Headers<'h>) -> Result<&'h str, Reason> {
    if headers.repeated {
        return Err(Reason::DuplicateHeader);
    }
    let value = headers.session.ok_or(Reason::SessionMissing)?;
    core::str::from_utf8(value).ok().filter(|id| is_session_id(id)).ok_or(Reason::SessionId)
}

/// What a request without a body asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamRequest<'h> {
    /// GET: a stream for the server's own messages. A server without one answers 405 (LEG-18).
    Listen {
        /// Where to go on after a connection that broke: the id of the last event that arrived (LEG-24).
        last_event_id: Option<&'h str>,
    },
    /// DELETE: the end of the session. A server that does not let clients end sessions answers 405 (LEG-23).
    End,
}

/// Judges a GET or DELETE of a legacy client; its session id is read by [`session_id`].
///
/// # Errors
///
/// [`Rejected`]: [`Reason::HttpMethod`] where the policy serves no legacy revision, and where the header names a modern one;
/// [`Reason::StreamMethod`] for other methods; Origin and Host; [`Reason::DuplicateHeader`];
/// [`Reason::UnsupportedVersion`] or [`Reason::VersionHeaderMissing`] (absent, the header means 2025-03-26);
/// [`Reason::NotAcceptable`] for a GET that does not accept `text/event-stream`; [`Reason::HeaderValue`] for a
/// `Last-Event-ID` that no header may have.
pub fn admit_stream<'h, S: AsRef<str>>(
    http_method: &str,
    headers: &Headers<'h>,
    policy: &Policy<'_, S>,
) -> Result<StreamRequest<'h>, Rejected<'static>> {
    let get = http_method == "GET";
    if policy.legacy.is_empty() {
        return Err(Rejected::new(Reason::HttpMethod));
    }
    if !get && http_method != "DELETE" {
        return Err(Rejected::new(Reason::StreamMethod));
    }
    check_origin(headers, policy).map_err(Rejected::new)?;
    if headers.repeated {
        return Err(Rejected::new(Reason::DuplicateHeader));
    }
    check_version(headers, policy.legacy, policy.versions)?;
    if !get {
        return Ok(StreamRequest::End);
    }
    if headers.accept.present && !headers.accept.events() {
        return Err(Rejected::new(Reason::NotAcceptable));
    }
    if headers.last_event_id_repeated {
        return Err(Rejected::new(Reason::DuplicateHeader));
    }
    let last_event_id = match headers.last_event_id {
        None => None,
        Some(id) if is_field_text(id) => core::str::from_utf8(id).ok(),
        Some(_) => return Err(Rejected::new(Reason::HeaderValue)),
    };
    Ok(StreamRequest::Listen { last_event_id })
}

fn check_version(headers: &Headers<'_>, legacy: VersionSet, modern: VersionSet) -> Result<(), Rejected<'static>> {
    let supported = if modern.is_empty() { legacy } else { modern };
    match headers.version {
        None if legacy.contains(Version::V2025_03_26) => Ok(()),
        None => Err(Rejected::new(Reason::VersionHeaderMissing).supporting(supported)),
        Some(named) => match Version::parse(named) {
            Some(version) if version.is_modern() => Err(Rejected::new(Reason::HttpMethod)),
            Some(version) if legacy.contains(version) => Ok(()),
            _ => Err(Rejected::new(Reason::UnsupportedVersion).versions(supported, None)),
        },
    }
}

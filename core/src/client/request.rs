//! What a client asks (basic/index, "Requests").

use crate::capability::check_capabilities;
use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::Misuse;
use crate::reply::{ReplyError, host_json, write_head, write_members};
use crate::wire::{Id, Method, Version, is_implementation, is_written_key};

/// The keys in `_meta` that this module writes itself.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// What every request of a client says of it, as JSON texts.
#[derive(Clone, Copy, Debug)]
pub struct ClientOptions<'o> {
    /// The client's `Implementation`: an object with at least the strings `name` and `version`.
    pub client_info: Option<&'o [u8]>,
    /// The client's capabilities, which are declared on each request anew (CAP-02).
    pub capabilities: &'o [u8],
}

impl Default for ClientOptions<'_> {
    fn default() -> Self {
        ClientOptions { client_info: None, capabilities: b"{}" }
    }
}

/// Writes a request of revision 2026-07-28: `params` is the JSON text of an object, to whose `_meta` the version, the
/// capabilities and the client's identity are added (VER-02, META-01 to META-03). Returns the length.
///
/// A server's `admit` takes what this writes; [`Sent::read`](super::Sent::read) says so, and finds the headers that go with it.
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for the longest of the JSON texts suffice.
///
/// # Errors
///
/// - [`Misuse::RequestMethod`]: an empty method, that of a notification, or one that 2026-07-28 does not have.
/// - [`Misuse::MetaKey`]: a key in the host's `_meta` that no sender may write, or one of the three that are added.
/// - [`Misuse::ClientInfo`], [`Misuse::Capabilities`].
/// - [`Misuse::HostJson`], [`Misuse::HostJsonNotObject`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn request(
    id: Id<'_>,
    method: &str,
    params: Option<&[u8]>,
    options: &ClientOptions<'_>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'static>> {
    let known = Method::find(Text::plain(method));
    if method.is_empty() || method.starts_with("notifications/") || known.is_some_and(|known| !known.modern) {
        return Err(Misuse::RequestMethod.into());
    }
    let params = params.map(|params| host_json(params, scratch)).transpose()?;
    if params.is_some_and(|params| params.kind() != ValueKind::Object) {
        return Err(Misuse::HostJsonNotObject.into());
    }
    let meta = params.and_then(|params| params.get("_meta"));
    check_meta(meta)?;
    let capabilities = host_json(options.capabilities, scratch)?;
    check_capabilities(capabilities)?;
    let client_info = options.client_info.map(|info| host_json(info, scratch)).transpose()?;
    if !client_info.is_none_or(is_implementation) {
        return Err(Misuse::ClientInfo.into());
    }
    let mut w = Writer::new(out);
    write_head(&mut w, Some(id));
    w.raw(b"\"method\":");
    w.string(method);
    w.raw(b",\"params\":{");
    let payload = params.iter().flat_map(Raw::members).filter(|(name, _)| *name != *"_meta");
    let empty = write_members(&mut w, payload, true);
    w.raw(if empty { b"\"_meta\":{\"" } else { b",\"_meta\":{\"" });
    w.raw(VERSION.as_bytes());
    w.raw(b"\":");
    w.string(Version::V2026_07_28.as_str());
    let own = [(Text::plain(CAPABILITIES), capabilities)].into_iter();
    let info = client_info.into_iter().map(|info| (Text::plain(CLIENT_INFO), info));
    write_members(&mut w, own.chain(info).chain(meta.iter().flat_map(Raw::members)), false);
    w.raw(b"}}}");
    Ok(w.finish()?)
}

fn check_meta(meta: Option<Raw<'_>>) -> Result<(), Misuse> {
    let Some(meta) = meta else { return Ok(()) };
    if meta.kind() != ValueKind::Object {
        return Err(Misuse::HostJsonNotObject);
    }
    let own = |name: Text<'_>| [VERSION, CAPABILITIES, CLIENT_INFO].iter().any(|key| name == **key);
    let sound = meta.members().all(|(name, _)| is_written_key(name) && !own(name));
    if sound { Ok(()) } else { Err(Misuse::MetaKey) }
}

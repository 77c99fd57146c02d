//! The handshake with a server of an earlier revision (2025-11-25, basic/lifecycle).

use super::Received;
use crate::capability::check_capabilities;
use crate::json::Writer;
use crate::reason::Misuse;
use crate::reply::{ReplyError, host_json, write_head};
use crate::wire::{Id, Version, VersionSet, is_implementation};

use super::ClientOptions;

/// Writes `initialize`, the first request to a server of an earlier revision: `version` is the newest of those that the client
/// speaks (LEG-01, LEG-06). After its answer `notifications/initialized` follows ([`notification`](crate::reply::notification)), and
/// over HTTP each later request has the negotiated version in `MCP-Protocol-Version` (LEG-27) and the `Mcp-Session-Id` that the
/// answer came with (LEG-21). Returns the length.
///
/// # Errors
///
/// [`Misuse::UnknownVersion`] for a modern version, [`Misuse::ClientInfo`] where there is none, [`Misuse::Capabilities`],
/// [`Misuse::HostJson`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn initialize(
    id: Id<'_>,
    version: Version,
    options: &ClientOptions<'_>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'static>> {
    if version.is_modern() {
        return Err(Misuse::UnknownVersion.into());
    }
    let capabilities = host_json(options.capabilities, scratch)?;
    check_capabilities(capabilities)?;
    let info = host_json(options.client_info.ok_or(Misuse::ClientInfo)?, scratch)?;
    if !is_implementation(info) {
        return Err(Misuse::ClientInfo.into());
    }
    let mut w = Writer::new(out);
    write_head(&mut w, Some(id));
    w.raw(b"\"method\":\"initialize\",\"params\":{\"protocolVersion\":");
    w.string(version.as_str());
    w.raw(b",\"capabilities\":");
    w.minified(capabilities);
    w.raw(b",\"clientInfo\":");
    w.minified(info);
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// The revision that the answer to `initialize` settles on; `None` where the client does not speak it, and has to hang up (LEG-06),
/// or where it is no such answer.
pub fn negotiated(received: &Received<'_>, mine: VersionSet) -> Option<Version> {
    let named = received.result()?.get("protocolVersion")?.text()?;
    Version::ALL
        .into_iter()
        .find(|version| named == *version.as_str() && !version.is_modern() && mine.contains(*version))
}

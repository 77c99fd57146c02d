//! `initialize`: which revision a session speaks (2025-11-25, basic/lifecycle).

use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::{Misuse, Reason};
use crate::reject::Rejected;
use crate::reply::{ReplyError, host_json, request_id, write_head, write_members};
use crate::wire::{Admitted, Kind, Version, VersionSet, is_implementation, is_written_implementation};

/// What an `initialize` request says, and the revision that its session will speak.
#[derive(Clone, Copy, Debug)]
pub struct Handshake<'a> {
    /// The revision that the client offers, which need not be one that anybody knows.
    pub offered: Text<'a>,
    /// The revision to answer with: the one offered where it is served, else the newest legacy one that is (LEG-06). Never
    /// a modern one: they have no handshake.
    pub version: Version,
    /// What the client can do, for the whole session (LEG-08).
    pub capabilities: Raw<'a>,
    /// Who the client says it is: an unverified claim.
    pub client_info: Raw<'a>,
}

/// Reads an admitted `initialize`. `served` are the legacy revisions of the policy.
///
/// # Errors
///
/// [`Reason::InitializeParams`] (-32602) where `protocolVersion`, `capabilities` or `clientInfo` is missing or of the wrong
/// type (LEG-01); [`Reason::LegacyNotServed`] where nothing is served.
pub fn read_initialize<'a>(message: &Admitted<'a>, served: VersionSet) -> Result<Handshake<'a>, Rejected<'a>> {
    let refuse = |reason| Rejected::after_admission(Some(message), reason);
    let member = |name| message.params().and_then(|params| params.get(name));
    let object = |value: &Raw<'_>| value.kind() == ValueKind::Object;
    let offered = member("protocolVersion").and_then(|version| version.text());
    let capabilities = member("capabilities").filter(object);
    let client_info = member("clientInfo").filter(|info| is_implementation(*info));
    let (Some(offered), Some(capabilities), Some(client_info)) = (offered, capabilities, client_info) else {
        return Err(refuse(Reason::InitializeParams));
    };
    let newest = served.iter().find(|version| !version.is_modern());
    let same = served.iter().find(|version| !version.is_modern() && offered == version.as_str());
    let version = same.or(newest).ok_or_else(|| refuse(Reason::LegacyNotServed))?;
    Ok(Handshake { offered, version, capabilities, client_info })
}

/// What a server says about itself in the answer to `initialize`, as JSON texts.
#[derive(Clone, Copy, Debug)]
pub struct ServerDescription<'s> {
    /// The server's `Implementation`: an object with at least the strings `name` and `version`.
    pub info: &'s [u8],
    /// The server's capabilities: an object of objects.
    pub capabilities: &'s [u8],
    /// How to use the server, for a model.
    pub instructions: Option<&'s str>,
}

/// Writes the answer to `initialize` (LEG-02). Members that came with a later revision than `version` are left out: of the
/// identity `title` (2025-06-18), `icons`, `description` and `websiteUrl` (2025-11-25); of the capabilities `completions`
/// (2025-03-26) and `tasks` (2025-11-25), and `extensions`, which no handshake has. Returns the length.
///
/// # Errors
///
/// [`Misuse::NotARequest`], [`Misuse::UnknownVersion`] for a modern `version`, [`Misuse::HostJson`],
/// [`Misuse::ServerInfo`], [`Misuse::Capabilities`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn emit_initialize(
    to: &Admitted<'_>,
    version: Version,
    server: &ServerDescription<'_>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'static>> {
    if version.is_modern() {
        return Err(Misuse::UnknownVersion.into());
    }
    let id = request_id(to)?;
    let info = host_json(server.info, scratch)?;
    let capabilities = host_json(server.capabilities, scratch)?;
    if !is_written_implementation(info) {
        return Err(Misuse::ServerInfo.into());
    }
    crate::capability::check_capabilities(capabilities)?;
    let mut w = Writer::new(out);
    write_head(&mut w, Some(id));
    w.raw(b"\"result\":{\"protocolVersion\":");
    w.string(version.as_str());
    w.raw(b",\"capabilities\":{");
    write_members(&mut w, known(capabilities, CAPABILITIES, version), true);
    w.raw(b"},\"serverInfo\":{");
    write_members(&mut w, known(info, IMPLEMENTATION, version), true);
    w.raw(b"}");
    if let Some(instructions) = server.instructions {
        w.raw(b",\"instructions\":");
        w.string(instructions);
    }
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// Members that not every legacy revision has, and the first that does; `None`: none does.
type Later = (&'static str, Option<Version>);

const CAPABILITIES: &[Later] =
    &[("completions", Some(Version::V2025_03_26)), ("tasks", Some(Version::V2025_11_25)), ("extensions", None)];
const IMPLEMENTATION: &[Later] = &[
    ("title", Some(Version::V2025_06_18)),
    ("icons", Some(Version::V2025_11_25)),
    ("description", Some(Version::V2025_11_25)),
    ("websiteUrl", Some(Version::V2025_11_25)),
];

fn known<'r>(object: Raw<'r>, later: &'static [Later], version: Version) -> impl Iterator<Item = (Text<'r>, Raw<'r>)> {
    object.members().filter(move |(name, _)| {
        later
            .iter()
            .find(|(known, _)| *name == **known)
            .is_none_or(|(_, since)| since.is_some_and(|since| since <= version))
    })
}

/// Whether this is the request that opens a session.
pub fn is_initialize(message: &Admitted<'_>) -> bool {
    message.kind() == Kind::Request && message.method().is_some_and(|method| method == "initialize")
}

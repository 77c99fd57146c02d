//! The result of a request that was served.

use super::{ReplyError, host_json, host_server_info, request_id, write_head, write_members, write_meta};
use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::Misuse;
use crate::wire::{Admitted, Era, SERVER_INFO, is_written_implementation, is_written_key};

/// Who may keep a cacheable result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Anyone, for anyone.
    Public,
    /// The client, for the user it asked for.
    Private,
}

impl CacheScope {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

/// What [`complete`] adds to the host's result towards a modern peer. The default adds as little as the
/// specification allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompleteOptions<'a> {
    /// How long the result stays fresh, in milliseconds. Absent: what the result's own `ttlMs` says, else 0.
    pub ttl_ms: Option<u64>,
    /// Who may keep the result. Absent: what the result's own `cacheScope` says, else [`CacheScope::Private`].
    pub cache_scope: Option<CacheScope>,
    /// The server's `Implementation` as JSON: an object with at least the strings `name` and `version`.
    pub server_info: Option<&'a [u8]>,
}

/// Writes the response that carries `result`, the JSON text of an object, to the request `to`. White space between
/// its tokens is dropped; strings and numbers stay as written. Returns the length.
///
/// To a modern request (2026-07-28) the result gets `resultType` "complete"; on a cacheable method `ttlMs` and
/// `cacheScope`; and the server's name in `_meta`, unless the host's own `_meta` has it. A legacy request gets the
/// object alone, without the host's own `resultType`, `ttlMs`, `cacheScope` and server's name in `_meta`: strict clients of
/// those revisions refuse them, and one handler can so serve both eras (LEG-56).
///
/// `scratch`: [`scratch_len`](crate::json::scratch_len) slots for the longer of `result` and `server_info` suffice.
///
/// # Errors
///
/// - [`Misuse::NotARequest`]: `to` is not a request.
/// - [`Misuse::HostJson`], [`Misuse::HostJsonNotObject`]: `result`, or its `_meta`, is not a JSON object.
/// - [`Misuse::ResultType`]: the result says that it is something else than complete.
/// - [`Misuse::NotCacheable`]: `ttlMs` or `cacheScope`, given in either way, on a method whose results have none.
///   A result of a method that is not the specification's own may have members of these names; the options may not be
///   used there.
/// - [`Misuse::CacheHint`]: the result's own `ttlMs` or `cacheScope` has no valid value.
/// - [`Misuse::MetaKey`]: a key of the result's `_meta` that no sender may write (META-08 to META-10).
/// - [`Misuse::ServerInfo`]: no `Implementation`.
/// - [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
pub fn complete<'a>(
    to: &Admitted<'a>,
    result: &[u8],
    options: &CompleteOptions<'_>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, ReplyError<'a>> {
    let id = request_id(to)?;
    let result = host_json(result, scratch)?;
    let own = Own::read(result)?;
    let caching = Caching::of(to);
    let payload = result.members().filter(|(name, _)| Member::of(*name).is_none_or(|member| caching.keeps(member)));

    let mut w = Writer::new(out);
    if to.era() == Era::Legacy {
        write_head(&mut w, Some(id));
        w.raw(b"\"result\":{");
        let empty = write_members(&mut w, payload, true);
        write_legacy_meta(&mut w, own.meta, empty);
    } else {
        let hints = own.hints(caching, options)?;
        let server_info = host_server_info(options.server_info, scratch)?;
        write_head(&mut w, Some(id));
        w.raw(b"\"result\":{\"resultType\":\"complete\"");
        write_members(&mut w, payload, false);
        if let Some((ttl_ms, scope)) = hints {
            w.raw(b",\"ttlMs\":");
            w.natural(ttl_ms);
            w.raw(b",\"cacheScope\":");
            w.string(scope.as_str());
        }
        write_meta(&mut w, own.meta, server_info);
    }
    w.raw(b"}}");
    Ok(w.finish()?)
}

/// Writes the `_meta` of a legacy result, after members that are `empty` so far: what the host put there but for the name
/// of the server, which those revisions have in the handshake.
fn write_legacy_meta(w: &mut Writer<'_>, meta: Option<Raw<'_>>, empty: bool) {
    let Some(meta) = meta else { return };
    let members = meta.members().filter(|(name, _)| *name != *SERVER_INFO);
    if members.clone().next().is_none() && meta.members().next().is_some() {
        return;
    }
    w.raw(if empty { b"\"_meta\":{" } else { b",\"_meta\":{" });
    write_members(w, members, true);
    w.raw(b"}");
}

/// A member of a result that means something to the protocol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    ResultType,
    TtlMs,
    CacheScope,
    Meta,
}

impl Member {
    fn of(name: Text<'_>) -> Option<Self> {
        const NAMES: [(&str, Member); 4] = [
            ("resultType", Member::ResultType),
            ("ttlMs", Member::TtlMs),
            ("cacheScope", Member::CacheScope),
            ("_meta", Member::Meta),
        ];
        NAMES.iter().find(|(known, _)| name == **known).map(|&(_, member)| member)
    }
}

/// What `ttlMs` and `cacheScope` are in the results of a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caching {
    /// Cache hints, and they have to be there.
    Hints,
    /// Forbidden.
    Never,
    /// Members like any other: the method is the host's own.
    Payload,
}

impl Caching {
    fn of(to: &Admitted<'_>) -> Self {
        match to.known_method() {
            Some(method) if method.cacheable => Caching::Hints,
            Some(_) => Caching::Never,
            None => Caching::Payload,
        }
    }

    /// Whether this member is copied along with the payload.
    fn keeps(self, member: Member) -> bool {
        self == Caching::Payload && matches!(member, Member::TtlMs | Member::CacheScope)
    }
}

/// The host's own values for the members that mean something to the protocol.
#[derive(Default)]
struct Own<'r> {
    ttl_ms: Option<Raw<'r>>,
    cache_scope: Option<Raw<'r>>,
    meta: Option<Raw<'r>>,
}

impl<'r> Own<'r> {
    fn read(result: Raw<'r>) -> Result<Self, Misuse> {
        if result.kind() != ValueKind::Object {
            return Err(Misuse::HostJsonNotObject);
        }
        let mut own = Own::default();
        for (name, value) in result.members() {
            match Member::of(name) {
                None => {}
                Some(Member::TtlMs) => own.ttl_ms = Some(value),
                Some(Member::CacheScope) => own.cache_scope = Some(value),
                Some(Member::Meta) => own.meta = Some(checked_meta(value)?),
                Some(Member::ResultType) => checked_result_type(value)?,
            }
        }
        Ok(own)
    }

    /// The cache hints to write, if the method's results have any.
    fn hints(&self, caching: Caching, options: &CompleteOptions<'_>) -> Result<Option<(u64, CacheScope)>, Misuse> {
        let given = options.ttl_ms.is_some() || options.cache_scope.is_some();
        let own = self.ttl_ms.is_some() || self.cache_scope.is_some();
        match caching {
            Caching::Hints => {
                let ttl_ms = self.ttl_ms.map(|value| natural(value).ok_or(Misuse::CacheHint)).transpose()?;
                let scope = self.cache_scope.map(|value| cache_scope(value).ok_or(Misuse::CacheHint)).transpose()?;
                Ok(Some((
                    options.ttl_ms.or(ttl_ms).unwrap_or(0),
                    options.cache_scope.or(scope).unwrap_or(CacheScope::Private),
                )))
            }
            Caching::Never if given || own => Err(Misuse::NotCacheable),
            Caching::Payload if given => Err(Misuse::NotCacheable),
            Caching::Never | Caching::Payload => Ok(None),
        }
    }
}

fn checked_result_type(value: Raw<'_>) -> Result<(), Misuse> {
    if value.text().is_some_and(|text| text == *"complete") { Ok(()) } else { Err(Misuse::ResultType) }
}

fn checked_meta(meta: Raw<'_>) -> Result<Raw<'_>, Misuse> {
    if meta.kind() != ValueKind::Object {
        return Err(Misuse::HostJsonNotObject);
    }
    if !meta.members().all(|(name, _)| is_written_key(name)) {
        return Err(Misuse::MetaKey);
    }
    if meta.get(SERVER_INFO).is_none_or(is_written_implementation) { Ok(meta) } else { Err(Misuse::ServerInfo) }
}

/// The value of an integer that is not negative and written without fraction or exponent.
fn natural(number: Raw<'_>) -> Option<u64> {
    let mut value = 0u64;
    for &byte in number.as_bytes() {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

fn cache_scope(value: Raw<'_>) -> Option<CacheScope> {
    let text = value.text()?;
    [CacheScope::Public, CacheScope::Private].into_iter().find(|scope| text == *scope.as_str())
}

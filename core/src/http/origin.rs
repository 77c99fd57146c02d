//! `Origin` and `Host` against the policy (basic/transports/streamable-http, "Security Warning").

use crate::policy::Origins;

/// An authority split into host and port; the host of an IPv6 literal keeps its brackets.
#[derive(Clone, Copy)]
struct Authority<'a> {
    host: &'a [u8],
    port: Option<u16>,
}

/// Splits `host[:port]` (RFC 3986, 3.2). `None` for anything that is not exactly that.
fn authority(text: &[u8]) -> Option<Authority<'_>> {
    let host_len = if text.first() == Some(&b'[') {
        let close = text.iter().position(|&byte| byte == b']')?;
        let inside = text.get(1..close)?;
        if inside.is_empty() || !inside.iter().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')) {
            return None;
        }
        close + 1
    } else {
        text.iter().position(|&byte| byte == b':').unwrap_or(text.len())
    };
    let (host, rest) = text.split_at_checked(host_len)?;
    let named =
        host.first() == Some(&b'[') || host.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(byte));
    if host.is_empty() || !named {
        return None;
    }
    let port = match rest {
        [] => None,
        [b':', digits @ ..] => Some(port(digits)?),
        _ => return None,
    };
    Some(Authority { host, port })
}

fn port(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() || digits.len() > 5 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    u16::try_from(value).ok()
}

/// An origin: scheme, host, port (RFC 6454). `None` for `null` and for anything malformed.
fn origin(text: &[u8]) -> Option<(&[u8], Authority<'_>)> {
    let colon = text.iter().position(|&byte| byte == b':')?;
    let (scheme, rest) = text.split_at_checked(colon)?;
    let letters = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    if letters { Some((scheme, authority(rest.strip_prefix(b"://")?)?)) } else { None }
}

fn default_port(scheme: &[u8]) -> Option<u16> {
    if scheme.eq_ignore_ascii_case(b"http") {
        Some(80)
    } else if scheme.eq_ignore_ascii_case(b"https") {
        Some(443)
    } else {
        None
    }
}

/// Whether two origins are the same: scheme and host without regard to case, ports with the default filled in.
fn same_origin(a: &[u8], b: &[u8]) -> bool {
    let (Some((scheme_a, a)), Some((scheme_b, b))) = (origin(a), origin(b)) else { return false };
    scheme_a.eq_ignore_ascii_case(scheme_b)
        && a.host.eq_ignore_ascii_case(b.host)
        && a.port.or(default_port(scheme_a)) == b.port.or(default_port(scheme_b))
}

/// `localhost`, `127.0.0.0/8` written as four numbers, or `[::1]`, on any port.
fn is_loopback(host: &[u8]) -> bool {
    if host.eq_ignore_ascii_case(b"localhost") || host == b"[::1]" {
        return true;
    }
    let mut octets = host.split(|&byte| byte == b'.');
    let is_octet = |part: &[u8]| part.len() <= 3 && port(part).is_some_and(|value| value <= 255);
    octets.next() == Some(b"127") && octets.clone().count() == 3 && octets.all(is_octet)
}

/// Whether a present `Origin` may pass. Of several, nobody can say which one counts.
pub(crate) fn origin_allowed<S: AsRef<str>>(value: &[u8], repeated: bool, allowed: &Origins<'_, S>) -> bool {
    match allowed {
        Origins::Any => true,
        _ if repeated => false,
        Origins::Loopback => origin(value)
            .is_some_and(|(scheme, authority)| default_port(scheme).is_some() && is_loopback(authority.host)),
        Origins::List(list) => list.iter().any(|entry| same_origin(value, entry.as_ref().as_bytes())),
    }
}

/// Whether `Host` names one of the allowed hosts. An entry without a port allows every port, since the port a
/// client sees is the listener's or a proxy's business; one with a port allows just that.
pub(crate) fn host_allowed<S: AsRef<str>>(value: &[u8], allowed: &[S]) -> bool {
    let Some(host) = authority(value) else { return false };
    allowed.iter().any(|entry| {
        authority(entry.as_ref().as_bytes()).is_some_and(|entry| {
            entry.host.eq_ignore_ascii_case(host.host) && (entry.port.is_none() || entry.port == host.port)
        })
    })
}

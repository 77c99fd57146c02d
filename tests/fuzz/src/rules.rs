//! The rules of header fields, written a second time and in another way, to hold the core against.

use wireseal::{Origins, Policy, Reason};

use crate::{trimmed, values};

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Canonical Base64 with padding (RFC 4648, 4), bit by bit.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bits = Vec::new();
    for digit in digits.chars() {
        let value = ALPHABET.find(digit)?;
        bits.extend((0..6).rev().map(|bit| value >> bit & 1));
    }
    let (bytes, spare) = bits.split_at(bits.len() / 8 * 8);
    if spare.len() >= 6 || spare.contains(&1) {
        return None;
    }
    Some(bytes.chunks(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | *bit as u8)).collect())
}

/// Whether a value has only bytes that a header may have: visible ASCII, space and tab.
fn is_legal(value: &[u8]) -> bool {
    !value.iter().any(|&byte| (byte < b' ' && byte != b'\t') || byte > b'~')
}

/// Whether a text can be sent as it is: only visible ASCII and inner spaces, and not like the Base64 form.
pub fn is_plain(text: &str) -> bool {
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    !looks_encoded && text.trim_matches([' ', '\t']) == text && text.chars().all(|letter| (' '..='~').contains(&letter))
}

/// What the value of `Mcp-Name` stands for.
pub fn decode(value: &[u8]) -> Option<String> {
    let value = trimmed(value);
    if !is_legal(value) {
        return None;
    }
    let text = std::str::from_utf8(value).ok()?;
    match text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(inside) => String::from_utf8(base64(inside)?).ok(),
        None => Some(text.to_string()),
    }
}

/// A host in lower case, and its port.
fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let text = text.to_ascii_lowercase();
    let cut = if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
    let (host, port) = text.split_at(cut);
    let right = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.chars().all(|letter| letter.is_ascii_hexdigit() || ":.".contains(letter)),
        None => host.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~".contains(letter)),
    };
    if !right || host.is_empty() || host == "[]" {
        return None;
    }
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        Some(digits) if (1..=5).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_digit()) => {
            Some(digits.parse().ok()?)
        }
        _ => return None,
    };
    Some((host.to_string(), port))
}

/// Scheme, host, port, with the port that the scheme implies filled in.
fn origin(value: &[u8]) -> Option<(String, String, Option<u16>)> {
    let (scheme, rest) = std::str::from_utf8(value).ok()?.split_once("://")?;
    let right = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    if !right {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let (host, port) = authority(rest)?;
    let implied = match scheme.as_str() {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    Some((scheme, host, port.or(implied)))
}

fn origin_passes(origins: &[&[u8]], allowed: &Origins<'_>) -> bool {
    match (origins, allowed) {
        ([], _) | (_, Origins::Any) => true,
        ([value], Origins::List(list)) => origin(value)
            .is_some_and(|value| list.iter().any(|entry| origin(entry.as_bytes()).as_ref() == Some(&value))),
        ([value], Origins::Loopback) => origin(value).is_some_and(|(scheme, host, _)| {
            let numbers: Vec<&str> = host.split('.').collect();
            let in_127 = numbers.len() == 4
                && numbers[0] == "127"
                && numbers.iter().all(|part| part.len() <= 3 && part.parse::<u8>().is_ok() && !part.starts_with('+'));
            matches!(scheme.as_str(), "http" | "https") && (host == "localhost" || host == "[::1]" || in_127)
        }),
        (_, _) => false,
    }
}

fn host_passes(hosts: &[&[u8]], allowed: &[&str]) -> bool {
    let [host] = hosts else { return false };
    let Some((name, port)) = std::str::from_utf8(host).ok().and_then(authority) else { return false };
    allowed
        .iter()
        .filter_map(|entry| authority(entry))
        .any(|(entry, wanted)| entry == name && (wanted.is_none() || wanted == port))
}

/// Whether all `Accept` fields together let a type pass.
fn accepts(fields: &[&[u8]], kind: &str, subtype: &str) -> bool {
    let ranges = fields.iter().flat_map(|field| field.split(|&byte| byte == b','));
    let mut by_rank = [None; 3];
    for range in ranges {
        let mut parts = range.split(|&byte| byte == b';').map(|part| trimmed(part).to_ascii_lowercase());
        let media = parts.next().unwrap_or_default();
        let zero = parts.any(|part| [&b"q=0"[..], b"q=0.", b"q=0.0", b"q=0.00", b"q=0.000"].contains(&&*part));
        let ranks = [format!("{kind}/{subtype}"), format!("{kind}/*"), "*/*".to_string()];
        if let Some(rank) = ranks.iter().position(|name| name.as_bytes() == media) {
            by_rank[rank] = Some(by_rank[rank].unwrap_or(false) || !zero);
        }
    }
    by_rank.into_iter().flatten().next().unwrap_or(false)
}

/// Why a well-formed modern `tools/list` with these fields is refused; `None` when it is admitted.
pub fn tools_list(fields: &[(&[u8], &[u8])], policy: &Policy<'_>) -> Option<Reason> {
    let all = |name: &str| values(fields, name);
    if !origin_passes(&all("origin"), &policy.allowed_origins) {
        return Some(Reason::OriginNotAllowed);
    }
    if policy.allowed_hosts.is_some_and(|allowed| !host_passes(&all("host"), allowed)) {
        return Some(Reason::HostNotAllowed);
    }
    match all("content-type")[..] {
        [] => {}
        [one] => {
            let media = one.split(|&byte| byte == b';').next().unwrap_or_default();
            if !trimmed(media).eq_ignore_ascii_case(b"application/json") {
                return Some(Reason::ContentType);
            }
        }
        _ => return Some(Reason::ContentType),
    }
    let accept = all("accept");
    let both = accepts(&accept, "application", "json") && accepts(&accept, "text", "event-stream");
    if !accept.is_empty() && !both {
        return Some(Reason::NotAcceptable);
    }
    let lower: Vec<Vec<u8>> = fields.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let params: Vec<&[u8]> = lower.iter().filter_map(|name| name.strip_prefix(b"mcp-param-")).collect();
    // Only so many are remembered; with more, the request is refused either way.
    let twice = (1..params.len()).any(|later| params[..later.min(32)].contains(&params[later]));
    let single = ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"];
    if twice || single.iter().any(|name| all(name).len() > 1) {
        return Some(Reason::DuplicateHeader);
    }
    if params.len() > 32 {
        return Some(Reason::TooManyParamHeaders);
    }
    let version = all("mcp-protocol-version");
    match version.first() {
        None => return Some(Reason::VersionHeaderMissing),
        Some(&(b"2024-11-05" | b"2025-03-26" | b"2025-06-18" | b"2025-11-25")) => return Some(Reason::EraMismatch),
        Some(value) if !is_legal(value) => return Some(Reason::HeaderValue),
        Some(value) if **value != *b"2026-07-28" => return Some(Reason::VersionMismatch),
        Some(_) => {}
    }
    match all("mcp-method").first() {
        None => Some(Reason::MethodHeaderMissing),
        Some(value) if !is_legal(value) => Some(Reason::HeaderValue),
        Some(value) if **value != *b"tools/list" => Some(Reason::MethodMismatch),
        Some(_) => None,
    }
}

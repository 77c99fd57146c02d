//! What `_meta` is made of (basic/index of the specification, "`_meta`"): the grammar of key names, and the one
//! shape that both sides put in it.

use crate::json::{Raw, Text, ValueKind};

/// Whether a `_meta` key follows the grammar: `[prefix "/"] name`, the prefix being labels joined by dots.
///
/// A sender must not produce any other key (META-08 to META-10). Towards what comes in WireSeal is lenient: a
/// foreign key with a bad name is carried, not refused.
#[must_use]
pub fn is_meta_key(key: &str) -> bool {
    is_key(key.as_bytes())
}

/// The same of a name in a document; one with an escape is none, since no letter of a key needs one.
pub(crate) fn is_written_key(name: Text<'_>) -> bool {
    !name.is_escaped() && is_key(name.raw())
}

/// Whether an extension's id follows its grammar: that of a `_meta` key, with the prefix that those may lack, and a name
/// (EXT-02; basic/versioning, "Extension Negotiation").
///
/// Nobody may write any other id. One that comes is carried, as a foreign `_meta` key is, and declares nothing that
/// [`require`](crate::require) could ask for.
#[must_use]
pub fn is_extension_id(id: &str) -> bool {
    is_extension(id.as_bytes())
}

/// The same of a name in a document.
pub(crate) fn is_written_extension(name: Text<'_>) -> bool {
    !name.is_escaped() && is_extension(name.raw())
}

fn is_extension(id: &[u8]) -> bool {
    is_key(id) && id.contains(&b'/') && !id.ends_with(b"/")
}

fn is_key(key: &[u8]) -> bool {
    match key.iter().position(|&byte| byte == b'/') {
        None => is_name(key),
        Some(slash) => {
            let prefix = key.get(..slash).unwrap_or_default();
            let name = key.get(slash + 1..).unwrap_or_default();
            prefix.split(|&byte| byte == b'.').all(is_label) && is_name(name)
        }
    }
}

/// Whether a `_meta` key belongs to MCP, so that nobody else may mint it: its prefix has `mcp` or
/// `modelcontextprotocol` for the second label (META-12), or it is one of the names without a prefix that the
/// specification defines (META-14, META-15).
#[must_use]
pub fn is_reserved_meta_key(key: &str) -> bool {
    match key.split_once('/') {
        None => matches!(key, "progressToken" | "traceparent" | "tracestate" | "baggage"),
        Some((prefix, _)) => matches!(prefix.split('.').nth(1), Some("mcp" | "modelcontextprotocol")),
    }
}

/// A label begins with a letter, ends with a letter or digit, and has letters, digits and hyphens between.
fn is_label(label: &[u8]) -> bool {
    label.first().is_some_and(u8::is_ascii_alphabetic)
        && label.last().is_some_and(u8::is_ascii_alphanumeric)
        && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// A name is empty, or begins and ends with a letter or digit and has hyphens, underscores and dots between.
fn is_name(name: &[u8]) -> bool {
    let edge = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    edge(name.first())
        && edge(name.last())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// An Implementation: an object whose `name` and `version` are strings (META-03).
pub(crate) fn is_implementation(info: Raw<'_>) -> bool {
    let (mut name, mut version) = (false, false);
    for (key, value) in info.members() {
        let string = value.kind() == ValueKind::String;
        name |= string && key == "name";
        version |= string && key == "version";
    }
    name && version
}

/// The same of one that the host writes, whose strings must also be text: no unpaired surrogate is in them.
pub(crate) fn is_written_implementation(info: Raw<'_>) -> bool {
    let lone = |value: Raw<'_>| value.text().is_some_and(|text| text.has_lone_surrogate());
    is_implementation(info) && !info.members().any(|(_, value)| lone(value))
}

#[cfg(test)]
mod tests {
    use super::{is_extension_id, is_meta_key, is_reserved_meta_key};

    #[test]
    fn meta_08_to_10_key_grammar() {
        for key in [
            "com.example/trace",
            "a.b-2/x",
            "com.example/a_b.c",
            "com.example/",
            "traceparent",
            "x/1",
            "",
            "a",
            "A.B/C",
            "io.modelcontextprotocol/clientInfo",
            "a-b/x",
        ] {
            assert!(is_meta_key(key), "{key}");
        }
        for key in [
            "com.example/a/b",
            "2a.b/x",
            "a.b-/x",
            "com..example/v",
            "1x.example/v",
            "a/b/c",
            "bad name",
            "com.example-/v",
            "com.example/_a",
            "com.example/a_",
            "/x",
            ".a/x",
            "a./x",
            "-a/x",
            "a b/x",
            "ü/x",
            "a/ü",
            "_a",
            "a.",
            "a_b/x",
        ] {
            assert!(!is_meta_key(key), "{key}");
        }
    }

    #[test]
    fn ext_02_extension_ids() {
        for id in ["com.example/websocket", "io.modelcontextprotocol/tasks", "com.example/x-v2", "a/b", "x-y.z/a_b.c"] {
            assert!(is_extension_id(id), "{id}");
        }
        for id in
            ["websocket", "", "/x", "com.example/", "com.example/a/b", "com..example/x", "1.com/x", "com.example/_x"]
        {
            assert!(!is_extension_id(id), "{id}");
        }
    }

    #[test]
    fn meta_12_reserved_prefixes() {
        for key in ["dev.mcp/a", "com.mcp.tools/a", "io.modelcontextprotocol/x", "progressToken", "baggage"] {
            assert!(is_reserved_meta_key(key), "{key}");
        }
        for key in
            ["com.example.mcp/a", "mcp/a", "modelcontextprotocol/a", "com.example/a", "token", "mcp", "com.mcpx/a"]
        {
            assert!(!is_reserved_meta_key(key), "{key}");
        }
    }
}

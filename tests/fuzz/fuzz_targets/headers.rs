//! Header fields and values, beside a second reading of the same rules.
//!
//! Input: a line that stands for a name and for a header value, then header lines up to an empty one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::json::scratch_len;
use wireseal::{Context, Headers, Origins, Policy, Reason, admit, decode_header_value, encode_header_value};
use wireseal_fuzz::{answer, header_lines, rules, trimmed, written};

const PLAIN: Policy<'_> = Policy::new();
const LIST: &[&str] = &["https://desk.example", "http://[::1]:80", "HTTP://LOCALHOST:8123", "app+x://room", "null"];
const HOSTS: &[&str] = &["desk.example", "[::1]:8080", "127.0.0.1:0", ""];
const POLICIES: [Policy<'_>; 4] = [
    PLAIN,
    Policy { allowed_origins: Origins::List(LIST), ..PLAIN },
    Policy { allowed_origins: Origins::Any, allowed_hosts: Some(HOSTS), ..PLAIN },
    Policy { allowed_hosts: Some(&[]), ..PLAIN },
];
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let (line, rest) = data.split_at(end);
    let (fields, _) = header_lines(rest.get(1..).unwrap_or_default());
    value(line);
    if let Ok(name) = std::str::from_utf8(line) {
        round_trip(name);
        let header = fields.first().map_or(&b""[..], |(_, value)| *value);
        mirrored_name(name, header);
    }
    first_rungs(&fields);
});

/// Decoding, beside the second reading.
fn value(value: &[u8]) {
    let expected = rules::decode(value);
    let Some(found) = decode_header_value(value, &mut []) else {
        assert_eq!(expected, None, "refused: {value:?}");
        return;
    };
    let expected = expected.unwrap_or_else(|| panic!("must be refused: {value:?}"));
    assert_eq!(found.is_ok(), expected.is_empty());
    let out = written(|out| decode_header_value(value, out).expect("the same verdict with more room"));
    assert_eq!(out, expected.as_bytes());
}

/// What is encoded is legal, needs no more than it must, and reads back.
fn round_trip(text: &str) {
    let header = written(|out| encode_header_value(text, out));
    assert!(header.iter().all(|byte| matches!(byte, 0x20..=0x7E)), "{header:?}");
    assert_eq!(trimmed(&header), header);
    assert_eq!(rules::decode(&header).as_deref(), Some(text));
    assert_eq!(header == text.as_bytes(), rules::is_plain(text));
    value(&header);
}

/// `tools/call` of a name is admitted just when `Mcp-Name` stands for it.
fn mirrored_name(name: &str, header: &[u8]) {
    let quoted = serde_json::to_string(name).expect("a JSON string");
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{quoted},{META}}}}}"#);
    let body = body.as_bytes();
    let mut scratch = vec![0; scratch_len(body.len())];
    let encoded = written(|out| encode_header_value(name, out));
    for value in [header, &encoded] {
        let fields: [(&[u8], &[u8]); 3] =
            [(b"MCP-Protocol-Version", b"2026-07-28"), (b"mcp-method", b"\ttools/call "), (b"Mcp-Name", value)];
        let expected = match rules::decode(value) {
            None => Some(Reason::HeaderValue),
            Some(text) if text != name => Some(Reason::NameMismatch),
            Some(_) => None,
        };
        let verdict = admit(body, &Context::http(&Headers::collect(fields)), &PLAIN, &mut scratch);
        assert_eq!(verdict.err().map(|rejected| rejected.reason()), expected, "{name:?} and {value:?}");
    }
}

/// A `tools/list` with these fields: the reason is the one that the rules give.
fn first_rungs(fields: &[(&[u8], &[u8])]) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let body = body.as_bytes();
    let mut scratch = vec![0; scratch_len(body.len())];
    for policy in &POLICIES {
        let headers = Headers::collect(fields.iter().copied());
        let verdict = admit(body, &Context::http(&headers), policy, &mut scratch);
        if let Err(rejected) = &verdict {
            answer(rejected);
        }
        assert_eq!(verdict.err().map(|rejected| rejected.reason()), rules::tools_list(fields, policy), "{policy:?}");
    }
}

//! The limits that no shared vector can express, because the caller lends the memory. Each at its edge.
#![allow(clippy::unwrap_used, reason = "a test may fail so")]

use wireseal::json::{check, scratch_len};
use wireseal::limits::{MAX_BODY_BYTES, MAX_DEPTH, MAX_PARAM_HEADERS};
use wireseal::{Context, Headers, Misuse, Policy, Reason, Version, VersionSet, admit};

/// One object with so many members.
fn object(members: usize) -> String {
    let all: Vec<String> = (0..members).map(|i| format!("\"{i}\":0")).collect();
    format!("{{{}}}", all.join(","))
}

#[test]
fn scratch_bounds_the_members_that_are_open_at_once() {
    // One slot for the object and one for each member.
    let text = object(100);
    assert!(check(text.as_bytes(), 64, &mut [0; 101]).is_ok());
    let refused = check(text.as_bytes(), 64, &mut [0; 100]).unwrap_err();
    assert_eq!((refused.reason, refused.offset), (Reason::TooManyMembers, text.find("\"99\"").unwrap()));
    assert_eq!(check(b"{}", 64, &mut []).unwrap_err().reason, Reason::TooManyMembers);
    assert!(check(b"[[[0]]]", 64, &mut []).is_ok(), "arrays need none");
    // What is closed is forgotten: many objects one after the other need no more than one of them.
    let row = format!("[{}]", vec![object(10); 500].join(","));
    assert!(check(row.as_bytes(), 64, &mut [0; 11]).is_ok());
}

#[test]
fn scratch_len_suffices_for_the_densest_texts() {
    let nested = format!("{}0{}", "{\"\":".repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH));
    let twice = "{\"\":0,\"\":0,\"\":0,\"\":0,\"\":0,\"\":0,\"\":0,\"\":0}".to_owned(); // refused, but only as a duplicate
    for text in [nested, object(1), object(10_000), twice] {
        let mut scratch = vec![0; scratch_len(text.len())];
        let verdict = check(text.as_bytes(), MAX_DEPTH, &mut scratch);
        assert!(verdict.is_ok() || verdict.is_err_and(|error| error.reason == Reason::DuplicateMember));
    }
}

#[test]
fn depth_is_capped_whatever_is_asked_for() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(check(nested(MAX_DEPTH).as_bytes(), usize::MAX, &mut []).is_ok());
    let refused = check(nested(MAX_DEPTH + 1).as_bytes(), usize::MAX, &mut []).unwrap_err();
    assert_eq!((refused.reason, refused.offset), (Reason::TooDeep, MAX_DEPTH));
    assert!(check(b"0", 0, &mut []).is_ok());
    assert_eq!(check(b"[]", 0, &mut []).unwrap_err().reason, Reason::TooDeep);
}

#[test]
fn hdr_14_param_headers_have_a_limit_and_no_twin() {
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let verdict = |names: &[String]| {
        let fields = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
        let fields = fields.into_iter().chain(names.iter().map(|name| (name.as_str(), "v")));
        let headers = Headers::collect(fields.map(|(name, value)| (name.as_bytes(), value.as_bytes())));
        let policy: Policy<'_> = Policy::new();
        admit(body, &Context::http(&headers), &policy, &mut [0; 16]).map(|_| ()).unwrap_err().reason()
    };
    let mut names: Vec<String> = (0..MAX_PARAM_HEADERS).map(|i| format!("Mcp-Param-P{i}")).collect();
    assert_eq!(verdict(&names), Reason::MetaNotObject, "past the headers, to the next fault");
    names.push("Mcp-Param-One-More".to_owned());
    assert_eq!(verdict(&names), Reason::TooManyParamHeaders);
    assert_eq!(verdict(&["Mcp-Param-A".to_owned(), "mcp-param-a".to_owned()]), Reason::DuplicateHeader);
}

#[test]
fn policy_check_refuses_what_the_core_cannot_keep() {
    let sound: Policy<'_> = Policy::new();
    assert_eq!(sound.check(), Ok(()));
    for max_bytes in [1, MAX_BODY_BYTES] {
        assert_eq!(Policy { max_bytes, ..sound }.check(), Ok(()));
    }
    for max_bytes in [0, MAX_BODY_BYTES + 1] {
        assert_eq!(Policy { max_bytes, ..sound }.check(), Err(Misuse::LimitOutOfRange));
    }
    for max_depth in [1, MAX_DEPTH] {
        assert_eq!(Policy { max_depth, ..sound }.check(), Ok(()));
    }
    for max_depth in [0, MAX_DEPTH + 1] {
        assert_eq!(Policy { max_depth, ..sound }.check(), Err(Misuse::LimitOutOfRange));
    }
    let modern = VersionSet::of(&[Version::V2026_07_28]);
    let legacy = VersionSet::of(&[Version::V2025_06_18]);
    assert_eq!(Policy { versions: VersionSet::EMPTY, legacy, ..sound }.check(), Ok(()));
    for (versions, legacy) in [(legacy, VersionSet::EMPTY), (modern, modern), (VersionSet::EMPTY, VersionSet::EMPTY)] {
        assert_eq!(Policy { versions, legacy, ..sound }.check(), Err(Misuse::UnknownVersion));
    }
}

#[test]
fn a_view_over_another_body_is_nonsense_that_ends() {
    let body = br#"{"jsonrpc":"2.0","method":"n","params":{"a":"zzzzz"}}"#;
    let policy: Policy<'_> = Policy::new();
    let spans = admit(body, &Context::stdio(), &policy, &mut [0; 16]).unwrap().spans();
    let copy = String::from_utf8(body.to_vec()).unwrap().replace(r#"{"a":"zzzzz"}"#, r#"{,"][x"\""}[{"#);
    let view = spans.view(copy.as_bytes()).unwrap();
    assert_eq!(wireseal::seal::arguments_digest(view.params(), &mut [0; 64]), Err(Misuse::HostJson));
    assert!(spans.view(&body[1..]).is_none(), "of another length it is none at all");
}

#[test]
fn the_length_of_a_token_never_overflows() {
    assert_eq!(wireseal::seal::compact_token_len(0), 79);
    assert!(wireseal::seal::compact_token_len(usize::MAX) > usize::MAX / 2);
}

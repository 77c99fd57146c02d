//! What a server answers, and the next leg of a request after it.
//!
//! Input: a request as it was sent, a line with `--`, the answer, another such line, the answers to its questions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use wireseal::Id;
use wireseal::client::{Received, ResultType, Sent, probe};
use wireseal::json::{TooSmall, check, scratch_len};
use wireseal::limits::{MAX_QUESTIONS, MAX_TTL_MS};
use wireseal::reply::ReplyError;
use wireseal_fuzz::{parse, part, text, walk};

fuzz_target!(|data: &[u8]| {
    let (request, rest) = part(data);
    let (answer, responses) = part(rest);
    let mut memory = vec![0; scratch_len(answer.len())];
    for status in [None, Some(200), Some(400), Some(404), Some(503)] {
        let probed = probe(status, answer, &mut memory);
        probed.versions().for_each(text);
        std::hint::black_box((probed.era(), probed.choose(wireseal::VersionSet::of(&wireseal::Version::ALL))));
    }
    let received = match Received::read(answer, &mut memory) {
        Ok(received) => received,
        Err(refused) => return assert_eq!(refused.emit(&mut []), Ok(0), "nothing is answered to a response"),
    };
    // An unpaired surrogate is more than serde_json reads.
    if let Ok(read) = parse(answer.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(answer)) {
        agrees(&received, &read);
    }
    let mut memory = vec![0; scratch_len(request.len())];
    let Ok(sent) = Sent::read(request, &mut memory) else { return };
    std::hint::black_box(received.fresh_until_ms(&sent, 1_785_000_000_000));
    sent.headers(None, &mut vec![0; 2 * request.len() + 64], |name, value| {
        assert!(name.is_ascii() && value.bytes().all(|byte| matches!(byte, 0x20..=0x7E | b'\t')));
    })
    .ok();
    second_leg(&sent, &received, responses);
});

/// The accessors beside serde_json's reading.
fn agrees(received: &Received<'_>, read: &Value) {
    [received.result(), received.error(), received.input_requests(), received.server_info()]
        .into_iter()
        .flatten()
        .for_each(walk);
    let result = &read["result"];
    match received.result_type() {
        None => assert!(read["error"]["code"].is_number() && read["error"]["message"].is_string()),
        Some(kind) => {
            assert!(result.is_object() && read.get("error").is_none());
            assert_eq!(
                result.get("resultType").map_or("complete", |named| named.as_str().expect("a string")),
                kind.as_str()
            );
            assert!(received.ttl_ms() <= MAX_TTL_MS && (kind == ResultType::Complete || received.ttl_ms() == 0));
            if let Some(ttl) = result["ttlMs"].as_u64().filter(|_| kind == ResultType::Complete) {
                assert_eq!(received.ttl_ms(), ttl.min(MAX_TTL_MS));
            }
            let asks = received.input_requests().is_some() || received.request_state().is_some();
            assert_eq!(asks, kind == ResultType::InputRequired);
            assert!(received.input_requests().is_none_or(|all| all.members().count() <= MAX_QUESTIONS));
        }
    }
    for found in [received.request_state(), received.next_cursor()].into_iter().flatten() {
        text(found);
    }
}

/// What is written after an answer is a request again, with the same method, params and state.
fn second_leg(sent: &Sent<'_>, received: &Received<'_>, responses: &[u8]) {
    const NEW: &[u8] = b"\"the next leg\"";
    let id = Id::parse(check(NEW, 1, &mut []).expect("JSON")).expect("an id");
    let room = sent.message().body().len()
        + responses.len()
        + received.request_state().map_or(0, |state| state.raw().len())
        + 128;
    let slots = scratch_len(responses.len().max(received.input_requests().map_or(0, |all| all.as_bytes().len())));
    let (mut scratch, mut out) = (vec![0; slots], vec![0; room]);
    let len = match sent.retry(received, responses, id, &mut scratch, &mut out) {
        Ok(len) => len,
        Err(ReplyError::TooSmall(TooSmall { needed })) => panic!("room enough: {needed} of {room}"),
        Err(_) => return,
    };
    let mut memory = vec![0; scratch_len(len)];
    let again = Sent::read(&out[..len], &mut memory).expect("what is written is a request");
    assert!(again.message().method() == sent.message().method() && again.message().name() == sent.message().name());
    assert_eq!(again.message().request_state(), received.request_state());
    assert_eq!(again.message().id().map(|id| id.raw()), Some(NEW));
    assert_eq!(again.message().input_responses().is_some(), received.input_requests().is_some());
    let plain = |message: &wireseal::Admitted<'_>| parse(message.arguments()?.as_bytes()).ok();
    assert_eq!(plain(again.message()), plain(sent.message()));
}

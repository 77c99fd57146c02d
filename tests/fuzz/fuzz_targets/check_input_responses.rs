//! What was asked, and what came back for it.
//!
//! Input: the requests, a line with `--`, the responses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::json::{check, scratch_len};
use wireseal::limits::MAX_DEPTH;
use wireseal::{Verdict, check_input_responses};
use wireseal_fuzz::{parse, part, text};

fuzz_target!(|data: &[u8]| {
    let (requests, responses) = part(data);
    let (mut one, mut two) = (vec![0; scratch_len(requests.len())], vec![0; scratch_len(responses.len())]);
    let Ok(asked) = check(requests, MAX_DEPTH, &mut one) else { return };
    let came = check(responses, MAX_DEPTH, &mut two).ok();
    let mut verdicts = Vec::new();
    let judged = check_input_responses(asked, came, |key, verdict| {
        text(key);
        let word = match verdict {
            Verdict::Answered => "answered",
            Verdict::Missing => "missing",
            Verdict::Invalid { reason, member } => {
                assert!(reason.code() == -32602 && reason.status() == 400);
                member.map(text);
                "invalid"
            }
        };
        verdicts.push((key, word));
    });
    if judged.is_err() {
        return;
    }
    // One verdict for each question, in order, whatever else came.
    assert!(asked.members().map(|(key, _)| key).eq(verdicts.iter().map(|(key, _)| *key)));
    let (Ok(asked), read) = (parse(requests), parse(responses)) else { return };
    for (key, word) in verdicts {
        let Some(name) = key.as_str() else { continue };
        let method = asked[name]["method"].as_str().expect("a method");
        let response = read.as_ref().ok().and_then(|all| all.get(name)).filter(|value| !value.is_null());
        match (word, response) {
            ("missing", _) => {}
            (_, None) => assert!(read.is_err() || word == "missing", "{name}: {word}"),
            ("answered", Some(response)) => match method {
                "elicitation/create" => {
                    assert!(matches!(response["action"].as_str(), Some("accept" | "decline" | "cancel")));
                }
                "roots/list" => assert!(response["roots"].is_array()),
                _ => assert!(response["role"].is_string() && response["model"].is_string()),
            },
            (_, Some(_)) => {}
        }
    }
});

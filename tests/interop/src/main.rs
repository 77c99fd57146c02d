//! Seals and opens with `rmcp`'s codec: one line of JSON in, one out. Bytes are arrays of numbers.
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde_json::{Value, json};

fn bytes(value: &Value) -> Vec<u8> {
    let numbers = value.as_array().expect("an array of numbers");
    numbers.iter().map(|number| number.as_u64().and_then(|n| u8::try_from(n).ok()).expect("a byte")).collect()
}

fn answer(line: &Value) -> Value {
    let codec = RequestStateCodec::try_new(bytes(&line["key"])).expect("a key of 32 bytes or more");
    let associated = bytes(&line["binding"]);
    if let Some(token) = line["open"].as_str() {
        return match codec.open_with(token, &associated) {
            Ok(state) => json!({"state": state}),
            Err(error) => json!({"error": error.to_string()}),
        };
    }
    let mut options = SealOptions::new().associated_data(&associated);
    if let Some(ttl) = line["ttl_ms"].as_u64() {
        options = options.ttl(Duration::from_millis(ttl));
    }
    json!({"token": codec.seal_with(&bytes(&line["seal"]), &options)})
}

fn main() {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let line = serde_json::from_str(&line.expect("a line")).expect("JSON");
        writeln!(out, "{}", answer(&line)).expect("written");
    }
}

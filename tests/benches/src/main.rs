//! `make bench`: W1mix through WireSeal, rmcp and serde_json, side by side in one process.

mod peers;
mod w1mix;

use std::hint::black_box;

use http::HeaderMap;
use w1mix::Message;
use wireseal::{Context, Headers, Policy, admit, json::scratch_len};

const ROUNDS: usize = 25;
/// Passes over the workload for each sample: some 5 to 15 ms of work.
const SAMPLE_NS: u64 = 8_000_000;

/// The whole of WireSeal's side: the headers are collected from name and value pairs on every call.
fn wireseal(message: &Message, scratch: &mut [u64]) -> bool {
    let headers = Headers::collect(message.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())));
    const POLICY: Policy<'_> = Policy::new();
    match admit(&message.body, &Context::http(&headers), &POLICY, scratch) {
        Ok(admitted) => {
            black_box((admitted.id(), admitted.method(), admitted.name(), admitted.arguments()));
            true
        }
        Err(_) => false,
    }
}

/// Processor time of this thread, in nanoseconds: other work on the machine does not count.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to fill, and the clock id is a constant of the platform.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the thread clock must be readable");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let messages = w1mix::messages();
    let maps: Vec<HeaderMap> = messages.iter().map(peers::header_map).collect();
    let bytes: usize = messages.iter().map(|m| m.body.len()).sum();
    let longest = messages.iter().map(|m| m.body.len()).max().unwrap_or(0);
    let mut scratch = vec![0u64; scratch_len(longest)];

    type Pass<'a> = Box<dyn FnMut(usize) -> bool + 'a>;
    let mut peers: Vec<(&str, Pass<'_>)> = vec![
        ("wireseal admit", Box::new(|i| wireseal(&messages[i], &mut scratch))),
        ("rmcp 3.11.0 from_slice + to_value + compare", Box::new(|i| peers::rmcp(&messages[i].body, &maps[i]))),
        ("serde_json RawValue struct + compare", Box::new(|i| peers::raw_value(&messages[i]))),
    ];

    // Each must accept the whole workload, or the comparison means nothing.
    for (name, pass) in &mut peers {
        assert!((0..messages.len()).all(&mut *pass), "{name} refuses a message of the workload");
    }
    assert_refusals(&messages[0]);

    let mut repeats = Vec::new();
    for (_, pass) in &mut peers {
        let start = now();
        (0..messages.len()).for_each(|i| assert!(black_box(pass(i))));
        repeats.push((SAMPLE_NS / (now() - start).max(1)).max(1));
    }
    let mut samples = vec![Vec::new(); peers.len()];
    for _ in 0..ROUNDS {
        for (which, (_, pass)) in peers.iter_mut().enumerate() {
            let start = now();
            for _ in 0..repeats[which] {
                for i in 0..messages.len() {
                    black_box(pass(i));
                }
            }
            samples[which].push((now() - start) as f64 / (repeats[which] * messages.len() as u64) as f64);
        }
    }

    let mean = bytes as f64 / messages.len() as f64;
    println!(
        "W1mix: {} tools/call requests, mean {mean:.0} B, seed {:#x}, {ROUNDS} interleaved rounds, CPU time",
        messages.len(),
        w1mix::SEED
    );
    println!("{:<46} {:>10} {:>10} {:>8}", "", "median ns", "least ns", "ratio");
    let ours = samples[0].clone();
    for (which, (name, _)) in peers.iter().enumerate() {
        let ratio = median(samples[which].iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect());
        let least = samples[which].iter().copied().fold(f64::INFINITY, f64::min);
        println!("{name:<46} {:>10.0} {least:>10.0} {ratio:>8.2}", median(samples[which].clone()));
    }
}

/// The comparison of headers is real in all three: a wrong or missing one is refused.
fn assert_refusals(message: &Message) {
    let mut scratch = vec![0u64; scratch_len(message.body.len())];
    for (header, value) in [(0, "2025-11-25"), (1, "tools/list"), (2, "another_tool")] {
        let mut wrong = Message { body: message.body.clone(), headers: message.headers.clone() };
        wrong.headers[header].1 = value.into();
        let map = peers::header_map(&wrong);
        assert!(!wireseal(&wrong, &mut scratch), "wireseal must refuse a wrong {}", wrong.headers[header].0);
        assert!(!peers::rmcp(&wrong.body, &map), "rmcp must refuse a wrong {}", wrong.headers[header].0);
        assert!(!peers::raw_value(&wrong), "serde must refuse a wrong {}", wrong.headers[header].0);
    }
}

//! Generated and mutated documents through WireSeal, serde_json and Python's json: the same verdict but for the
//! differences that README.md lists, and the same values.
//!
//! `differential PYTHON REFERENCE.PY`; N documents (100000) and SEED from the environment.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use wireseal::limits::MAX_DEPTH;
use wireseal_json_tests::Verdict;
use wireseal_json_tests::compare::{BOM, compare};
use wireseal_json_tests::generate::document;

const SEED: u64 = 0x5717_2026_0728_0003;
const BATCH: u64 = 256;
/// Asks the Python side for the answers that it still holds back.
const FLUSH: [u8; 4] = u32::MAX.to_le_bytes();

/// One document's answer of the Python side.
fn answer(from: &mut impl Read) -> io::Result<Verdict> {
    let mut head = [0u8; 5];
    from.read_exact(&mut head)?;
    let [letter, length @ ..] = head;
    let mut spelling = vec![0u8; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut spelling)?;
    let spelling = String::from_utf8(spelling).map_err(io::Error::other)?;
    Ok(match letter {
        b'A' => Verdict::Accepted(spelling),
        b'D' => Verdict::Duplicate(spelling),
        _ => Verdict::Refused,
    })
}

/// How a document is shown in a report.
fn shown(document: &[u8]) -> String {
    document.iter().take(2000).flat_map(|byte| std::ascii::escape_default(*byte)).map(char::from).collect()
}

fn main() -> ExitCode {
    let number = |name: &str, default: u64| match env::var(name) {
        Ok(text) => match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).expect(name),
            None => text.parse().expect(name),
        },
        Err(_) => default,
    };
    let (count, seed) = (number("N", 100_000), number("SEED", SEED));
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [python, reference] = arguments.as_slice() else { panic!("usage: differential PYTHON REFERENCE.PY") };
    let start = Instant::now();
    let mut child = Command::new(python)
        .arg(reference)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python reference starts");
    let mut to_python = BufWriter::new(child.stdin.take().expect("a pipe"));
    let mut from_python = BufReader::new(child.stdout.take().expect("a pipe"));
    let (sender, receiver) = sync_channel::<(u64, Vec<Vec<u8>>)>(16);

    let writer = std::thread::spawn(move || -> io::Result<()> {
        for first in (0..count).step_by(BATCH as usize) {
            let batch: Vec<Vec<u8>> = (first..count.min(first + BATCH)).map(|n| document(seed, n)).collect();
            let copy = batch.clone();
            if sender.send((first, batch)).is_err() {
                break;
            }
            for document in &copy {
                let body = document.strip_prefix(BOM).unwrap_or(document);
                to_python.write_all(&(body.len() as u32).to_le_bytes())?;
                to_python.write_all(body)?;
            }
            to_python.write_all(&FLUSH)?;
            to_python.flush()?;
        }
        Ok(())
    });

    let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
    let (mut wrong, mut bytes) = (0u64, 0u64);
    for (first, batch) in receiver {
        for (number, document) in (first..).zip(&batch) {
            let python = answer(&mut from_python).expect("an answer of the Python reference");
            bytes += document.len() as u64;
            match compare(document, MAX_DEPTH, Some(&python)) {
                Ok(kind) => *kinds.entry(kind).or_default() += 1,
                Err(problem) => {
                    wrong += 1;
                    if wrong <= 20 {
                        println!("document {number} of seed {seed:#x}: \"{}\": {problem}", shown(document));
                    }
                }
            }
        }
    }
    writer.join().expect("the writer ends").expect("the Python reference reads on");
    assert!(child.wait().expect("the Python reference ends").success(), "the Python reference failed");

    println!("seed {seed:#x}, {count} documents, {bytes} bytes");
    for (kind, times) in &kinds {
        println!("{times:>10} {kind}");
    }
    println!("{wrong:>10} disagreements");
    let kinds_met = ["accepted", "refused", "duplicate", "too deep", "unpaired surrogate"];
    let missing = kinds_met.into_iter().filter(|kind| !kinds.contains_key(kind)).count() as u64;
    let failed = u64::from(wrong > 0) + u64::from(missing > 0);
    println!("{} passed, {failed} failed in {:.1}s", 1u64.saturating_sub(failed), start.elapsed().as_secs_f64());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

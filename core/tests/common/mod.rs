//! What the runners of the shared vectors have in common.
#![allow(dead_code, reason = "no test uses all of it")]

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

/// Runs every case of the vectors `name`, whose file is `file`, then fails with all that was found. `check` says what
/// disagrees. With `WIRESEAL_EXTRA_VECTORS` set to a directory that has a file of this name, its cases run as well.
pub(crate) fn agree(name: &str, file: &str, mut check: impl FnMut(&Value) -> Vec<String>) {
    let mut cases = cases(name, file);
    if let Some(directory) = std::env::var_os("WIRESEAL_EXTRA_VECTORS")
        && let Ok(extra) = std::fs::read_to_string(Path::new(&directory).join(format!("{name}.json")))
    {
        cases.extend(self::cases(name, &extra));
    }
    let (mut report, mut failed) = (String::new(), 0);
    for case in &cases {
        let faults = check(case);
        if !faults.is_empty() {
            failed += 1;
            writeln!(report, "{}: {}", text(&case["id"]), text(&case["why"])).unwrap();
            faults.iter().for_each(|fault| writeln!(report, "    {fault}").unwrap());
        }
    }
    assert!(failed == 0, "{failed} of {} cases in {name}.json disagree:\n{report}", cases.len());
}

fn cases(name: &str, file: &str) -> Vec<Value> {
    let mut document: Value = serde_json::from_str(file).unwrap();
    assert_eq!(text(&document["format"]), format!("wireseal-{name}/1"));
    let Value::Array(cases) = document["cases"].take() else { panic!("{name}.json has no list of cases") };
    assert!(!cases.is_empty(), "{name}.json has no cases");
    cases
}

/// What disagrees where one value says all that was found.
pub(crate) fn differs(found: &Value, expected: &Value) -> Vec<String> {
    if found == expected { vec![] } else { vec![format!("expected {expected:.400}"), format!("found    {found:.400}")] }
}

/// The object, after a look that it has no member that the runner does not know: that would go untested.
pub(crate) fn only<'v>(object: &'v Value, known: &[&str]) -> &'v Value {
    for name in object.as_object().unwrap().keys() {
        assert!(known.contains(&name.as_str()), "unknown member {name}");
    }
    object
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

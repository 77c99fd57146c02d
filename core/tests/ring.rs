//! A ring of keys: rolled through its phases without losing a token, and wiped when it is dropped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use core::mem::{MaybeUninit, size_of};
use core::ptr;

use wireseal::json::Text;
use wireseal::limits::MAX_KEYS;
use wireseal::seal::{Binding, Format, Formats, Fresh, Key, OpenError, Sealer};
use wireseal::{Misuse, Reason};

const NOW_MS: u64 = 1_785_000_000_123;
const LIFE_MS: u64 = 600_000;
const OLD: &[u8] = b"the old secret of a test, unused";
const NEW: &[u8] = b"the new secret of a test, unused";

fn binding() -> Binding<'static> {
    let method = Text::plain("tools/call");
    Binding { method, target: None, arguments: None, principal: Some("alice"), associated: Some(b"desk") }
}

/// A replica as a device has it: the ring is an array, and nothing is allocated.
struct Replica<const KEYS: usize>(Sealer<[Key; KEYS], &'static str>);

/// What all replicas can do, however many keys they have.
trait Opens {
    fn seal(&self, now_ms: u64, random: u8) -> String;
    fn open(&self, token: &str, now_ms: u64) -> Result<(), Reason>;
}

impl<const KEYS: usize> Replica<KEYS> {
    fn new(secrets: [&[u8]; KEYS], format: Format) -> Self {
        let keys = secrets.map(|secret| Key::derive(secret).unwrap());
        Replica(Sealer::new(keys, Some("desk"), LIFE_MS, format, Formats::of(&[])).unwrap())
    }
}

impl<const KEYS: usize> Opens for Replica<KEYS> {
    fn seal(&self, now_ms: u64, random: u8) -> String {
        let (fresh, mut out) = (Fresh::from_random([random; 20]), [0; 512]);
        let len = self.0.seal(&binding(), br#""a state""#, now_ms, fresh, &mut [0; 64], &mut out).unwrap();
        String::from_utf8(out[..len].to_vec()).unwrap()
    }

    fn open(&self, token: &str, now_ms: u64) -> Result<(), Reason> {
        match self.0.open(Text::plain(token), &binding(), None, now_ms, &mut [0; 256], &mut [0; 512]) {
            Ok(opened) => {
                assert_eq!(opened.state, br#""a state""#);
                Ok(())
            }
            Err(OpenError::Refused(reason)) => Err(reason),
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// RS-15: while the replicas go from one phase to the next one by one, each opens what any other seals.
#[test]
fn a_key_is_rolled_without_losing_a_token() {
    for &format in Format::ALL {
        let phases: [Box<dyn Opens>; 4] = [
            Box::new(Replica::new([OLD], format)),
            Box::new(Replica::new([OLD, NEW], format)),
            Box::new(Replica::new([NEW, OLD], format)),
            Box::new(Replica::new([NEW], format)),
        ];
        // The formats differ by up to a second in when exactly a life ends, and two of them name no key.
        let late = NOW_MS + LIFE_MS + 1_000;
        let encrypted = ["compact", "python"].contains(&format.as_str());
        let unknown = if encrypted { Reason::StateUnknownKey } else { Reason::StateTampered };
        let mut random = 0;
        for pair in phases.windows(2) {
            for (minter, opener) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                random += 1;
                let token = pair[minter].seal(NOW_MS, random);
                assert_eq!(pair[opener].open(&token, NOW_MS + LIFE_MS - 1), Ok(()), "{format:?} {random}");
                assert_eq!(pair[opener].open(&token, late), Err(Reason::StateExpired));
            }
        }
        // What the old key sealed at the very end of its phase is refused as of an unknown key once it is gone, and by
        // then it has expired for those who still know it.
        let token = phases[1].seal(NOW_MS, 200);
        assert_eq!(phases[2].open(&token, NOW_MS + LIFE_MS - 1), Ok(()));
        assert_eq!(phases[3].open(&token, late), Err(unknown));
        // A phase that was left out loses tokens: that is why there are three.
        let token = phases[2].seal(NOW_MS, 201);
        assert_eq!(phases[0].open(&token, NOW_MS), Err(unknown));
    }
}

/// RS-15: a device's ring has the capacity that its type says, and the limit of keys holds for it too.
#[test]
fn a_ring_has_a_fixed_capacity() {
    fn ring<const KEYS: usize>() -> Result<usize, Misuse> {
        let keys: [Key; KEYS] = std::array::from_fn(|at| Key::derive(&[at as u8; 32]).unwrap());
        Sealer::<_, &str>::new(keys, None, LIFE_MS, Format::Compact, Formats::of(&[])).map(|_| size_of::<[Key; KEYS]>())
    }
    assert_eq!(ring::<MAX_KEYS>(), Ok(MAX_KEYS * size_of::<Key>()));
    assert_eq!(ring::<{ MAX_KEYS + 1 }>(), Err(Misuse::TooManyKeys));
    assert_eq!(ring::<0>(), Err(Misuse::NoKeys));
    // The size that docs/security.md and the documentation of `Key` promise a device.
    #[cfg(not(any(feature = "prepared", feature = "interop")))]
    assert!(size_of::<Key>() <= 4 * 32 + 16, "{}", size_of::<Key>());
}

/// The bytes of a value that lies there, dead or alive.
fn bytes_of<T>(place: &MaybeUninit<T>) -> Vec<u8> {
    let start = place.as_ptr().cast::<u8>();
    // SAFETY: the place was zeroed as a whole before the value was written, so that every byte of it is
    // initialised, padding too; a volatile read is of what is there.
    (0..size_of::<T>()).map(|at| unsafe { ptr::read_volatile(start.add(at)) }).collect()
}

/// Makes a value in a zeroed place, drops it there, and returns its bytes before and after.
fn dropped<T>(make: impl FnOnce() -> T) -> (Vec<u8>, Vec<u8>) {
    let mut place = Box::new(MaybeUninit::<T>::zeroed());
    place.write(make());
    let before = bytes_of(&place);
    // SAFETY: the value was just written, and is not used again.
    unsafe { ptr::drop_in_place(place.as_mut_ptr()) };
    (before, bytes_of(&place))
}

/// In how many places two texts of bytes differ.
fn differences(a: &[u8], b: &[u8]) -> usize {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// The derived keys of the compact format, by the labels of docs/tokens.md.
fn derived(secret: &[u8], mode: &str) -> Vec<Vec<u8>> {
    let labels = ["aes-256-gcm", "request-tag", "context-tag"].map(|use_of| format!("wireseal/v1/{mode}/{use_of}"));
    let labels = labels.into_iter().chain(["wireseal/v1/reissue".to_owned()]);
    let key = |label: String| {
        let mut key = vec![0; 32];
        hkdf::Hkdf::<sha2::Sha256>::new(None, secret).expand(label.as_bytes(), &mut key).unwrap();
        key
    };
    labels.map(key).collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// What may differ between two dropped keys: their ids, and less than eight bytes of padding.
const PUBLIC: usize = if cfg!(feature = "interop") { 8 } else { 4 } + 7;

/// Of two dropped keys nothing differs any more but their public ids: whatever form the secrets had, it is gone.
#[test]
fn a_dropped_key_is_wiped() {
    for (mode, derive) in
        [("compact", Key::derive as fn(&[u8]) -> Result<Key, Misuse>), ("counter", Key::derive_counter)]
    {
        let (alive, dead) = dropped(|| derive(OLD).unwrap());
        let (other_alive, other_dead) = dropped(|| derive(NEW).unwrap());
        // Four keys of 32 bytes at least; of random bytes one in 256 is the same by chance.
        assert!(differences(&alive, &other_alive) > 4 * 32 - 8, "what is compared are two keys");
        assert!(differences(&dead, &other_dead) <= PUBLIC, "{} bytes differ", differences(&dead, &other_dead));
        for secret in derived(OLD, mode) {
            // Prepared keys are kept in other forms.
            assert!(cfg!(feature = "prepared") || holds(&alive, &secret));
            assert!(!holds(&dead, &secret));
        }
    }
}

#[test]
fn a_dropped_sealer_is_wiped() {
    let make = |secrets: [&'static [u8]; 2]| move || Replica::new(secrets, Format::Compact);
    let (alive, dead) = dropped(make([OLD, NEW]));
    let (other_alive, other_dead) =
        dropped(make([b"yet another secret of a test....", b"and one more secret of a test..."]));
    assert!(differences(&alive, &other_alive) > 8 * 32 - 16);
    assert!(differences(&dead, &other_dead) <= 2 * PUBLIC);
}

#[cfg(feature = "interop")]
#[test]
fn a_dropped_codec_key_is_wiped() {
    use wireseal::seal::CodecKey;

    let (alive, dead) = dropped(|| CodecKey::derive(OLD).unwrap());
    let (other_alive, other_dead) = dropped(|| CodecKey::derive(NEW).unwrap());
    assert!(differences(&alive, &other_alive) > 32 - 4);
    assert!(differences(&dead, &other_dead) <= 4 + 7, "{} bytes differ", differences(&dead, &other_dead));
}

/// Every error of the ring is a word of the table, and says nothing of a secret.
#[test]
fn errors_and_debug_carry_no_secret() {
    let key = Key::derive(OLD).unwrap();
    let ring = Replica::new([OLD, NEW], Format::Compact);
    let shown = format!("{key:?} {:?} {:?} {:?}", ring.0, Key::derive(&OLD[1..]), Key::derive(&[1; 1025]));
    for (secret, name) in [(OLD, "old"), (NEW, "new")] {
        assert!(!shown.contains(name));
        for secret in derived(secret, "compact").iter().chain([&secret.to_vec()]) {
            // Neither in hexadecimal nor as a list of numbers, not even the first four bytes.
            let hexadecimal: String = secret[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            let list = format!("{:?}", &secret[..4]);
            assert!(!shown.contains(&hexadecimal) && !shown.contains(list.trim_matches(['[', ']'])), "{shown}");
        }
    }
    assert!(shown.ends_with("Err(SecretTooShort) Err(SecretTooLong)"), "{shown}");
}

//! Where nonces come from. Two tokens under one key with one nonce give the key's authenticity away, so a nonce is
//! a value that exists once: it can be neither copied nor made from a number, and sealing uses it up.
//!
//! | scheme | source | key |
//! |---|---|---|
//! | random bytes for every token | [`Fresh::from_random`] | [`Key::derive`] |
//! | random bytes once for a process, then a counter | [`ProcessNonces`] | [`Key::derive`] |
//! | no randomness: device, boot and message numbers | [`Boot`], [`DeviceNonces`] | [`Key::derive_counter`] |
//!
//! [`Key::derive`]: super::Key::derive
//! [`Key::derive_counter`]: super::Key::derive_counter
//!
//! `docs/tokens.md` has the bytes of each, and how many tokens each is good for.

use core::fmt;

use crate::reason::Misuse;

/// The nonce of one token. It is used up by sealing and cannot be copied, so that no nonce serves twice.
///
/// ```compile_fail,E0382
/// let fresh = wireseal::seal::Fresh::from_random([7; 20]);
/// let twice = (fresh, fresh);
/// ```
///
/// ```compile_fail,E0599
/// let fresh = wireseal::seal::Fresh::from_random([7; 20]);
/// let twice = fresh.clone();
/// ```
pub struct Fresh {
    nonce: [u8; 12],
    salt: [u8; 8],
    counted: bool,
}

impl Fresh {
    /// Takes 20 bytes from a cryptographically secure generator: 12 for the nonce and 8 for the principal's salt
    /// in the `python` format. The same bytes must never be given again.
    pub const fn from_random(bytes: [u8; 20]) -> Self {
        let [nonce @ .., a, b, c, d, e, f, g, h] = bytes;
        Fresh { nonce, salt: [a, b, c, d, e, f, g, h], counted: false }
    }

    /// Whether the nonce was counted without any randomness, and needs a key derived for that.
    pub(super) fn is_counted(&self) -> bool {
        self.counted
    }

    /// The nonce, and the salt.
    pub(super) fn split(self) -> ([u8; 12], [u8; 8]) {
        (self.nonce, self.salt)
    }
}

/// Shows nothing of a nonce's bytes: they are public once they were used, and nobody's business before.
impl fmt::Debug for Fresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fresh").finish_non_exhaustive()
    }
}

/// The nonces of one process: a random start, and from there one up for every token (NIST SP 800-38D, 8.2.2).
///
/// For hosts where asking the system for random bytes costs more than the rest of sealing. Threads share one of these.
/// It must not outlive a fork, and not be restored from the snapshot of a virtual machine: two processes would go on
/// from the same number. The first is checked at every nonce; the second only the host can know.
///
/// ```compile_fail,E0599
/// let nonces = wireseal::seal::ProcessNonces::from_random([7; 20], 1);
/// let twice = nonces.clone();
/// ```
pub struct ProcessNonces {
    start: [u8; 20],
    process: u64,
    left: Countdown,
}

impl ProcessNonces {
    /// Takes 20 bytes from a cryptographically secure generator, and the identity of this process. The same bytes
    /// must never be given again.
    ///
    /// `process` is a number that a forked child has not: the process id, together with a count of the forks
    /// where the host can keep one, since ids come round again.
    pub const fn from_random(bytes: [u8; 20], process: u64) -> Self {
        ProcessNonces { start: bytes, process, left: Countdown::new(u32::MAX) }
    }

    /// The next nonce.
    ///
    /// # Errors
    ///
    /// [`Misuse::NoncesInherited`]: `process` is another than at the start. [`Misuse::NoncesExhausted`] after
    /// 2^32 - 1 nonces. Either way, make new ones.
    pub fn next(&self, process: u64) -> Result<Fresh, Misuse> {
        if process != self.process {
            return Err(Misuse::NoncesInherited);
        }
        let number = u64::from(u32::MAX - self.left.take().ok_or(Misuse::NoncesExhausted)?);
        let Fresh { nonce: [a, b, c, d, low @ ..], salt, .. } = Fresh::from_random(self.start);
        let start = u128::from(u32::from_be_bytes([a, b, c, d])) << 64 | u128::from(u64::from_be_bytes(low));
        let [_, _, _, _, nonce @ ..] = start.wrapping_add(u128::from(number)).to_be_bytes();
        let salt = u64::from_be_bytes(salt).wrapping_add(number).to_be_bytes();
        Ok(Fresh { nonce, salt, counted: false })
    }
}

/// Shows nothing of the numbers.
impl fmt::Debug for ProcessNonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessNonces").finish_non_exhaustive()
    }
}

/// A boot of a device without entropy, before its number is in memory that survives a loss of power.
///
/// Nothing can be sealed yet: a device that lost its power between sealing and storing would count the same numbers
/// again.
///
/// ```
/// use wireseal::seal::Boot;
///
/// # let mut flash = 6u32;
/// let boot = Boot::after(17, flash)?; // device 17; what the flash has from the last boot
/// flash = boot.number(); // write it
/// let mut nonces = boot.stored(flash)?; // read it back
/// let fresh = nonces.next()?;
/// # Ok::<(), wireseal::Misuse>(())
/// ```
///
/// ```compile_fail,E0599
/// let boot = wireseal::seal::Boot::after(17, 0).unwrap();
/// let fresh = boot.next(); // not before it is stored
/// ```
///
/// ```compile_fail,E0599
/// let boot = wireseal::seal::Boot::after(17, 0).unwrap();
/// let twice = boot.clone();
/// ```
#[must_use = "nothing can be sealed before the boot's number is stored"]
#[derive(Debug)]
pub struct Boot {
    device: u32,
    number: u32,
}

impl Boot {
    /// The boot after the one whose number is stored; a new device has 0 stored.
    ///
    /// `device` is this device's number among all that have the key: no two may have the same. A device with a key of
    /// its own can be 0. The stored number must never go down, nor be lost while the key is in use.
    ///
    /// # Errors
    ///
    /// [`Misuse::NoncesExhausted`] when the stored number is 2^32 - 1, which is also what erased flash reads as: the
    /// device needs a new key, and then 0 in store.
    pub const fn after(device: u32, stored: u32) -> Result<Self, Misuse> {
        match stored.checked_add(1) {
            Some(number) => Ok(Boot { device, number }),
            None => Err(Misuse::NoncesExhausted),
        }
    }

    /// The number to store.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The nonces of this boot. `read_back` is what the store has now, read after [`number`](Boot::number) was written
    /// to it.
    ///
    /// # Errors
    ///
    /// [`Misuse::BootNotStored`] when that is another number.
    pub fn stored(self, read_back: u32) -> Result<DeviceNonces, Misuse> {
        if read_back != self.number {
            return Err(Misuse::BootNotStored);
        }
        Ok(DeviceNonces { device: self.device, boot: self.number, next: Some(0) })
    }
}

/// The nonces of one boot of a device without entropy: device number, boot number and message number, four
/// bytes each (the deterministic construction of NIST SP 800-38D, 8.2.1).
///
/// They serve only under a key from [`Key::derive_counter`](super::Key::derive_counter), which no random nonce serves
/// under. They show the peer which device sealed, how often it was started and how much it has sealed since.
///
/// ```compile_fail,E0599
/// let nonces = wireseal::seal::Boot::after(17, 0).unwrap().stored(1).unwrap();
/// let twice = nonces.clone();
/// ```
pub struct DeviceNonces {
    device: u32,
    boot: u32,
    next: Option<u32>,
}

impl DeviceNonces {
    /// The next nonce.
    ///
    /// # Errors
    ///
    /// [`Misuse::NoncesExhausted`] after 2^32 nonces: count another boot.
    #[allow(clippy::should_implement_trait, reason = "an iterator hands out nonces where nobody looks")]
    pub fn next(&mut self) -> Result<Fresh, Misuse> {
        let message = self.next.ok_or(Misuse::NoncesExhausted)?;
        self.next = message.checked_add(1);
        let number = u128::from(self.device) << 64 | u128::from(self.boot) << 32 | u128::from(message);
        let [_, _, _, _, nonce @ ..] = number.to_be_bytes();
        Ok(Fresh { nonce, salt: [0; 8], counted: true })
    }
}

/// Shows where the count stands.
impl fmt::Debug for DeviceNonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceNonces").field("boot", &self.boot).finish_non_exhaustive()
    }
}

/// Counts down to zero and stays there. Threads can share it where the target has what that takes; elsewhere it is
/// not `Sync`, and neither is what holds it.
pub(super) struct Countdown(Left);

#[cfg(target_has_atomic = "32")]
type Left = core::sync::atomic::AtomicU32;
#[cfg(not(target_has_atomic = "32"))]
type Left = core::cell::Cell<u32>;

impl Countdown {
    pub(super) const fn new(from: u32) -> Self {
        Countdown(Left::new(from))
    }

    /// One down; what was left before, which no other caller gets. `None` at zero.
    #[cfg(target_has_atomic = "32")]
    pub(super) fn take(&self) -> Option<u32> {
        use core::sync::atomic::Ordering::Relaxed;
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok()
    }

    /// One down; what was left before. `None` at zero.
    #[cfg(not(target_has_atomic = "32"))]
    pub(super) fn take(&self) -> Option<u32> {
        let left = self.0.get();
        self.0.set(left.checked_sub(1)?);
        Some(left)
    }

    pub(super) fn left(&self) -> u32 {
        #[cfg(target_has_atomic = "32")]
        return self.0.load(core::sync::atomic::Ordering::Relaxed);
        #[cfg(not(target_has_atomic = "32"))]
        return self.0.get();
    }
}

#[cfg(test)]
mod tests {
    use super::{Boot, Countdown, DeviceNonces, ProcessNonces};
    use crate::reason::Misuse;

    fn process(left: u32) -> ProcessNonces {
        ProcessNonces { left: Countdown::new(left), ..ProcessNonces::from_random([0xFF; 20], 7) }
    }

    #[test]
    fn a_process_has_so_many_and_no_more() {
        let nonces = process(1);
        // The last: 2^32 - 2 from a start of all ones, in both numbers.
        let fresh = nonces.next(7).map(super::Fresh::split);
        let expected = ([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFD], [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFD]);
        assert_eq!(fresh.ok(), Some(expected));
        for _ in 0..3 {
            assert_eq!(nonces.next(7).err(), Some(Misuse::NoncesExhausted));
        }
    }

    #[test]
    fn a_child_gets_none_and_takes_none() {
        let nonces = process(1);
        assert_eq!(nonces.next(8).err(), Some(Misuse::NoncesInherited));
        assert!(nonces.next(7).is_ok(), "the parent still has its own");
    }

    #[test]
    fn a_boot_has_so_many_and_no_more() {
        let mut nonces = DeviceNonces { next: Some(u32::MAX), device: 1, boot: 2 };
        let fresh = nonces.next().map(super::Fresh::split);
        assert_eq!(fresh.ok(), Some(([0, 0, 0, 1, 0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF], [0; 8])));
        for _ in 0..3 {
            assert_eq!(nonces.next().err(), Some(Misuse::NoncesExhausted));
        }
    }

    #[test]
    fn boots_have_an_end() {
        let last = Boot::after(1, u32::MAX - 1).map(|boot| boot.number());
        assert_eq!(last, Ok(u32::MAX));
        assert_eq!(Boot::after(1, u32::MAX).err(), Some(Misuse::NoncesExhausted));
    }

    #[test]
    fn a_boot_that_is_not_stored_seals_nothing() {
        for read_back in [0, 6, 8, u32::MAX] {
            let refused = Boot::after(1, 6).and_then(|boot| boot.stored(read_back));
            assert_eq!(refused.err(), Some(Misuse::BootNotStored));
        }
    }

    /// Threads that share a counter share no number, and none is left out.
    #[test]
    fn threads_share_no_number() {
        let shared = Countdown::new(8_000);
        let mut all: std::vec::Vec<u32> = std::thread::scope(|scope| {
            let threads: [_; 8] = std::array::from_fn(|_| {
                scope.spawn(|| std::iter::from_fn(|| shared.take()).collect::<std::vec::Vec<_>>())
            });
            threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        all.sort_unstable();
        assert!(all.into_iter().eq(1..=8_000));
        assert_eq!((shared.take(), shared.left()), (None, 0));
    }
}

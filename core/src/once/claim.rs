//! What is claimed, and the rules that judge it: the same for every store.

use core::fmt;

use subtle::ConstantTimeEq;

use crate::json::digest::Sha256;
use crate::limits::MAX_SKEW_MS;
use crate::reason::{Misuse, Reason};
use crate::seal::{Opened, first, judge_times, plausible};

/// A wish to act on an opened token, for a principal. Made after the token was opened, the answers checked and the
/// caller authorised.
#[derive(Clone, Copy)]
pub struct Claim {
    token_id: [u8; 16],
    reissue_key: [u8; 16],
    principal: [u8; 16],
    issued_at_ms: u64,
    expires_at_ms: u64,
}

/// Shows neither the reissue key nor who claims.
impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("token_id", &self.token_id)
            .field("issued_at_ms", &self.issued_at_ms)
            .field("expires_at_ms", &self.expires_at_ms)
            .finish_non_exhaustive()
    }
}

/// How far the action of a token has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Somebody acts on it, and is to be done by this time, in Unix milliseconds; later the outcome is unknown.
    Claimed {
        /// The end of the lease.
        lease_ends_ms: u64,
    },
    /// It was done, and the result is at hand.
    Done,
    /// It was done, and the result was not kept.
    DoneWithoutResult,
    /// Whether it was done is not known, and never will be.
    Unknown,
}

/// What a claim meets where the token was claimed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The same second leg is being served.
    InFlight,
    /// The same second leg was served: answer with the first result.
    Done,
    /// `StateUsed`, `OnceOutcomeUnknown`, `OnceNoResult`.
    Refused(Reason),
}

impl Claim {
    /// The claim on a token that the sealer opened. `principal` is who asks; all who have no name share one.
    ///
    /// # Errors
    ///
    /// [`Reason::StateUndated`], as for [`Claim::new`].
    pub fn of(opened: &Opened<'_>, principal: Option<&str>) -> Result<Self, Reason> {
        let (issued, expires) = (opened.issued_at_ms, opened.expires_at_ms);
        Claim::new(opened.token_id, opened.reissue_key, issued, expires, principal)
    }

    /// The claim on a token by what is known of it: its id, its reissue key, and its times in Unix milliseconds.
    ///
    /// # Errors
    ///
    /// [`Reason::StateUndated`] where one of the times is not known: a token that never expires would have to be
    /// remembered for ever, and one without an issue time may be older than the store.
    pub fn new(
        token_id: [u8; 16],
        reissue_key: [u8; 16],
        issued_at_ms: Option<u64>,
        expires_at_ms: Option<u64>,
        principal: Option<&str>,
    ) -> Result<Self, Reason> {
        let (Some(issued_at_ms), Some(expires_at_ms)) = (issued_at_ms, expires_at_ms) else {
            return Err(Reason::StateUndated);
        };
        Ok(Claim { token_id, reissue_key, principal: principal_id(principal), issued_at_ms, expires_at_ms })
    }

    /// The token's name.
    pub const fn token_id(&self) -> [u8; 16] {
        self.token_id
    }

    /// What a true reissue has in common with the first. Not to be shown.
    pub const fn reissue_key(&self) -> [u8; 16] {
        self.reissue_key
    }

    /// A hash that names the principal, to count what each one holds.
    pub const fn principal_id(&self) -> [u8; 16] {
        self.principal
    }

    /// Until when the token must be remembered, in Unix milliseconds: its expiry plus
    /// [`MAX_SKEW_MS`], for a process whose clock is behind may still open it.
    pub const fn keep_until_ms(&self) -> u64 {
        self.expires_at_ms.saturating_add(MAX_SKEW_MS)
    }

    pub(super) const fn expires_at_ms(&self) -> u64 {
        self.expires_at_ms
    }

    /// Why a store that remembers everything since `since_ms` must not serve the token, if there is a reason:
    /// [`Reason::StateFuture`], [`Reason::StateExpired`] (since it was opened), [`Reason::StateNoHistory`].
    ///
    /// # Errors
    ///
    /// [`Misuse::ImplausibleTime`].
    pub fn refusal(&self, since_ms: u64, now_ms: u64) -> Result<Option<Reason>, Misuse> {
        plausible(now_ms)?;
        Ok(match judge_times(self.issued_at_ms, self.expires_at_ms, now_ms) {
            Err(reason) => Some(reason),
            Ok(()) if self.issued_at_ms < since_ms => Some(Reason::StateNoHistory),
            Ok(()) => None,
        })
    }

    /// What the claim meets: the token was claimed before, with this reissue key, and has come to this stage.
    pub fn meet(&self, reissue_key: &[u8; 16], stage: Stage, now_ms: u64) -> Met {
        if !bool::from(self.reissue_key.ct_eq(reissue_key)) {
            return Met::Refused(Reason::StateUsed);
        }
        match stage {
            Stage::Claimed { lease_ends_ms } if now_ms < lease_ends_ms => Met::InFlight,
            Stage::Claimed { .. } | Stage::Unknown => Met::Refused(Reason::OnceOutcomeUnknown),
            Stage::Done => Met::Done,
            Stage::DoneWithoutResult => Met::Refused(Reason::OnceNoResult),
        }
    }
}

/// Absent and empty differ, as everywhere.
fn principal_id(principal: Option<&str>) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.put(b"wireseal/v1/once-principal");
    match principal {
        Some(name) => {
            hash.put(&[1]);
            hash.put(name.as_bytes());
        }
        None => hash.put(&[0]),
    }
    first(&hash.finish())
}

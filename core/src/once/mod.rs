//! Makes an action happen at most once per token, and gives a reissue the first result.
//!
//! A dropped connection makes a client send its second leg again; the seal accepts that, as it must. A server that
//! does something then, rather than only say something, claims the token first: after it was opened, the answers
//! checked and the caller authorised, just before the effect. Who gets [`Verdict::Claimed`] acts and reports with
//! [`Once::finish`], [`Once::release`] (nothing happened) or [`Once::abandon`] (nobody knows). Everybody else gets the
//! first result, or a refusal. docs/tokens.md says what this promises and what it does not.
//!
//! ```
//! use wireseal::once::{Claim, Once, Rows, Settings, Slot, Verdict};
//!
//! let now_ms = 1_785_000_000_000;
//! let results = Rows::new([0u8; 8 * 64], 8);
//! let mut once = Once::new([Slot::FREE; 8], results, Settings::for_slots(8), now_ms).map_err(|m| m.message())?;
//!
//! // Of a token that the sealer opened: Claim::of(&opened, Some("alice")).
//! let expires_at = Some(now_ms + 600_000);
//! let claim = Claim::new([1; 16], [2; 16], Some(now_ms), expires_at, Some("alice")).map_err(|r| r.name())?;
//! let Ok(Verdict::Claimed(ticket)) = once.claim(&claim, now_ms + 5000) else { return Err("claim") };
//! let result = b"{\"room\":\"cinder\"}"; // the effect
//! once.finish(ticket, Some(result), now_ms + 5010);
//!
//! assert!(matches!(once.claim(&claim, now_ms + 9000), Ok(Verdict::Done(first)) if first == result));
//! # Ok::<(), &str>(())
//! ```

use core::fmt;

use crate::limits::{DEFAULT_LEASE_MS, MAX_LEASE_MS, MAX_ONCE_SLOTS, MAX_SKEW_MS, ONCE_SHARES};
use crate::reason::{Misuse, Reason};
use crate::seal::plausible;

mod claim;
mod results;

pub use claim::{Claim, Met, Stage};
pub use results::{Results, Rows};

/// Refuses a present that no clock can mean: before 2020, or beyond 42 bits of milliseconds. For a store of one's own, before
/// it notes the time.
///
/// # Errors
///
/// [`Misuse::ImplausibleTime`].
pub fn check_time(now_ms: u64) -> Result<(), Misuse> {
    plausible(now_ms)
}

/// The memory for one token: lent to a table, and its alone from then on.
#[derive(Clone, Copy)]
pub struct Slot {
    token_id: [u8; 16],
    reissue_key: [u8; 16],
    principal: [u8; 16],
    /// When it may be forgotten; 0 while the slot is free.
    until_ms: u64,
    generation: u64,
    stage: Stage,
    /// The length of the result that is kept.
    len: usize,
}

impl Slot {
    /// A slot without a token.
    pub const FREE: Slot = Slot {
        token_id: [0; 16],
        reissue_key: [0; 16],
        principal: [0; 16],
        until_ms: 0,
        generation: 0,
        stage: Stage::Unknown,
        len: 0,
    };

    const fn is_free(&self) -> bool {
        self.until_ms == 0
    }
}

/// Shows nothing of the token.
impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("until_ms", &self.until_ms).field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// How a table works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long an action may take, in milliseconds, from 1 to [`MAX_LEASE_MS`]. One that takes longer counts as of
    /// unknown outcome.
    pub lease_ms: u64,
    /// How many slots one principal can hold, from 1 to all.
    pub share: usize,
    /// By how much the clocks of processes that mint tokens for this table may be ahead of its own, in
    /// milliseconds, up to [`MAX_SKEW_MS`]: tokens issued in so much time after the table was made are refused too,
    /// since they may be older than it.
    pub skew_ms: u64,
}

impl Settings {
    /// [`DEFAULT_LEASE_MS`], an eighth of the slots (at least one), and one clock.
    pub const fn for_slots(slots: usize) -> Self {
        let share = slots / ONCE_SHARES;
        Settings { lease_ms: DEFAULT_LEASE_MS, share: if share == 0 { 1 } else { share }, skew_ms: 0 }
    }

    /// Checks the settings of a table, or of another store, with so many slots.
    ///
    /// # Errors
    ///
    /// [`Misuse::OnceLease`], [`Misuse::OnceShare`], [`Misuse::OnceSkew`].
    pub const fn check(&self, slots: usize) -> Result<(), Misuse> {
        if self.lease_ms == 0 || self.lease_ms > MAX_LEASE_MS {
            Err(Misuse::OnceLease)
        } else if self.share == 0 || self.share > slots {
            Err(Misuse::OnceShare)
        } else if self.skew_ms > MAX_SKEW_MS {
            Err(Misuse::OnceSkew)
        } else {
            Ok(())
        }
    }
}

/// The right to act on a token, and to say what came of it. It belongs to the table that gave it.
///
/// ```compile_fail,E0382
/// fn twice(once: &mut wireseal::once::Once<[wireseal::once::Slot; 1], wireseal::once::Rows<[u8; 8]>>,
///          ticket: wireseal::once::Ticket) {
///     once.finish(ticket, None, 0);
///     once.finish(ticket, None, 0);
/// }
/// ```
#[derive(Debug)]
#[must_use = "a claim that nobody finishes becomes one of unknown outcome"]
pub struct Ticket {
    slot: usize,
    generation: u64,
}

/// What becomes of a claim.
#[derive(Debug)]
pub enum Verdict<'o> {
    /// The token is the caller's to act on, once.
    Claimed(Ticket),
    /// The same second leg is being served: ask again later, or refuse with [`Reason::OnceInFlight`].
    InFlight,
    /// The same second leg was served, with this result.
    Done(&'o [u8]),
    /// Not served: `StateFuture`, `StateExpired`, `StateNoHistory`, `StateUsed`, `OnceOutcomeUnknown`,
    /// `OnceNoResult`, `OnceShare`, `OnceFull`.
    Refused(Reason),
}

/// What became of the end of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// A reissue gets the result.
    Kept,
    /// There was none, or it did not fit: a reissue is refused with [`Reason::OnceNoResult`].
    WithoutResult,
    /// The lease had lapsed: it stays with the unknown outcome that others may have been told of.
    Late,
}

/// A table of the tokens that were acted on, in memory of the caller's.
///
/// It remembers each until the token has expired, plus [`MAX_SKEW_MS`], and never forgets one before: when it is
/// full, it refuses. A call goes through all slots once; that is what bounds its time, and why there are at most
/// [`MAX_ONCE_SLOTS`].
pub struct Once<S, R> {
    slots: S,
    results: R,
    settings: Settings,
    since_ms: u64,
    /// The latest expiry of a token that was forgotten. Should the clock be set back after that, tokens up to it
    /// are refused: they may be among the forgotten.
    forgotten_ms: u64,
    generation: u64,
}

/// Shows no token.
impl<S, R> fmt::Debug for Once<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once")
            .field("settings", &self.settings)
            .field("since_ms", &self.since_ms)
            .finish_non_exhaustive()
    }
}

/// What a pass over the slots found.
#[derive(Default)]
struct Pass {
    entry: Option<usize>,
    free: Option<usize>,
    held: usize,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>, R: Results> Once<S, R> {
    /// An empty table, made at `now_ms` (Unix milliseconds). What the slots held before is not looked at.
    ///
    /// Tokens issued before that are refused for ever: whether they were used, nobody here knows.
    ///
    /// # Errors
    ///
    /// [`Misuse::OnceSlots`], [`Misuse::OnceLease`], [`Misuse::OnceShare`], [`Misuse::OnceSkew`],
    /// [`Misuse::ImplausibleTime`].
    pub fn new(mut slots: S, results: R, settings: Settings, now_ms: u64) -> Result<Self, Misuse> {
        let count = slots.as_ref().len();
        if count == 0 || count > MAX_ONCE_SLOTS {
            return Err(Misuse::OnceSlots);
        }
        settings.check(count)?;
        plausible(now_ms)?;
        slots.as_mut().fill(Slot::FREE);
        let since_ms = now_ms.saturating_add(settings.skew_ms);
        Ok(Once { slots, results, settings, since_ms, forgotten_ms: 0, generation: 0 })
    }

    /// Claims a token, at `now_ms` (Unix milliseconds).
    ///
    /// # Errors
    ///
    /// [`Misuse::ImplausibleTime`].
    pub fn claim(&mut self, claim: &Claim, now_ms: u64) -> Result<Verdict<'_>, Misuse> {
        if let Some(reason) = self.refusal(claim, now_ms)? {
            return Ok(Verdict::Refused(reason));
        }
        let pass = self.pass(claim, now_ms);
        if let Some(entry) = pass.entry {
            return Ok(self.meet(entry, claim, now_ms));
        }
        if pass.held >= self.settings.share {
            return Ok(Verdict::Refused(Reason::OnceShare));
        }
        let Some((index, slot)) = pass.free.and_then(|index| Some((index, self.slots.as_mut().get_mut(index)?))) else {
            return Ok(Verdict::Refused(Reason::OnceFull));
        };
        self.generation = self.generation.wrapping_add(1);
        *slot = Slot {
            token_id: claim.token_id(),
            reissue_key: claim.reissue_key(),
            principal: claim.principal_id(),
            until_ms: claim.keep_until_ms(),
            generation: self.generation,
            stage: Stage::Claimed { lease_ends_ms: now_ms.saturating_add(self.settings.lease_ms) },
            len: 0,
        };
        Ok(Verdict::Claimed(Ticket { slot: index, generation: self.generation }))
    }

    /// What a claim would meet, without claiming: `None` where the token has not been claimed. Never
    /// [`Verdict::Claimed`]. For the start of a second leg, before what the first one did is seen as an obstacle.
    ///
    /// # Errors
    ///
    /// [`Misuse::ImplausibleTime`].
    pub fn find(&mut self, claim: &Claim, now_ms: u64) -> Result<Option<Verdict<'_>>, Misuse> {
        if let Some(reason) = self.refusal(claim, now_ms)? {
            return Ok(Some(Verdict::Refused(reason)));
        }
        let pass = self.pass(claim, now_ms);
        Ok(pass.entry.map(|entry| self.meet(entry, claim, now_ms)))
    }

    /// Ends a claim whose action was done, with its result; `None` where there is none to keep.
    pub fn finish(&mut self, ticket: Ticket, result: Option<&[u8]>, now_ms: u64) -> Finished {
        let (slots, results) = (self.slots.as_mut(), &mut self.results);
        let Some(slot) = held(slots, &ticket, now_ms) else { return Finished::Late };
        match result.filter(|result| results.keep(ticket.slot, result)) {
            Some(result) => {
                (slot.stage, slot.len) = (Stage::Done, result.len());
                Finished::Kept
            }
            None => {
                slot.stage = Stage::DoneWithoutResult;
                Finished::WithoutResult
            }
        }
    }

    /// Ends a claim of which the caller knows that nothing happened: the token can be claimed again. `false` where
    /// the lease had lapsed, and the outcome stays unknown.
    pub fn release(&mut self, ticket: Ticket, now_ms: u64) -> bool {
        let slot = held(self.slots.as_mut(), &ticket, now_ms);
        slot.map(|slot| *slot = Slot::FREE).is_some()
    }

    /// Ends a claim of which the caller does not know what happened, without waiting for the lease to lapse.
    pub fn abandon(&mut self, ticket: Ticket, now_ms: u64) {
        if let Some(slot) = held(self.slots.as_mut(), &ticket, now_ms) {
            slot.stage = Stage::Unknown;
        }
    }

    /// How many tokens are remembered at `now_ms`.
    pub fn len(&self, now_ms: u64) -> usize {
        self.slots.as_ref().iter().filter(|slot| now_ms < slot.until_ms).count()
    }

    /// Whether no token is remembered at `now_ms`.
    pub fn is_empty(&self, now_ms: u64) -> bool {
        self.len(now_ms) == 0
    }

    fn refusal(&self, claim: &Claim, now_ms: u64) -> Result<Option<Reason>, Misuse> {
        let refusal = claim.refusal(self.since_ms, now_ms)?;
        Ok(refusal.or((claim.expires_at_ms() <= self.forgotten_ms).then_some(Reason::StateNoHistory)))
    }

    /// Goes through all slots: frees those whose tokens can be forgotten, marks what has lapsed, and finds what a
    /// claim needs to know.
    fn pass(&mut self, claim: &Claim, now_ms: u64) -> Pass {
        let (token_id, principal) = (claim.token_id(), claim.principal_id());
        let mut found = Pass::default();
        for (index, slot) in self.slots.as_mut().iter_mut().enumerate() {
            if !slot.is_free() && now_ms >= slot.until_ms {
                self.forgotten_ms = self.forgotten_ms.max(slot.until_ms.saturating_sub(MAX_SKEW_MS));
                self.results.forget(index, slot.len);
                *slot = Slot::FREE;
            }
            if slot.is_free() {
                found.free = found.free.or(Some(index));
                continue;
            }
            // Marked for good, lest a clock that is set back makes it live again.
            if matches!(slot.stage, Stage::Claimed { lease_ends_ms } if now_ms >= lease_ends_ms) {
                slot.stage = Stage::Unknown;
            }
            if slot.token_id == token_id {
                found.entry = Some(index);
            }
            if slot.principal == principal {
                found.held = found.held.saturating_add(1);
            }
        }
        found
    }

    fn meet(&self, entry: usize, claim: &Claim, now_ms: u64) -> Verdict<'_> {
        let Some(slot) = self.slots.as_ref().get(entry) else { return Verdict::Refused(Reason::OnceOutcomeUnknown) };
        match claim.meet(&slot.reissue_key, slot.stage, now_ms) {
            Met::InFlight => Verdict::InFlight,
            Met::Done => match self.results.kept(entry, slot.len) {
                Some(result) => Verdict::Done(result),
                None => Verdict::Refused(Reason::OnceNoResult),
            },
            Met::Refused(reason) => Verdict::Refused(reason),
        }
    }
}

/// The slot of a claim that has neither ended nor lapsed, and that need not be forgotten yet.
fn held<'s>(slots: &'s mut [Slot], ticket: &Ticket, now_ms: u64) -> Option<&'s mut Slot> {
    let slot = slots.get_mut(ticket.slot)?;
    let live = matches!(slot.stage, Stage::Claimed { lease_ends_ms } if now_ms < lease_ends_ms);
    (live && slot.generation == ticket.generation && now_ms < slot.until_ms).then_some(slot)
}

//! Times are Unix milliseconds that the caller passes; nothing here reads a clock.

use crate::limits::{MAX_LIFETIME_MS, MAX_SKEW_MS, MAX_TIME_MS, MIN_LIFETIME_MS, MIN_TIME_MS};
use crate::reason::{Misuse, Reason};

/// Refuses a present that no clock can mean.
pub(crate) fn plausible(now_ms: u64) -> Result<(), Misuse> {
    if (MIN_TIME_MS..=MAX_TIME_MS).contains(&now_ms) { Ok(()) } else { Err(Misuse::ImplausibleTime) }
}

/// Whether a token may live so long.
pub(super) fn lifetime_in_range(lifetime_ms: u64) -> bool {
    (MIN_LIFETIME_MS..=MAX_LIFETIME_MS).contains(&lifetime_ms)
}

/// Refuses a token that is not yet or no longer good: minted more than the skew ahead, or at its end.
pub(crate) fn judge(issued_at_ms: u64, expires_at_ms: u64, now_ms: u64) -> Result<(), Reason> {
    if issued_at_ms > now_ms.saturating_add(MAX_SKEW_MS) {
        Err(Reason::StateFuture)
    } else if now_ms >= expires_at_ms {
        Err(Reason::StateExpired)
    } else {
        Ok(())
    }
}

//! WireSeal's own token: binary claims, no JSON inside. `docs/tokens.md` has every byte.

use subtle::ConstantTimeEq;

use super::binding::{context_tag, request_tag};
use super::envelope::ForFormat;
use super::key::Key;
use super::{Facts, Format, Fresh, Inner, OpenError, SealError, envelope, refuse_number, time};
use crate::limits::MAX_STATE_BYTES;
use crate::reason::{Misuse, Reason};

/// Times, request tag, context tag.
pub(super) const CLAIMS: usize = 9 + 8 + 8;
/// The lifetime's share of the times; the issue time has the other 42 bits.
const LIFETIME_BITS: u32 = 30;

pub(super) fn seal(
    key: &Key,
    facts: &Facts<'_>,
    lifetime_ms: u64,
    state: &[u8],
    fresh: Fresh,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, SealError> {
    if state.len() > MAX_STATE_BYTES {
        return Err(Misuse::StateTooLong.into());
    }
    let request = request_tag(key, facts.binding, &facts.binding.arguments_digest(scratch)?)?;
    let context = context_tag(key, facts)?;
    let packed = u128::from(facts.now_ms) << LIFETIME_BITS | u128::from(lifetime_ms);
    let [_, _, _, _, _, _, _, times @ ..] = packed.to_be_bytes();
    let (nonce, _) = fresh.split();
    envelope::seal(&ForFormat { format: Format::Compact, key }, nonce, CLAIMS + state.len(), out, |body| {
        let mut rest = body;
        for part in [&times[..], &request, &context, state] {
            let (room, after) = rest.split_at_mut_checked(part.len())?;
            room.copy_from_slice(part);
            rest = after;
        }
        Some(())
    })
}

/// Checks the decrypted claims, in the order of `docs/tokens.md`.
pub(super) fn verify(key: &Key, body: &[u8], facts: &Facts<'_>, scratch: &mut [u64]) -> Result<Inner, OpenError> {
    const MALFORMED: OpenError = OpenError::Refused(Reason::StateMalformed);
    let (times, rest) = body.split_first_chunk::<9>().ok_or(MALFORMED)?;
    let (request, rest) = rest.split_first_chunk::<8>().ok_or(MALFORMED)?;
    let (context, _) = rest.split_first_chunk::<8>().ok_or(MALFORMED)?;
    let packed = times.iter().fold(0u128, |packed, &byte| packed << 8 | u128::from(byte));
    let issued_at_ms = (packed >> LIFETIME_BITS) as u64;
    let lifetime_ms = packed as u64 & ((1 << LIFETIME_BITS) - 1);
    if !time::lifetime_in_range(lifetime_ms) {
        return Err(MALFORMED);
    }
    let expires_at_ms = issued_at_ms + lifetime_ms; // 42 and 30 bits
    time::judge(issued_at_ms, expires_at_ms, facts.now_ms)?;
    let arguments = facts.binding.arguments_digest(scratch).map_err(refuse_number)?;
    if !bool::from(request_tag(key, facts.binding, &arguments)?.ct_eq(request)) {
        return Err(Reason::StateOtherRequest.into());
    }
    if !bool::from(context_tag(key, facts)?.ct_eq(context)) {
        return Err(Reason::StateOtherContext.into());
    }
    Ok(Inner {
        state: CLAIMS..body.len(),
        issued_at_ms: Some(issued_at_ms),
        expires_at_ms: Some(expires_at_ms),
        arguments,
        arguments_bound: true,
    })
}

//! Which era a server belongs to, and which version to speak (basic/versioning, "Backward Compatibility").

use crate::json::{Raw, Text, ValueKind};
use crate::wire::{Version, VersionSet};

use super::Received;

/// What a probe tells of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbedEra {
    /// It speaks 2026-07-28 or later: choose one of its versions, and send no `initialize`.
    Modern,
    /// It does not: send `initialize`.
    Legacy,
    /// The answer says nothing of the era: an authorisation that is missing, a server that failed.
    Unknown,
}

impl ProbedEra {
    /// `"modern"`, `"legacy"` or `"unknown"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProbedEra::Modern => "modern",
            ProbedEra::Legacy => "legacy",
            ProbedEra::Unknown => "unknown",
        }
    }
}

/// What came of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    era: ProbedEra,
    versions: Option<Raw<'a>>,
}

impl<'a> Probe<'a> {
    /// The era.
    pub const fn era(&self) -> ProbedEra {
        self.era
    }

    /// The versions that the server says it serves, as it says them; none where it does not say.
    pub fn versions(&self) -> impl Iterator<Item = Text<'a>> {
        self.versions.into_iter().flat_map(|all| all.elements()).filter_map(|version| version.text())
    }

    /// The newest version of `mine` that the server serves too (VER-05). Versions are identifiers: their order is that of the
    /// revisions, and one that is not known is nobody's (VER-20). `None`: there is none, or the server does not say.
    pub fn choose(&self, mine: VersionSet) -> Option<Version> {
        let served = |version: &Version| self.versions().any(|text| text == *version.as_str());
        Version::ALL.into_iter().rev().filter(|version| mine.contains(*version)).find(served)
    }
}

/// Reads the answer to the first request of a client that speaks both eras: `server/discover`, or any other modern request. `status`
/// is the HTTP status, `None` on stdio; an empty `body` there stands for a server that did not answer in time.
///
/// - A result with `supportedVersions`, and the errors -32020, -32021 and -32022, are a modern server's (VER-14, VER-17); so is
///   -32601 with the HTTP status 404 (VER-18).
/// - -32022 that does not say which versions are served is nothing to act on (VER-24).
/// - Over HTTP 401, 403 and 5xx tell nothing of the era (VER-24), nor does what is neither 2xx nor 4xx.
/// - Everything else is an older server's, whichever error it gives (VER-15).
pub fn probe<'a>(status: Option<u16>, body: &'a [u8], scratch: &mut [u64]) -> Probe<'a> {
    let only = |era| Probe { era, versions: None };
    match status {
        Some(401 | 403) => return only(ProbedEra::Unknown),
        Some(200..=299 | 400..=499) | None => {}
        Some(_) => return only(ProbedEra::Unknown),
    }
    let Ok(received) = Received::read(body, scratch) else { return only(ProbedEra::Legacy) };
    if let Some(result) = received.result() {
        let versions = list(result.get("supportedVersions"));
        let era = if versions.is_some() { ProbedEra::Modern } else { ProbedEra::Legacy };
        return Probe { era, versions };
    }
    let error = received.error();
    let is = |code: &[u8]| error.and_then(|error| error.get("code")).is_some_and(|found| found.as_bytes() == code);
    if is(b"-32022") {
        let versions = list(error.and_then(|error| error.get("data")?.get("supported")));
        return Probe { era: if versions.is_some() { ProbedEra::Modern } else { ProbedEra::Unknown }, versions };
    }
    let modern = is(b"-32020") || is(b"-32021") || (status == Some(404) && is(b"-32601"));
    only(if modern { ProbedEra::Modern } else { ProbedEra::Legacy })
}

/// A list of versions that can be chosen from.
fn list(versions: Option<Raw<'_>>) -> Option<Raw<'_>> {
    let is_string = |version: Raw<'_>| version.kind() == ValueKind::String;
    versions.filter(|all| all.elements().next().is_some() && all.elements().all(is_string))
}

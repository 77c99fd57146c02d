//! What a server serves and what it lets through.

use crate::limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, MAX_BODY_BYTES, MAX_DEPTH};
use crate::reason::Misuse;
use crate::wire::{Era, Version, VersionSet};

/// Which `Origin` values may pass. A request without one always may: it does not come from a web page.
#[derive(Clone, Copy, Debug)]
pub enum Origins<'p, S: AsRef<str> = &'p str> {
    /// Only pages that this very machine serves: `localhost`, `127.0.0.0/8`, `[::1]`, on any port.
    Loopback,
    /// Every one: the host checks elsewhere, or does not care.
    Any,
    /// Only these, such as `https://desk.example` or `http://localhost:8123`.
    List(&'p [S]),
}

/// What a server serves and what it lets through. Cheap to build and to share; `S` is whatever the host keeps
/// its strings in.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'p, S: AsRef<str> = &'p str> {
    /// The modern revisions served.
    pub versions: VersionSet,
    /// The legacy revisions served.
    pub legacy: VersionSet,
    /// The request methods served; `None` leaves unknown ones to the host. `initialize` and `ping` of legacy clients, which
    /// the session answers, are served in any case.
    pub methods: Option<&'p [S]>,
    /// The longest body, in bytes.
    pub max_bytes: usize,
    /// The deepest nesting of arrays and objects; at most [`MAX_DEPTH`](crate::limits::MAX_DEPTH).
    pub max_depth: usize,
    /// Which `Origin` values may pass.
    pub allowed_origins: Origins<'p, S>,
    /// Which `Host` values may pass; `None` does not check.
    pub allowed_hosts: Option<&'p [S]>,
}

impl<S: AsRef<str>> Policy<'_, S> {
    /// Serves 2026-07-28 alone, within the default limits.
    pub const fn new() -> Self {
        Policy {
            versions: VersionSet::of(&[Version::V2026_07_28]),
            legacy: VersionSet::EMPTY,
            methods: None,
            max_bytes: DEFAULT_MAX_BYTES,
            max_depth: DEFAULT_MAX_DEPTH,
            allowed_origins: Origins::Loopback,
            allowed_hosts: None,
        }
    }
}

impl<S: AsRef<str>> Policy<'_, S> {
    /// Checks what was set: each revision belongs to the era that it is listed in, at least one is served, and the
    /// limits are some that the core can keep.
    ///
    /// # Errors
    ///
    /// [`Misuse::UnknownVersion`], [`Misuse::LimitOutOfRange`].
    pub fn check(&self) -> Result<(), Misuse> {
        let listed = |set: VersionSet, era| set.iter().all(|version| version.era() == era);
        let served = !self.versions.is_empty() || !self.legacy.is_empty();
        if !served || !listed(self.versions, Era::Modern) || !listed(self.legacy, Era::Legacy) {
            return Err(Misuse::UnknownVersion);
        }
        let bytes_ok = (1..=MAX_BODY_BYTES).contains(&self.max_bytes);
        let depth_ok = (1..=MAX_DEPTH).contains(&self.max_depth);
        if bytes_ok && depth_ok { Ok(()) } else { Err(Misuse::LimitOutOfRange) }
    }
}

impl<S: AsRef<str>> Default for Policy<'_, S> {
    fn default() -> Self {
        Self::new()
    }
}

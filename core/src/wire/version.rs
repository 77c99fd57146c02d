//! Protocol revisions and the eras they belong to.

/// The two ways of talking MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// 2026-07-28 and later: each request stands alone and names its version in `_meta`.
    Modern,
    /// 2025-11-25 and earlier: an `initialize` handshake settles the version for the session.
    Legacy,
}

impl Era {
    /// `"modern"` or `"legacy"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        }
    }
}

/// A revision of the specification that this crate knows. Ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Version {
    /// 2024-11-05
    V2024_11_05 = 0,
    /// 2025-03-26
    V2025_03_26 = 1,
    /// 2025-06-18
    V2025_06_18 = 2,
    /// 2025-11-25
    V2025_11_25 = 3,
    /// 2026-07-28
    V2026_07_28 = 4,
}

impl Version {
    /// Every revision, the oldest first.
    pub const ALL: [Version; 5] =
        [Version::V2024_11_05, Version::V2025_03_26, Version::V2025_06_18, Version::V2025_11_25, Version::V2026_07_28];

    /// The identifier as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V2024_11_05 => "2024-11-05",
            Version::V2025_03_26 => "2025-03-26",
            Version::V2025_06_18 => "2025-06-18",
            Version::V2025_11_25 => "2025-11-25",
            Version::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision with this identifier; `None` for one that is not known. Identifiers are compared whole:
    /// an unknown one is never guessed to be newer or older.
    pub fn parse(text: &[u8]) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.as_str().as_bytes() == text)
    }

    /// Whether each request of the revision stands alone.
    pub const fn is_modern(self) -> bool {
        matches!(self.era(), Era::Modern)
    }

    /// Which way of talking the revision belongs to.
    pub const fn era(self) -> Era {
        match self {
            Version::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }
}

/// A set of revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VersionSet(u8);

impl VersionSet {
    /// No revision.
    pub const EMPTY: VersionSet = VersionSet(0);

    /// The set of these revisions.
    pub const fn of(versions: &[Version]) -> VersionSet {
        let mut bits = 0;
        let mut rest = versions;
        while let [first, tail @ ..] = rest {
            bits |= 1 << *first as u8;
            rest = tail;
        }
        VersionSet(bits)
    }

    /// Whether the revision is in the set.
    pub const fn contains(self, version: Version) -> bool {
        self.0 >> version as u8 & 1 == 1
    }

    /// Whether the set has no revision.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The revisions of the set, the newest first.
    pub fn iter(self) -> impl Iterator<Item = Version> {
        Version::ALL.into_iter().rev().filter(move |&version| self.contains(version))
    }
}
